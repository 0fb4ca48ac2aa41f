"""A fake board on a port, a fake avrdude that writes to it, and firmware that counts as built."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from struct import pack
from typing import NamedTuple

import pytest

from firmware_bridge.commissioning import flashing
from firmware_bridge.commissioning.flashing import tree_hash
from firmware_bridge.commissioning.image_signature import sign
from firmware_bridge.commissioning.key_files import signers_file, signing_key_file

AVRDUDE = """\
#!/bin/sh
echo "$@" >> {folder}/calls
for operation; do :; done
file=${{operation#*:w:}}; file=${{file%:i}}
if [ -e {folder}/broken ]; then
    echo "avrdude: stk500v2_ReceiveMessage(): timeout" >&2
    echo "avrdude done.  Thank you." >&2
    exit 1
fi
case $operation in
    eeprom:w:*) [ -e {folder}/unwritten ] || cat "$file" >> {folder}/eeprom.hex ;;
    flash:w:*) : > {folder}/flashed ;;
esac
"""


class Desk(NamedTuple):
    """A board on a port, a programmer that logs its arguments, and a key file."""

    port: str
    folder: Path
    keys: Path

    @property
    def calls(self) -> list[str]:
        """The arguments of each call of avrdude."""
        file = self.folder / "calls"
        return file.read_text().splitlines() if file.exists() else []


def elf_with(note: bytes) -> bytes:
    """The smallest ELF file with a section `.wallwright`."""
    names = b"\0.wallwright\0.shstrtab\0"
    header = pack(
        "<16sHHIIIIIHHHHHH",
        *(
            b"\x7fELF\x01\x01\x01",
            2,
            83,
            1,
            0,
            0,
            52 + len(names) + len(note),
            0,
            52,
            0,
            0,
            40,
            3,
            2,
        ),
    )
    sections = [
        (0,) * 10,
        (1, 1, 0, 0, 52 + len(names), len(note), 0, 0, 1, 0),
        (13, 3, 0, 0, 52, len(names), 0, 0, 1, 0),
    ]
    return header + names + note + b"".join(pack("<10I", *section) for section in sections)


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Built firmware that matches the sources, signed by this host's own key."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    made = tree_hash()
    assert made is not None
    elf = tmp_path / "build" / "wallwright.elf"
    elf.parent.mkdir()
    elf.write_bytes(elf_with(made.hex().encode() + b"\n"))
    elf.with_suffix(".hex").write_text(":00000001FF\n")
    monkeypatch.setattr(flashing, "ELF", elf)
    monkeypatch.setattr(flashing, "HEX", elf.with_suffix(".hex"))
    monkeypatch.setattr(flashing.built_hash, "__defaults__", (elf,))
    sign(flashing.HEX, "mega2560", made, signing_key_file(), signers_file())
    return elf


@pytest.fixture
def programmer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fake avrdude on the path, which writes to this folder."""
    tools = tmp_path / "tools"
    tools.mkdir()
    tool = tools / "avrdude"
    tool.write_text(AVRDUDE.format(folder=tmp_path))
    tool.chmod(0o755)
    (tmp_path / "supply").write_text("5000 1100")
    (tmp_path / "firmware").write_text("3")
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    return tmp_path


@pytest.fixture
def desk(programmer: Path, late_boards: None) -> Iterator[Desk]:
    made = tree_hash()
    assert made is not None
    command = (sys.executable, "-m", "tests.controller.cli.commands.fake_board")
    with subprocess.Popen(
        (*command, str(programmer), made.hex()), stdout=subprocess.PIPE, text=True
    ) as board:
        assert board.stdout is not None
        yield Desk(board.stdout.readline().strip(), programmer, programmer / "keys")
        board.kill()
