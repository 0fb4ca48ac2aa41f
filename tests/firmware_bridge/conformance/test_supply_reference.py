"""Tests that a board keeps the reference by which it measures its supply, whatever fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.commissioning.provisioning import (
    REFERENCE_PLACE,
    image,
    reference_record,
    with_limits,
    without_reference,
)
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.wire.limits import BoardLimits
from firmware_bridge.wire.messages import ReadSupply, Supply
from tests.firmware_bridge.conformance.test_memory import Host
from tests.firmware_bridge.firmware.virtual_chip import VirtualChip

SECOND = 184
SIZE = 5
"""Bytes of a copy: version, reference and CRC."""
OLD, NEW = 1087, 1130
WRITE_US = 1800
ERASED = b"\xff" * SIZE


@pytest.fixture
def chip(library: Path) -> Iterator[VirtualChip]:
    """Return a provisioned board that was never calibrated."""
    board = VirtualChip(library, b"SUPPLY01", KEY, 0)
    yield board
    board.close()


def record(reference_mv: int) -> bytes:
    return reference_record(reference_mv)[:SIZE]


def write(chip: VirtualChip, first: bytes, second: bytes) -> None:
    chip.write_eeprom(REFERENCE_PLACE, first)
    chip.write_eeprom(SECOND, second)


def reference_of(chip: VirtualChip) -> int:
    """Start the board; return the reference that it reports. It must begin a session."""
    chip.reset()
    host = Host(chip)
    host.open()
    reply = host.ask(ReadSupply())
    assert isinstance(reply, Supply)
    assert reply.measured_mv == 4457, "the middle of 1000 permille"
    return reply.reference_mv


def test_a_reference_is_used_if_the_data_sheet_permits_it(chip: VirtualChip) -> None:
    assert reference_of(chip) == 0, "not calibrated"
    for reference_mv, used in ((999, 0), (1000, 1000), (1200, 1200), (1201, 0), (0, 0)):
        write(chip, record(reference_mv), ERASED)
        assert reference_of(chip) == used


def test_a_board_that_is_provisioned_again_keeps_its_reference(chip: VirtualChip) -> None:
    write(chip, record(OLD), record(OLD))
    data = with_limits(image("SUPPLY02", KEY, 0), BoardLimits(1000, 1000))
    for at, piece in without_reference(data).items():
        chip.write_eeprom(at, piece)
    assert reference_of(chip) == OLD


def test_the_reference_survives_damage_of_any_byte_of_either_copy(chip: VirtualChip) -> None:
    sound = record(OLD)
    for place in (REFERENCE_PLACE, SECOND):
        for at in range(SIZE):
            write(chip, sound, sound)
            chip.write_eeprom(place + at, bytes([sound[at] ^ 0x10]))
            assert reference_of(chip) == OLD
            chip.rest(100_000)
            for copy in (REFERENCE_PLACE, SECOND):
                assert chip.eeprom()[copy : copy + SIZE] == sound, "the damaged copy is repaired"
    write(chip, b"\x01" * SIZE, b"\x01" * SIZE)
    assert reference_of(chip) == 0, "the nominal reference; the board still works"


@pytest.mark.parametrize(("before", "old"), [(ERASED, 0), (record(OLD), OLD)])
def test_a_power_cut_while_the_reference_is_written_leaves_the_old_or_the_new_one(
    before: bytes, old: int, chip: VirtualChip
) -> None:
    new = record(NEW)
    for written in range(SIZE):
        for interrupted in (0xFF, 0x00, 0xA5, before[written], new[written]):
            partial = new[:written] + bytes([interrupted]) + before[written + 1 :]
            write(chip, partial, before)
            assert reference_of(chip) == (NEW if partial == new else old)


def test_a_power_cut_while_the_board_copies_a_new_reference_leaves_the_new_one(
    chip: VirtualChip,
) -> None:
    cuts = set()
    for operations in range(24):  # the number of the start is stored meanwhile
        write(chip, record(NEW), record(OLD))
        chip.storage_times(WRITE_US, WRITE_US)
        chip.reset()
        chip.cut_after(operations, seed=operations)
        chip.advance(100_000)
        cuts.add(chip.eeprom()[SECOND : SECOND + SIZE])
        chip.storage_times(0, 0)
        assert reference_of(chip) == NEW, operations
        chip.rest(100_000)
        assert chip.eeprom()[SECOND : SECOND + SIZE] == record(NEW)
    assert len(cuts - {record(OLD), record(NEW)}) > SIZE, "cut in the middle of the second copy"
