"""Tests what the firmware keeps in its EEPROM, and how it handles a damaged EEPROM."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from config.loader import load_table
from firmware_bridge.board import Edges, FaultCode
from firmware_bridge.boards import encoding as words
from firmware_bridge.commissioning.provisioning import PLACE, image
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim.host_session import HostSession
from firmware_bridge.wire.challenge import verified
from firmware_bridge.wire.codec import REPLIES, Decoder, Frame, configuration_crc
from firmware_bridge.wire.messages import (
    NONE,
    Clear,
    Commit,
    Count,
    Faulted,
    Identity,
    Message,
    Ok,
    Recall,
    Recalled,
    Refusal,
    Refused,
    SelfTest,
    Set,
    TakeLease,
    Value,
)
from tests.firmware_bridge.firmware.virtual_chip import EEPROM_SIZE, VirtualChip

TABLE = load_table("robotic")
BASE = TABLE.boards["base"]
RECORDS = words.records(BASE, words.flags_of(TABLE))
NAMES = list(BASE.channels)
COUNTER, COUNTER_PIN = NAMES.index("head0_counter"), 54
WHEEL = NAMES.index("head0_wheel")
LID_KEY_PIN = 50
# These addresses are defined in firmware_bridge/firmware/avr/eeprom.c.
SECOND_PLACE = 128
LOG, PAGE = 256, 1920
SIZE = len(image("MEMORY01", KEY, 0))
NOT_PROVISIONED, TABLE_DAMAGED = 2, 1


class Host:
    """Sends commands to one firmware, in order, over a line without losses."""

    def __init__(self, chip: VirtualChip, key: bytes = KEY) -> None:
        self.chip = chip
        self.events: list[Message] = []
        self._decoder = Decoder()
        self._session = HostSession(0, key)
        self._nonce = 0

    def ask(self, message: Message) -> Message:
        """Send a command and return its reply; events that arrive meanwhile go to `events`."""
        return self._ask(self._session.sequence, self._session.command(message))

    def _ask(self, sequence: int, data: bytes) -> Message:
        self.chip.receive(data)
        self.chip.advance(2000)
        frames = self._decoder.feed(self.chip.sent())
        (reply,) = [f for f in frames if f.sequence == sequence and self._is_reply(f)]
        self.events += [f.message for f in frames if f is not reply]
        return reply.message

    def identify(self) -> Identity:
        self._nonce += 1
        sequence = self._session.sequence
        identity = self._ask(sequence, self._session.identify(self._nonce.to_bytes(8, "big")))
        assert isinstance(identity, Identity)
        return identity

    def open(self) -> Identity:
        """Begin a session; return the identity of the board."""
        identity = self.identify()
        sequence = self._session.sequence
        assert self._ask(sequence, self._session.authenticate(identity)) == Ok()
        return identity

    def begin(self) -> None:
        self.open()
        for record in RECORDS:
            assert self.ask(record) == Ok()
        assert self.ask(Commit(len(RECORDS), configuration_crc(RECORDS))) == Ok()
        assert self.ask(TakeLease(60_000)) == Ok()

    def tiles(self, count: int) -> None:
        """Let this many tiles pass the counter of head 1."""
        for _ in range(count):
            for high in (False, True):
                self.chip.pin(COUNTER_PIN, high)
                self.chip.advance(5000)

    def rest(self) -> None:
        """Wait 3 s, in which the firmware saves the safe levels of a new table."""
        self.chip.rest(3_000_000)

    @staticmethod
    def _is_reply(frame: Frame) -> bool:
        return type(frame.message) in REPLIES


@pytest.fixture
def host(library: Path) -> Iterator[Host]:
    """Return the host of a board that has been provisioned and powered on."""
    chip = VirtualChip(library, b"MEMORY01", KEY, 0)
    chip.reset()
    yield Host(chip)
    chip.close()


def test_a_board_that_was_never_provisioned_reports_it_and_has_no_proof(library: Path) -> None:
    chip = VirtualChip(library, b"", b"", 0)
    chip.reset()
    host = Host(chip, bytes(16))
    identity = host.open()
    assert identity.serial == b"UNSET000"
    assert verified(KEY, 0, (1).to_bytes(8, "big"), identity) is None
    assert host.ask(SelfTest()) == Value(NOT_PROVISIONED)
    chip.close()


def test_the_identity_survives_damage_of_any_byte_of_either_copy(host: Host) -> None:
    host.rest()
    sound = host.chip.eeprom()[PLACE : PLACE + SIZE]
    for place in (PLACE, SECOND_PLACE):
        for at in range(SIZE):
            host.chip.write_eeprom(place + at, bytes([sound[at] ^ 0x40]))
            host.chip.reset()
            assert host.identify().serial == b"MEMORY01", f"byte {at} of the copy at {place}"
            host.rest()
            for copy in (PLACE, SECOND_PLACE):
                assert host.chip.eeprom()[copy : copy + SIZE] == sound, f"byte {at} at {place}"


def test_a_board_whose_two_copies_are_damaged_counts_as_not_provisioned(host: Host) -> None:
    for place in (PLACE, SECOND_PLACE):
        host.chip.write_eeprom(place + 5, b"\x00")
    host.chip.reset()
    unset = Host(host.chip, bytes(16))
    assert unset.open().serial == b"UNSET000"
    assert unset.ask(SelfTest()) == Value(NOT_PROVISIONED)


def test_a_board_provisioned_by_version_0_1_keeps_its_identity_and_its_starts(
    library: Path,
) -> None:
    chip = VirtualChip(library, b"", b"", 0)
    chip.write_eeprom(0, image("OLDBOARD", KEY, 0))
    chip.write_eeprom(48, (1234).to_bytes(2, "little"))
    chip.write_eeprom(64, bytes(range(1, 200)) * 8)  # what it kept there
    chip.reset()
    host = Host(chip)
    identity = host.identify()
    assert (identity.serial, identity.boots) == (b"OLDBOARD", 1235)
    chip.rest(20_000_000)  # its old state is erased
    assert chip.eeprom()[:SIZE] == b"\xff" * SIZE, "the key is left at address 0"
    chip.reset()
    identity = host.identify()
    assert (identity.serial, identity.boots) == (b"OLDBOARD", 1236)
    assert verified(KEY, 0, (3).to_bytes(8, "big"), host.identify())
    chip.close()


def test_a_new_identity_from_the_programmer_replaces_both_copies(host: Host) -> None:
    host.rest()
    host.chip.write_eeprom(PLACE, image("NEWNAME1", KEY, 0))
    host.chip.reset()
    host.rest()
    assert host.chip.eeprom()[SECOND_PLACE : SECOND_PLACE + SIZE] == image("NEWNAME1", KEY, 0)


def test_every_start_is_counted(host: Host) -> None:
    assert host.identify().boots == 1
    host.rest()
    for boots in (2, 3, 4):
        host.chip.reset()
        assert host.identify().boots == boots


def test_counts_are_saved_at_rest_every_20_seconds(host: Host) -> None:
    host.begin()
    host.tiles(3)
    host.chip.rest(41_000_000)
    before = host.chip.operations
    host.chip.rest(60_000_000)
    assert host.chip.operations == before, "nothing has changed"
    host.tiles(2)
    host.chip.rest(10_000_000)
    host.chip.cut_after(0, 1)
    host.chip.reset()
    host.begin()
    assert host.ask(Count(COUNTER)) in (Value(3), Value(5))
    host.tiles(1)
    host.chip.rest(41_000_000)
    host.chip.reset()
    host.begin()
    assert host.ask(Count(COUNTER)) == Value(6)


@pytest.mark.parametrize(("cause", "counted"), [(0, 0), (1, 2), (2, 2), (3, 2), (4, 2)])
def test_a_reset_during_a_drive_keeps_its_count_unless_the_supply_was_lost(
    host: Host, cause: int, counted: int
) -> None:
    host.begin()
    drive = words.drive(WHEEL, 900, Edges("head0_counter", 5), 60.0, NAMES.index)
    assert host.ask(drive) == Ok()
    host.tiles(2)
    host.chip.reset(cause=cause)
    host.begin()
    assert host.ask(Count(COUNTER)) == Value(counted)
    recalled = host.ask(Recall(WHEEL))
    assert isinstance(recalled, Recalled)
    assert recalled.count == counted
    assert (recalled.elapsed_us > 20_000) is bool(counted)


def test_outputs_are_at_their_saved_safe_levels_before_a_host_connects(host: Host) -> None:
    assert host.chip.output(4) == -1
    host.begin()
    host.rest()
    host.chip.power_off()
    host.chip.reset()
    assert host.chip.output(4) == 0
    assert host.identify().configuration_crc == 0, "no table is in force"


def test_a_log_that_is_damaged_at_its_beginning_is_a_fault_and_drives_no_pin(host: Host) -> None:
    host.begin()
    host.rest()
    host.chip.power_off()
    for page in (LOG, LOG + PAGE):
        host.chip.write_eeprom(page + 8, b"\x00\x00")
    host.chip.reset()
    assert host.chip.output(4) == -1
    host.begin()
    faults = {event.code for event in host.events if isinstance(event, Faulted)}
    assert faults == {FaultCode.CONFIGURATION}
    assert host.ask(Set(NAMES.index("drum"), 100)) == Refused(Refusal.FAULT_LATCHED, NONE)
    assert host.ask(Clear()) == Ok()
    assert host.ask(Set(NAMES.index("drum"), 100)) == Ok()


def test_an_eeprom_with_random_content_is_a_board_without_saved_state(library: Path) -> None:
    for content in (b"\x00", b"\x55", b"\xa5\x3c", bytes(range(1, 252))):
        chip = VirtualChip(library, b"MEMORY01", KEY, 0)
        chip.write_eeprom(PLACE + SIZE, (content * EEPROM_SIZE)[PLACE + SIZE : EEPROM_SIZE])
        chip.reset()
        host = Host(chip)
        host.begin()
        assert host.ask(Count(COUNTER)) == Value(0)
        assert host.ask(Recall(WHEEL)) == Recalled(0, 255, 0, 0)
        assert host.ask(SelfTest()) == Value(0)
        chip.close()
