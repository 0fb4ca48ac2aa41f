"""The file of keys: who may read it, what is in it, and which boards are believed without."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from firmware_bridge.commissioning.device_keys import (
    DeviceKeys,
    KeysError,
    MissingKeyError,
    default_file,
)
from firmware_bridge.executor.virtual_board import KEY


def test_a_key_that_was_put_on_file_is_there_tomorrow_and_closed_to_others(tmp_path: Path) -> None:
    file = tmp_path / "wallwright" / "keys"
    DeviceKeys(file).remember("WALL0002", bytes(range(16)))
    DeviceKeys(file).remember("WALL0001", bytes(range(32)))
    keys = DeviceKeys(file)
    assert (keys.of("WALL0001"), keys.of("WALL0002")) == (bytes(range(32)), bytes(range(16)))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [each.name for each in file.parent.iterdir()] == ["keys"]


def test_simulated_boards_are_believed_without_a_file_and_no_other(tmp_path: Path) -> None:
    for keys in (DeviceKeys.none(), DeviceKeys(tmp_path / "none")):
        assert keys.of("SIM00001") == KEY
        with pytest.raises(MissingKeyError, match="there is no key for the board WALL0001 in"):
            keys.of("WALL0001")
        with pytest.raises(MissingKeyError, match="never provisioned"):
            keys.of("UNSET000")


@pytest.mark.parametrize(
    "line", ["WALL0001", "WALL1 " + "00" * 16, "WALL0001 " + "00" * 15, "WALL0001 zz"]
)
def test_a_line_that_is_no_key_is_named_with_its_number(tmp_path: Path, line: str) -> None:
    file = tmp_path / "keys"
    file.write_text(f"# of the club\n\n{line}\n")
    file.chmod(0o600)
    with pytest.raises(KeysError, match=r"keys:3: no serial number"):
        DeviceKeys(file)


def test_keys_that_cannot_be_kept_are_told_with_the_option(tmp_path: Path) -> None:
    keys = DeviceKeys(tmp_path / "folder" / "keys")
    (tmp_path / "folder").touch()  # which is a file
    with pytest.raises(KeysError, match="name another file with --keys"):
        keys.require_writable()


def test_keys_are_where_xdg_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert default_file() == tmp_path / "wallwright" / "keys"
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative/is/ignored")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_file() == tmp_path / ".config" / "wallwright" / "keys"
