"""Tests that no session of a board is accepted a second time, however often and however it starts.

A session's keys depend on the board's nonce, and the nonce on the number of the start. The board
stores that number before it answers an `Identify`.
"""

from __future__ import annotations

import random
from binascii import crc_hqx
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from firmware_bridge.board import FaultCode
from firmware_bridge.commissioning.provisioning import PLACE, eeprom, image
from firmware_bridge.executor.virtual_board import FIRST_START, KEY
from firmware_bridge.sim.host_session import HostSession
from firmware_bridge.wire.challenge import verified
from firmware_bridge.wire.codec import Decoder
from firmware_bridge.wire.codes import Refusal
from firmware_bridge.wire.messages import NONE, Faulted, Identity, Ok, Refused, Started
from firmware_bridge.wire.session_security import board_nonce
from tests.firmware_bridge.conformance.test_memory import LOG, PAGE, SECOND_PLACE, Host
from tests.firmware_bridge.firmware.virtual_chip import EEPROM_SIZE, VirtualChip
from tests.quick import tries

SERIAL = b"STARTS01"
RESERVATIONS = (112, 176)
RESERVED = 1024
"""Numbers that a board reserves at a time."""
RESERVATION_SIZE = 7
MILLISECOND = 1000
WRITE_US = 1800
EXTERNAL = 1
"""The cause of a reset by DTR."""
STARTS_16, STARTS = b"\x04", b"\x06"
"""The first byte of the log's items with the number of starts, of 16 and of 32 bits."""
HOLD_US = 110_000
"""Microseconds after which answered challenges make room for others."""
PATIENCE = 12_000
"""Milliseconds in which a board begins a session, page and reservation included."""


class RecordedSession(NamedTuple):
    """The frames of a host, as a device on the line has recorded them, and the board's nonce."""

    identify: bytes
    authenticate: bytes
    nonce: bytes


@pytest.fixture
def chip(library: Path) -> Iterator[VirtualChip]:
    """Return a provisioned board that was never switched on."""
    board = VirtualChip(library, SERIAL, KEY, 0)
    yield board
    board.close()


def messages(chip: VirtualChip) -> list[object]:
    return [frame.message for frame in Decoder().feed(chip.sent())]


def is_proven(identity: object, nonce: bytes) -> bool:
    """Whether this is the answer to the `Identify` with this nonce, and not to an earlier one."""
    return isinstance(identity, Identity) and verified(KEY, 0, nonce, identity) is not None


def asked(
    chip: VirtualChip,
    data: bytes,
    is_answer: Callable[[object], bool],
    patience: int = PATIENCE,
) -> object | None:
    """Send a frame and wait for its answer; None if none comes or the power is cut."""
    chip.receive(data)
    for _ in range(patience):
        chip.advance(MILLISECOND)
        if chip.is_cut:
            return None
        for message in messages(chip):
            if is_answer(message):
                return message
    return None


def is_a(kind: type) -> Callable[[object], bool]:
    return lambda message: isinstance(message, kind)


def session(chip: VirtualChip, number: int) -> RecordedSession | None:
    """Begin a session as a host; None if the board does not accept it before the power is cut."""
    host = HostSession(0, KEY)
    nonce = number.to_bytes(8, "little")
    identify = host.identify(nonce)
    identity = asked(chip, identify, lambda answer: is_proven(answer, nonce))
    if not isinstance(identity, Identity):
        return None
    authenticate = host.authenticate(identity)
    if asked(chip, authenticate, is_a(Ok), patience=100) is None:
        return None
    return RecordedSession(identify, authenticate, identity.nonce)


def is_accepted(chip: VirtualChip, recorded: RecordedSession) -> bool:
    """Send the frames of a recorded session; return whether the board begins it."""
    chip.receive(recorded.identify)
    chip.advance(400)
    chip.receive(recorded.authenticate)
    chip.advance(400)
    return any(isinstance(message, Ok) for message in messages(chip))


@pytest.mark.slow
@pytest.mark.evidence
def test_no_recorded_session_is_accepted_in_any_later_start(chip: VirtualChip) -> None:
    """The full number is 65,536 * 2 starts: twice as many as a count of 16 bits has."""
    chance = random.Random(1)
    recorded: list[RecordedSession] = []
    nonces: set[bytes] = set()
    starts = tries(4000, quick=400, evidence=0x20000)
    for number in range(starts):
        chip.reset(EXTERNAL if number else 0)
        if recorded:
            for old in (recorded[0], recorded[-1], chance.choice(recorded)):
                assert not is_accepted(chip, old), f"start {number}"
        chip.rest(HOLD_US)
        new = session(chip, number)
        assert new is not None
        recorded.append(new)
        nonces.add(new.nonce)
    assert len(nonces) == starts, "so no start answers any recorded session as before"


# What the storage contains before the start


def page(number: int, body: bytes) -> bytes:
    """A page of the log, with one record that completes it."""
    numbered = number.to_bytes(4, "little")
    record = bytes([len(body) | 0x80]) + body
    header = numbered + crc_hqx(numbered, 0x5741).to_bytes(2, "little")
    return header + record + crc_hqx(record, crc_hqx(numbered, 0xFFFF)).to_bytes(2, "little")


