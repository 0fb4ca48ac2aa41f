"""Tests UF2 files, and flashing a Pico with a folder in place of its drive."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_bridge.commissioning import pico_flashing
from firmware_bridge.commissioning.flashing import FlashingError
from firmware_bridge.commissioning.pico_flashing import INFO, drives, flash
from firmware_bridge.commissioning.pico_storage import SECTOR, SIZE, STORAGE, storage_from
from firmware_bridge.commissioning.provisioning import PLACE, image
from firmware_bridge.commissioning.uf2 import BLOCK, FLASH, parts, uf2

PROGRAM = bytes(range(256)) * 2 + b"end"


def test_a_uf2_file_contains_the_program_at_its_addresses() -> None:
    file = uf2(PROGRAM)
    assert len(file) == 3 * BLOCK
    assert [at for at, _ in parts(file)] == [FLASH, FLASH + 256, FLASH + 512]
    assert b"".join(data for _, data in parts(file)).startswith(PROGRAM)


def test_a_uf2_block_has_the_layout_of_the_specification() -> None:
    block = uf2(b"\x5a" * 256)
    words = [int.from_bytes(block[at : at + 4], "little") for at in range(0, 32, 4)]
    assert words == [0x0A324655, 0x9E5D5157, 0x2000, 0x10000000, 256, 0, 1, 0xE48BFF56]
    assert block[32:288] == b"\x5a" * 256
    assert block[288:508] == bytes(220)
    assert block[508:] == bytes.fromhex("306fb10a")


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        (b"", "blocks of 512"),
        (uf2(PROGRAM)[:-1], "blocks of 512"),
        (b"\0" * BLOCK, "not a UF2 block"),
        (uf2(PROGRAM, family=1), "family 00000001"),
        (uf2(PROGRAM)[BLOCK:], "not at its position"),
    ],
)
def test_a_file_that_is_damaged_or_for_another_chip_is_refused(file: bytes, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        list(parts(file))


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    file = tmp_path / "wallwright-rp2040.uf2"
    file.write_bytes(uf2(PROGRAM))
    monkeypatch.setattr(pico_flashing, "UF2", file)
    monkeypatch.setattr(pico_flashing, "drives", list)
    monkeypatch.setenv("PATH", str(tmp_path))
    return file.read_bytes()


def drive_at(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / INFO).write_text("UF2 Bootloader v3.0\nModel: Raspberry Pi RP2\n")
    return folder


def test_a_pico_is_flashed_by_its_drive(built: bytes, tmp_path: Path) -> None:
    drive = drive_at(tmp_path / "media" / "me" / "RPI-RP2")
    assert drives(tmp_path) == [drive]
    assert flash(str(drive)) == f"by its drive {drive}"
    assert (drive / "wallwright-rp2040.uf2").read_bytes() == built


def test_a_folder_that_is_no_pico_is_refused(built: bytes, tmp_path: Path) -> None:
    with pytest.raises(FlashingError, match="not the drive of a Pico"):
        flash(str(tmp_path))
    assert list(tmp_path.glob("*.uf2")) == [tmp_path / "wallwright-rp2040.uf2"]


def test_without_a_drive_and_without_picotool_the_next_step_is_named(built: bytes) -> None:
    with pytest.raises(FlashingError, match="hold BOOTSEL"):
        flash(None)


def test_of_several_drives_one_must_be_named(
    built: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pico_flashing, "drives", lambda: [tmp_path / "a", tmp_path / "b"])
    with pytest.raises(FlashingError, match="several drives"):
        flash(None)


def written(flash: bytearray, file: bytes) -> bytes:
    """The flash after the bootloader has written a file: it erases each sector that it writes."""
    erased: set[int] = set()
    for at, data in parts(file):
        sector = (at - FLASH) // SECTOR
        if sector not in erased:
            erased.add(sector)
            flash[sector * SECTOR : (sector + 1) * SECTOR] = b"\xff" * SECTOR
        flash[at - FLASH : at - FLASH + len(data)] = data
    return bytes(flash)


def test_a_provisioned_pico_has_the_new_identity_and_nothing_of_its_old_storage() -> None:
    data = image("PICO0001", bytes(range(32)), 3)
    old = pico_flashing.provisioning_file(image("PICO0009", b"old key of a Pico", 1))
    flash = bytearray(b"\x5a" * 0x200000)
    written(flash, old)
    log_of_first_bank = STORAGE + 256 + SIZE
    flash[log_of_first_bank : log_of_first_bank + 4] = bytes.fromhex("40000511")
    newer = STORAGE + 3 * 0x10000
    flash[newer : newer + 8] = bytes.fromhex("5757090000000000")
    after = written(flash, pico_flashing.provisioning_file(data))
    content = storage_from(after[STORAGE:])
    assert content[PLACE : PLACE + len(data)] == data
    assert set(content[:PLACE] + content[PLACE + len(data) :]) == {0xFF}
    assert after[:STORAGE] == b"\x5a" * STORAGE, "the program is left as it is"


def test_a_pico_is_provisioned_by_its_drive(tmp_path: Path) -> None:
    drive = drive_at(tmp_path / "RPI-RP2")
    data = image("PICO0001", bytes(16), 0)
    assert pico_flashing.provision(str(drive), data) == f"by its drive {drive}"
    assert (drive / "identity.uf2").read_bytes() == pico_flashing.provisioning_file(data)
