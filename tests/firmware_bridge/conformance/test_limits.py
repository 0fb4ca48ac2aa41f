"""Tests that no host exceeds the limits that a board was provisioned with.

Each reply of the firmware is compared with the decision of `BoardLimits`, which the virtual board
uses.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from config.loader import load_table, table_names
from firmware_bridge.boards.encoding import flags_of, records
from firmware_bridge.commissioning.provisioning import (
    LIMITS_PLACE,
    PLACE,
    eeprom,
    image,
    limits_of,
    with_limits,
)
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim.host_session import HostSession
from firmware_bridge.wire.codec import configuration_crc
from firmware_bridge.wire.codes import Flag, Kind, LimitFlag, Refusal
from firmware_bridge.wire.limits import DRIVEN, BoardLimits, summary
from firmware_bridge.wire.messages import (
    NONE,
    REMEMBERED,
    Commit,
    Configure,
    Identity,
    Limits,
    Message,
    Ok,
    ReadLimits,
    Refused,
    SelfTest,
    TakeLease,
    Value,
)
from tests.firmware_bridge.conformance.test_memory import BASE, NAMES, TABLE, Host
from tests.firmware_bridge.firmware.virtual_chip import VirtualChip

RECORDS = records(BASE, flags_of(TABLE))
LIMITS = limits_of(TABLE, "base")
SECOND_LIMITS = 224
SIZE = 28
LID, DRUM, LID_CURTAIN = (NAMES.index(name) for name in ("lid", "drum", "curtain"))


@pytest.fixture
def host(library: Path) -> Iterator[Host]:
    """Return the host of a board that was provisioned for the table."""
    chip = VirtualChip(library, b"LIMITED1", KEY, 0)
    chip.write_eeprom(PLACE, with_limits(image("LIMITED1", KEY, 0), LIMITS))
    chip.reset()
    found = Host(chip)
    found.open()
    yield found
    chip.close()


def refused(host: Host, record: Configure) -> Refusal | None:
    """Send a record; return the reason for which both boards refuse it."""
    reply = host.ask(record)
    reason = LIMITS.refusal(record)
    assert reply == (Ok() if reason is None else Refused(reason, record.index)), "as the virtual"
    return reason


def test_a_board_reports_the_limits_that_were_written_to_it(host: Host) -> None:
    assert host.ask(ReadLimits()) == LIMITS.message
    assert summary(LIMITS.message).startswith("lease at most 1000 ms, on-time at most 180 s")


def test_the_limits_are_reported_again_and_overwrite_no_other_reply(host: Host) -> None:
    """The reply with the limits is longer than the place of a reply that the board remembers."""
    session = HostSession(0, KEY)

    def replies_to(data: bytes) -> list[Message]:
        host.chip.receive(data)
        host.chip.advance(2000)
        frames = host._decoder.feed(host.chip.sent())
        return [frame.message for frame in frames if host._is_reply(frame)]

    (identity,) = replies_to(session.identify(b"limits?!"))
    assert isinstance(identity, Identity)
    assert replies_to(session.authenticate(identity)) == [Ok()]
    for _ in range(REMEMBERED):  # the long reply comes at each of the places
        commands = [session.command(SelfTest()) for _ in range(REMEMBERED - 1)]
        commands.append(session.command(ReadLimits()))
        replies = [replies_to(command) for command in commands]
        assert replies == [[Value(0)]] * (REMEMBERED - 1) + [[LIMITS.message]]
        assert [replies_to(command) for command in commands] == replies
        assert replies_to(session.command(SelfTest())) == [Value(0)]


def test_the_table_of_the_limits_is_accepted_and_moves(host: Host) -> None:
    for record in RECORDS:
        assert host.ask(record) == Ok()
    assert host.ask(Commit(len(RECORDS), configuration_crc(RECORDS))) == Ok()
    assert host.ask(TakeLease(500)) == Ok()


@pytest.mark.parametrize("name", table_names())
def test_every_shipped_table_is_within_its_own_limits(name: str) -> None:
    table = load_table(name)
    for board, config in table.boards.items():
        limits = limits_of(table, board)
        for record in records(config, flags_of(table)):
            assert limits.refusal(record) is None, (board, record)


def test_a_lease_of_65_seconds_is_refused(host: Host) -> None:
    host_begins(host)
    assert host.ask(TakeLease(LIMITS.lease_ms)) == Ok()
    for longer in (LIMITS.lease_ms + 1, 5000, 65_000, 65_535):
        assert host.ask(TakeLease(longer)) == Refused(Refusal.LEASE_TOO_LONG, NONE)
    assert host.ask(TakeLease(0)) == Ok()


def host_begins(host: Host) -> None:
    for record in RECORDS:
        assert host.ask(record) == Ok()
    assert host.ask(Commit(len(RECORDS), configuration_crc(RECORDS))) == Ok()


def test_a_motor_without_a_maximum_on_time_is_refused(host: Host) -> None:
    drum = RECORDS[DRUM]
    for longest in (0, LIMITS.on_ms + 1, 2_000_000):
        assert refused(host, drum._replace(max_on_ms=longest)) is Refusal.ON_TOO_LONG
    assert refused(host, drum._replace(safe=1000)) is Refusal.ON_TOO_LONG, "on without a lease"
    assert refused(host, drum) is None


@pytest.mark.parametrize("kind", DRIVEN)
def test_a_motors_pin_as_another_kind_of_channel_has_the_same_limits(
    host: Host, kind: Kind
) -> None:
    for number in (DRUM, LID):
        pin = RECORDS[number].pin
        other = RECORDS[DRUM]._replace(
            index=0,
            kind=kind,
            pin=pin,
            second_pin=NONE,
            max_on_ms=0,
            low_um=0,
            high_um=1000,
            speed_um_s=1000,
            acceleration_um_s2=1000,
            dead_ms=0,
        )
        reason = refused(host, other)
        if kind is Kind.DICE and number == DRUM:
            assert reason is None, "it shakes for its time only, which the limit bounds"
            assert refused(host, other._replace(max_on_ms=LIMITS.on_ms + 1)) is not None
        else:
            assert reason is not None


def test_a_guarded_part_without_its_flag_is_refused_on_either_of_its_pins(host: Host) -> None:
    lid = RECORDS[LID]
    assert lid.flags & Flag.GUARDED
    for pins in ({}, {"pin": NONE}, {"second_pin": NONE}):
        without = lid._replace(flags=lid.flags & ~Flag.GUARDED, **pins)
        assert refused(host, without) is Refusal.NOT_GUARDED


def test_a_table_without_the_light_curtain_is_refused(host: Host) -> None:
    curtain = next(record for record in RECORDS if record.flags & Flag.CURTAIN)
    assert LIMITS.message.flags & LimitFlag.NEEDS_CURTAIN
    changes: tuple[Configure, ...] = (
        curtain._replace(flags=0),
        curtain._replace(active_high=1 - curtain.active_high),
        curtain._replace(pin=52),
    )
    for changed in changes:
        table = [changed if record is curtain else record for record in RECORDS]
        assert not LIMITS.has_curtain(table, curtain.pin)
        for record in table:
            host.ask(record)
        reply = host.ask(Commit(len(table), configuration_crc(table)))
        assert isinstance(reply, Refused), changed
    host_begins(host)


def test_the_limits_survive_damage_of_any_byte_of_either_copy(host: Host) -> None:
    host.rest()
    sound = host.chip.eeprom()[LIMITS_PLACE : LIMITS_PLACE + SIZE]
    assert host.chip.eeprom()[SECOND_LIMITS : SECOND_LIMITS + SIZE] == sound
    for place in (LIMITS_PLACE, SECOND_LIMITS):
        for at in range(SIZE):
            host.chip.write_eeprom(place + at, bytes([sound[at] ^ 0x10]))
            host.chip.reset()
            host.open()
            assert host.ask(ReadLimits()) == LIMITS.message, f"byte {at} of the copy at {place}"
            host.rest()
            for copy in (LIMITS_PLACE, SECOND_LIMITS):
                assert host.chip.eeprom()[copy : copy + SIZE] == sound


def test_a_board_whose_limits_are_damaged_in_both_copies_begins_no_session(host: Host) -> None:
    host.rest()
    for place in (LIMITS_PLACE, SECOND_LIMITS):
        host.chip.write_eeprom(place + 3, b"\x00\x00")
    host.chip.reset()
    again = Host(host.chip, bytes(16))
    identity = again.identify()
    assert identity.serial == b"DAMAGED0"
    session = HostSession(0, KEY)
    host.chip.receive(session.identify(b"no limit"))
    host.chip.advance(2000)
    assert isinstance(identity, Identity)
    host.chip.receive(session.authenticate(identity))
    host.chip.advance(2000)
    assert not [each for each in host._decoder.feed(host.chip.sent()) if each.message == Ok()]


def test_a_board_that_was_provisioned_before_there_were_limits_has_none(library: Path) -> None:
    chip = VirtualChip(library, b"OLDBOARD", KEY, 0)
    chip.reset()
    host = Host(chip)
    host.begin()
    reply: Message = host.ask(ReadLimits())
    assert reply == Limits(0, 0, 0, bytes(9), bytes(9))
    assert summary(reply).startswith("no limits (provision it again")
    assert host.ask(TakeLease(65_000)) == Ok()
    chip.close()


def test_limits_without_a_table_bound_lease_and_motors_only(library: Path) -> None:
    limits = BoardLimits(2000, 60_000)
    chip = VirtualChip(library, b"GENERAL1", KEY, 0)
    chip.write_eeprom(0, eeprom("GENERAL1", KEY, 0, limits))
    chip.reset()
    host = Host(chip)
    host.open()
    lamp = RECORDS[DRUM]._replace(index=1, kind=Kind.OUTPUT, second_pin=NONE, max_on_ms=0)
    for record, reason in (
        (RECORDS[DRUM]._replace(max_on_ms=60_001), Refusal.ON_TOO_LONG),
        (RECORDS[DRUM]._replace(max_on_ms=0), Refusal.ON_TOO_LONG),
        (RECORDS[DRUM]._replace(max_on_ms=60_000), None),
        (lamp, None),
        (lamp._replace(safe=1), None),
        (lamp._replace(max_on_ms=60_001), Refusal.ON_TOO_LONG),
    ):
        assert limits.refusal(record) is reason
        assert host.ask(record) == (Ok() if reason is None else Refused(reason, record.index))
    chip.close()