def settled_eeprom(serial: str) -> bytes:
    """The storage of a provisioned board that starts without reserving numbers: the first start."""
    content = bytearray(eeprom(serial, KEY, 0).ljust(EEPROM_SIZE, b"\xff"))
    reservation = b"\x01" + (FIRST_START + RESERVED).to_bytes(4, "little")
    reservation += crc_hqx(reservation, 0xFFFF).to_bytes(2, "little")
    parts = [(each, reservation) for each in RESERVATIONS]
    parts.append((SECOND_PLACE, image(serial, KEY, 0)))
    parts.append((LOG, page(1, STARTS + FIRST_START.to_bytes(4, "little"))))
    for at, part in parts:
        content[at : at + len(part)] = part
    return bytes(content)


def new_board(chip: VirtualChip) -> None:
    """A board that was provisioned and never started."""


def board_of_16_bits(chip: VirtualChip) -> None:
    """A board whose earlier firmware has counted 65,535 starts: the next is 0 in 16 bits."""
    chip.write_eeprom(LOG, page(1, STARTS_16 + b"\xff\xff"))


def full_page(chip: VirtualChip) -> None:
    """The number of the next start does not fit into the page of the log."""
    chip.reset()
    assert session(chip, 77) is not None
    chip.advance(10 * MILLISECOND)
    while chip.eeprom()[LOG + PAGE - 9 : LOG + PAGE - 8] == b"\xff":
        chip.reset()
        chip.advance(MILLISECOND)
    chip.rest(4_000_000)


def last_of_a_reservation(chip: VirtualChip) -> None:
    """The next start has the first number that is not reserved."""
    for _ in range(RESERVED):
        chip.reset()


SITUATIONS = (new_board, board_of_16_bits, full_page, last_of_a_reservation)
Situation = Callable[[VirtualChip], None]


def cut_short(library: Path, before: Situation, first: int, second: int | None) -> int:
    """Cut the power after so many writes of a start, and of the next; return those of the first.

    A board that was cut starts again. It accepts no session that it has accepted before.
    """
    chip = VirtualChip(library, SERIAL, KEY, 0)
    before(chip)
    chip.storage_times(WRITE_US, WRITE_US)
    accepted: list[RecordedSession] = []
    began = chip.operations
    cuts = [first, None] if second is None else [first, second, None]
    for number, cut in enumerate(cuts):
        chip.reset()
        if cut is not None:
            chip.cut_after(cut, 7 * cut + 1)
        for old in accepted:
            assert not is_accepted(chip, old), f"cut after {first} and {second} writes"
        chip.rest(HOLD_US)
        new = session(chip, number)
        if new is not None:
            accepted.append(new)
        if number == 0:
            chip.rest(2_000_000)
            used = chip.operations - began
    assert new is not None, f"cut after {first} and {second} writes, the board begins no session"
    assert len({each.nonce for each in accepted}) == len(accepted)
    chip.close()
    return used


