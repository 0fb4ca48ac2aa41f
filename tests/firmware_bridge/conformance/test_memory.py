"""Tests what the firmware keeps in its EEPROM, and how it handles a damaged EEPROM."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from config.loader import load_table
from firmware_bridge.board import Edges, FaultCode
from firmware_bridge.boards import encoding as words
from firmware_bridge.commissioning.provisioning import PLACE, eeprom, image
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim.host_session import HostSession
from firmware_bridge.wire.challenge import verified
from firmware_bridge.wire.codec import REPLIES, Decoder, Frame, configuration_crc
from firmware_bridge.wire.codes import Refusal
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


def refuses_every_session(chip: VirtualChip, serial: bytes, key: bytes = bytes(16)) -> None:
    """Check that the board names itself so, and that a host with this key has no session."""
    chip.reset()
    host = Host(chip, key)
    identity = host.identify()
    assert identity.serial == serial
    assert verified(key, 0, (1).to_bytes(8, "big"), identity) is not None
    for frame in (
        host._session.authenticate(identity),
        *map(host._session.command, (*RECORDS, TakeLease(1000), Set(NAMES.index("drum"), 1000))),
    ):
        chip.receive(frame)
        chip.advance(2000)
    assert not [frame for frame in Decoder().feed(chip.sent()) if host._is_reply(frame)]
    assert chip.output(BASE.channels["drum"].pin) == -1, "no pin is driven"


def test_a_board_that_was_never_provisioned_says_so_and_begins_no_session(library: Path) -> None:
    chip = VirtualChip(library, b"", b"", 0)
    refuses_every_session(chip, b"UNSET000")
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


def test_a_board_whose_two_copies_are_damaged_says_so_and_begins_no_session(host: Host) -> None:
    """The key of 16 zero bytes, which everybody knows, must not drive a motor."""
    host.rest()
    for place in (PLACE, SECOND_PLACE):
        host.chip.write_eeprom(place + 5, b"\x00")
    refuses_every_session(host.chip, b"DAMAGED0")
    host.chip.write_eeprom(0, eeprom("MEMORY02", KEY, 0).ljust(LOG, b"\xff"))
    host.chip.reset()
    again = Host(host.chip)
    assert again.open().serial == b"MEMORY02", "provisioning is the cure"
    assert again.ask(SelfTest()) == Value(0)


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


WRAPS_US = (1 << 31, 1 << 32)
"""Where the signed difference of two times, and the clock itself, wraps: 36 and 71 minutes."""


@pytest.mark.parametrize("wrap", WRAPS_US)
@pytest.mark.parametrize("after", [-30, 600])
@pytest.mark.parametrize("moves", [False, True])
def test_counts_at_rest_are_saved_however_long_the_board_has_rested_or_moved(
    host: Host, wrap: int, after: int, moves: bool
) -> None:
    """Tiles that a person takes while the table rests, and after motors that ran for an hour."""
    host.begin()
    host.rest()
    if moves:
        host.ask(TakeLease(65_000))
        left = wrap + after * 1_000_000
        assert host.ask(Set(NAMES.index("drum"), 1000)) == Ok()
        while left > 0:
            host.ask(TakeLease(65_000))
            host.ask(Set(NAMES.index("drum"), 1000))
            host.chip.rest(60_000_000, step=500_000)
            left -= 60_000_000
        host.ask(Set(NAMES.index("drum"), 0))
    else:
        host.chip.rest(wrap + after * 1_000_000, step=500_000)
    host.tiles(3)
    host.chip.rest(25_000_000)
    host.chip.cut_after(0, 1)  # without a warning
    host.chip.reset()
    host.begin()
    assert host.ask(Count(COUNTER)) == Value(3)


def test_a_reset_with_a_low_supply_writes_nothing(host: Host) -> None:
    host.begin()
    host.tiles(2)
    before = host.chip.operations
    host.chip.supply(600)  # 3.0 V
    host.chip.reset(cause=2)
    assert host.chip.operations == before
    host.chip.supply(1000)
    host.chip.advance(600_000)
    host.begin()
    assert host.ask(Count(COUNTER)) == Value(0), "what was not saved is lost, and nothing else"


def test_a_save_after_a_reset_ends_although_a_cell_is_worn_out(host: Host) -> None:
    """No watchdog runs then: a board that waited for the cell would never start again."""
    host.begin()
    host.rest()
    while host.chip.eeprom()[LOG + PAGE - 9 : LOG + PAGE - 8] == b"\xff":
        host.chip.reset()
    host.chip.storage_times(1800, 1800)
    host.chip.wear_out(LOG + PAGE + 100)
    host.chip.write_eeprom(LOG + PAGE + 100, b"\x00")
    host.begin()
    host.tiles(1)
    host.chip.reset(cause=3)
    host.chip.rest(6_000_000)
    host._session.counter = 0
    host.chip.receive(host._session.identify(b"worn out"))
    host.chip.advance(2000)
    replies = [frame.message for frame in Decoder().feed(host.chip.sent())]
    assert Refused(Refusal.NOT_STORED, NONE) in replies, "a fault that the host reports"


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
        chip.write_eeprom(0, (content * EEPROM_SIZE)[:EEPROM_SIZE])
        refuses_every_session(chip, b"DAMAGED0")
        chip.write_eeprom(0, eeprom("MEMORY01", KEY, 0).ljust(LOG, b"\xff"))
        chip.reset()
        host = Host(chip)
        host.begin()
        assert host.ask(Count(COUNTER)) == Value(0)
        assert host.ask(Recall(WHEEL)) == Recalled(0, 255, 0, 0)
        assert host.ask(SelfTest()) == Value(0)
        chip.close()
