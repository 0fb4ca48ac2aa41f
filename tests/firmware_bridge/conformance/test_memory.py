"""What is in a board's EEPROM, sound or not, as only the firmware has one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from config.loader import load_table
from firmware_bridge.board import Edges, FaultCode
from firmware_bridge.boards import encoding as words
from firmware_bridge.commissioning.provisioning import image
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.wire.codec import COMMANDS, Decoder, Frame, configuration_crc, encode
from firmware_bridge.wire.messages import (
    NONE,
    PROTOCOL,
    Clear,
    Commit,
    Count,
    Faulted,
    Identify,
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
from firmware_bridge.wire.session_security import proves
from tests.firmware_bridge.firmware.virtual_chip import EEPROM_SIZE, VirtualChip

TABLE = load_table("robotic")
BASE = TABLE.boards["base"]
RECORDS = words.records(BASE, words.flags_of(TABLE))
NAMES = list(BASE.channels)
COUNTER, COUNTER_PIN = NAMES.index("head0_counter"), 54
WHEEL = NAMES.index("head0_wheel")
LID_KEY_PIN = 50
# firmware_bridge/firmware/core/memory.c
COUNTS_AT, COUNTS_SIZE = 64, 6
RESTS_AT = 1920
NOT_PROVISIONED, TABLE_DAMAGED = 2, 1


class Host:
    """Talks to one firmware, in order, without losses."""

    def __init__(self, chip: VirtualChip) -> None:
        self.chip = chip
        self.events: list[Message] = []
        self._decoder = Decoder()
        self._sequence = 0
        self._nonce = 0

    def ask(self, message: Message) -> Message:
        """Its reply; what it tells besides is kept in `events`."""
        sequence = self._sequence
        self._sequence = (sequence + 1) & 0xFF
        self.chip.receive(encode(0, sequence, message))
        self.chip.advance(2000)
        frames = self._decoder.feed(self.chip.sent())
        (reply,) = [f for f in frames if f.sequence == sequence and self._is_reply(f)]
        self.events += [f.message for f in frames if f is not reply]
        return reply.message

    def identify(self) -> Identity:
        self._nonce += 1
        identity = self.ask(Identify(PROTOCOL, self._nonce.to_bytes(8, "big")))
        assert isinstance(identity, Identity)
        return identity

    def begin(self) -> None:
        self.identify()
        for record in RECORDS:
            assert self.ask(record) == Ok()
        assert self.ask(Commit(len(RECORDS), configuration_crc(RECORDS))) == Ok()
        assert self.ask(TakeLease(60_000)) == Ok()

    def tiles(self, count: int) -> None:
        """So many tiles pass the counter of head 1."""
        for _ in range(count):
            for high in (False, True):
                self.chip.pin(COUNTER_PIN, high)
                self.chip.advance(5000)

    def rest(self) -> None:
        """Long enough for everything to be saved."""
        self.chip.advance(600_000)

    @staticmethod
    def _is_reply(frame: Frame) -> bool:
        return type(frame.message) not in COMMANDS and not isinstance(frame.message, Faulted)


@pytest.fixture
def host(library: Path) -> Iterator[Host]:
    """The host of a board that has been provisioned and switched on."""
    chip = VirtualChip(library, b"MEMORY01", KEY, 0)
    chip.reset()
    yield Host(chip)
    chip.close()


def test_a_board_that_was_never_provisioned_says_so_and_proves_nothing(library: Path) -> None:
    chip = VirtualChip(library, b"", b"", 0)
    chip.reset()
    host = Host(chip)
    identity = host.identify()
    assert identity.serial == b"UNSET000"
    assert not proves(identity, (1).to_bytes(8, "big"), KEY)
    assert host.ask(SelfTest()) == Value(NOT_PROVISIONED)
    chip.close()


def test_a_provisioning_with_any_byte_damaged_is_none(host: Host) -> None:
    sound = image("MEMORY01", KEY, 0)
    for at, byte in enumerate(sound):
        host.chip.write_eeprom(0, sound)
        host.chip.write_eeprom(at, bytes([byte ^ 0x40]))
        host.chip.reset()
        assert host.identify().serial == b"UNSET000", f"byte {at}"


def test_every_start_is_counted(host: Host) -> None:
    assert host.identify().boots == 1
    for boots in (2, 3, 4):
        host.chip.reset()
        assert host.identify().boots == boots


def test_counts_are_saved_while_nothing_moves(host: Host) -> None:
    host.begin()
    host.tiles(3)
    host.rest()
    host.chip.reset(cause=3)
    host.begin()
    assert host.ask(Count(COUNTER)) == Value(3)


@pytest.mark.parametrize(("cause", "known"), [(0, 0), (1, 2), (2, 2), (3, 2), (4, 2)])
def test_what_moves_as_a_board_hangs_is_known_to_the_last_tile_but_after_a_lost_supply(
    host: Host, cause: int, known: int
) -> None:
    host.begin()
    drive = words.drive(WHEEL, 900, Edges("head0_counter", 5), 60.0, NAMES.index)
    assert host.ask(drive) == Ok()
    host.tiles(2)
    host.chip.reset(cause=cause)
    host.begin()
    assert host.ask(Count(COUNTER)) == Value(known)
    recalled = host.ask(Recall(WHEEL))
    assert isinstance(recalled, Recalled)
    assert recalled.count == known
    assert (recalled.elapsed_us > 20_000) is bool(known)


def test_a_damaged_count_begins_at_nothing_and_harms_no_other(host: Host) -> None:
    host.begin()
    host.tiles(3)
    host.chip.pin(LID_KEY_PIN, False)
    host.rest()
    host.chip.power_off()
    place = COUNTS_AT + COUNTER_PIN * COUNTS_SIZE
    saved = host.chip.eeprom()[place]
    host.chip.write_eeprom(place + 1, bytes([0x77]))
    assert saved == host.chip.eeprom()[place]
    host.chip.reset()
    host.begin()
    assert host.ask(Count(COUNTER)) == Value(0)
    assert host.ask(Count(NAMES.index("lid_key"))) == Value(1)
    host.tiles(1)
    assert host.ask(Count(COUNTER)) == Value(1)


def test_a_sound_table_lets_its_outputs_rest_before_the_host_is_there(host: Host) -> None:
    assert host.chip.output(4) == -1
    host.begin()
    host.rest()
    host.chip.power_off()
    host.chip.reset()
    assert host.chip.output(4) == 0
    assert host.identify().configuration_crc == 0, "no table is in force"


def test_a_damaged_table_is_a_fault_and_moves_no_pin(host: Host) -> None:
    host.begin()
    host.rest()
    host.chip.power_off()
    host.chip.write_eeprom(RESTS_AT + 4, bytes([host.chip.eeprom()[RESTS_AT + 4] ^ 1]))
    host.chip.reset()
    assert host.chip.output(4) == -1
    host.begin()
    told = {event.code for event in host.events if isinstance(event, Faulted)}
    assert told == {FaultCode.CONFIGURATION}
    assert host.ask(Set(NAMES.index("drum"), 100)) == Refused(Refusal.FAULT_LATCHED, NONE)
    assert host.ask(Clear()) == Ok()
    assert host.ask(Set(NAMES.index("drum"), 100)) == Ok()


def test_an_eeprom_full_of_nonsense_is_a_board_without_a_past(library: Path) -> None:
    for nonsense in (b"\x00", b"\x55", b"\xa5\x3c", bytes(range(1, 252))):
        chip = VirtualChip(library, b"MEMORY01", KEY, 0)
        provisioned = len(image("MEMORY01", KEY, 0))
        filled = (nonsense * EEPROM_SIZE)[provisioned:EEPROM_SIZE]
        chip.write_eeprom(provisioned, filled)
        chip.reset()
        host = Host(chip)
        host.begin()
        assert host.ask(Count(COUNTER)) == Value(0)
        assert host.ask(Recall(WHEEL)) == Recalled(0, 255, 0, 0)
        assert host.ask(SelfTest()) == Value(0)
        chip.close()