@pytest.mark.slow
@pytest.mark.evidence
@pytest.mark.parametrize("before", SITUATIONS, ids=lambda each: each.__name__)
def test_a_power_cut_at_every_write_of_a_start_lets_no_session_be_repeated(
    library: Path, before: Situation
) -> None:
    most = cut_short(library, before, 100_000, None)
    assert most > 5
    step = max(1, most // tries(30, quick=8, evidence=10_000))
    chance = random.Random(before.__name__)
    for first in range(0, most, step):
        for _ in range(tries(1, quick=1, evidence=3)):
            cut_short(library, before, first, chance.choice((None, *range(40))))


# Damage and migration


def number_of(chip: VirtualChip, most: int = 4 * RESERVED) -> int:
    """The number of this start, which the nonce of the first challenge shows."""
    answer = asked(chip, HostSession(0, KEY).identify(b"which no"), is_a(Identity))
    chip.rest(500_000)  # the number is put into the log
    assert isinstance(answer, Identity)
    numbers = range(FIRST_START, FIRST_START + 0x10000 + most)
    found = (n for n in numbers if board_nonce(KEY, SERIAL, n, 0) == answer.nonce)
    number = next(found)
    assert answer.boots == number & 0xFFFF
    return number


def test_a_board_that_counted_16_bits_goes_on_above_all_of_them(chip: VirtualChip) -> None:
    board_of_16_bits(chip)
    chip.reset()
    assert number_of(chip) == 0x20000, "0 in 16 bits, which that firmware has used"
    chip.reset()
    assert number_of(chip) == 0x20001


def test_a_board_that_loses_its_log_never_returns_to_a_number(chip: VirtualChip) -> None:
    for start in (1, 2):
        chip.reset()
        assert number_of(chip) == FIRST_START + start
    for again in (1, 2):
        for at in (LOG, LOG + PAGE):
            chip.write_eeprom(at + 8, b"\x00\x00")
        chip.reset()
        assert number_of(chip) == FIRST_START + 1 + again * RESERVED
        host = Host(chip)
        host.begin()
        assert {event.code for event in host.events if isinstance(event, Faulted)} == {
            FaultCode.CONFIGURATION
        }


def test_a_board_whose_earlier_firmware_ran_again_meanwhile_does_not_return_to_a_number(
    chip: VirtualChip,
) -> None:
    """That firmware drops what it does not know, and counts from 0."""
    chip.reset()
    assert number_of(chip) == FIRST_START + 1
    chip.write_eeprom(LOG, b"\xff" * 2 * PAGE)
    chip.write_eeprom(LOG, page(9, STARTS_16 + b"\x00\x00"))
    chip.reset()
    assert number_of(chip) == FIRST_START + 1 + RESERVED


@pytest.mark.parametrize("place", RESERVATIONS)
def test_damage_of_any_byte_of_a_reservation_costs_nothing(chip: VirtualChip, place: int) -> None:
    chip.reset()
    sound = chip.eeprom()[place : place + RESERVATION_SIZE]
    assert sound != b"\xff" * RESERVATION_SIZE
    for at in range(RESERVATION_SIZE):
        chip.write_eeprom(place + at, bytes([sound[at] ^ 0x21]))
        before = number_of(chip)
        chip.reset()
        chip.advance(10 * MILLISECOND)
        assert number_of(chip) == before + 1
        for each in RESERVATIONS:
            assert chip.eeprom()[each : each + RESERVATION_SIZE] == sound


def test_a_board_that_knows_no_new_number_says_so_and_begins_no_session(chip: VirtualChip) -> None:
    chip.reset()
    recorded = session(chip, 1)
    assert recorded is not None
    for at in (LOG, LOG + PAGE, *RESERVATIONS):
        chip.write_eeprom(at + 2, b"\x00\x00\x00")
    for _ in range(3):
        chip.reset()
        assert not is_accepted(chip, recorded)
        chip.advance(6000 * MILLISECOND)
        chip.sent()
        host = HostSession(0, KEY)
        refused = asked(chip, host.identify(b"still no"), is_a(Refused))
        assert refused == Refused(Refusal.NOT_STORED, NONE)
        assert not is_accepted(chip, recorded)
    chip.write_eeprom(0, b"\xff" * LOG)
    chip.write_eeprom(PLACE, image("STARTS02", bytes(range(32)), 0))  # it is provisioned again
    chip.reset()
    answer = asked(chip, HostSession(0, KEY).identify(b"whichnow"), is_a(Identity))
    assert isinstance(answer, Identity)
    assert verified(bytes(range(32)), 0, b"whichnow", answer)


def test_a_board_whose_supply_is_too_low_to_store_its_start_waits_for_it(
    chip: VirtualChip,
) -> None:
    chip.supply(830)
    chip.reset(EXTERNAL)
    before = chip.operations
    chip.advance(1000 * MILLISECOND)
    assert messages(chip) == [], "it does not even announce its start"
    assert asked(chip, HostSession(0, KEY).identify(b"too low?"), is_a(Identity), 4000) is None
    refused = asked(chip, HostSession(0, KEY).identify(b"low now?"), is_a(Refused), 1000)
    assert refused == Refused(Refusal.NOT_STORED, NONE)
    assert chip.operations == before
    chip.supply(1000)
    chip.advance(10 * MILLISECOND)
    assert any(isinstance(message, Started) for message in messages(chip))
    assert session(chip, 5) is not None


# Strangers on the line


@pytest.mark.parametrize("questions", [1, 2, 30])
def test_the_questions_of_a_stranger_do_not_end_the_challenge_of_a_host(
    chip: VirtualChip, questions: int
) -> None:
    """Between the board's answer and the host's proof, and with wrong proofs of the stranger."""
    chip.reset()
    chip.sent()
    for again in range(3):
        host = HostSession(0, KEY)
        question = host.identify(bytes([again + 1]) * 8)
        identity = asked(chip, question, is_a(Identity))
        assert isinstance(identity, Identity)
        for number in range(questions):
            stranger = HostSession(0, bytes(32))
            chip.receive(stranger.identify(number.to_bytes(8, "big")))
            chip.receive(stranger.authenticate(identity))
            chip.advance(MILLISECOND)
        authenticate = host.authenticate(identity)
        assert asked(chip, authenticate, is_a(Ok), patience=100) == Ok()
        chip.rest(HOLD_US)


def test_a_challenge_ends_after_64_wrong_proofs(chip: VirtualChip) -> None:
    chip.reset()
    host = HostSession(0, KEY)
    identity = asked(chip, host.identify(b"64 wrong"), lambda a: is_proven(a, b"64 wrong"))
    assert isinstance(identity, Identity)
    stranger = HostSession(0, bytes(32))
    stranger.identify(b"64 wrong")
    wrong = stranger.authenticate(identity)
    for _ in range(64):
        chip.receive(wrong)
        chip.advance(MILLISECOND)
    assert asked(chip, host.authenticate(identity), is_a(Ok), patience=100) is None
