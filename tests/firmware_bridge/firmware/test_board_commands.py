"""Tests that firmware and virtual board execute commands alike: replies, pins, times."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_bridge.board import FaultCode, Reason
from firmware_bridge.wire.codes import UntilKind
from firmware_bridge.wire.messages import (
    NONE,
    Clear,
    Commit,
    Count,
    DiceRead,
    Drive,
    EdgeSeen,
    Home,
    Message,
    Move,
    Pulse,
    Read,
    Recall,
    Scan,
    Set,
    Stop,
    TakeLease,
    ThrowDice,
    Watch,
)
from tests.firmware_bridge.firmware.twin_scenarios import (
    codes,
    drive,
    pass_tiles,
    reasons,
    run_scenario,
)
from tests.firmware_bridge.firmware.twins import Twins


def test_a_wheel_stops_at_the_third_tile_and_its_end_is_reported(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        await twins.watch("head0_counter")
        await twins.send(drive(twins, "head0_wheel", 1000, UntilKind.EDGES, "head0_counter", 3))
        await pass_tiles(twins, "head0_counter", 4)
        for command in (Count, Read):
            await twins.send(command(twins.number("head0_counter")))
        await twins.send(Recall(twins.number("head0_wheel")))
        await twins.send(Recall(twins.number("head0_belt")))

    twins = run_scenario(library, scenario)
    assert reasons(twins) == [Reason.EDGES]
    off = [change for change in twins.chip.changes() if change.pin == 6 and change.level == 0]
    assert len(off) == 2, "Commit and the third edge each set the pin low"


def test_a_change_shorter_than_the_debounce_time_is_not_counted(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        await twins.watch("head0_counter", "lid_key")
        for pause in (0.2, 0.5, 0.9, 1.1, 0.4, 5.0):
            await twins.sense("head0_counter", True)
            await twins.sense("lid_key", True)
            await twins.advance(pause)
            await twins.sense("head0_counter", False)
            await twins.sense("lid_key", False)
            await twins.advance(pause)

    twins = run_scenario(library, scenario)
    assert len(twins.events(EdgeSeen)) == 4


def test_the_lid_stops_at_its_switch_and_cannot_be_driven_against_it(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        lid = twins.number("lid")
        await twins.send(drive(twins, "lid", 700, UntilKind.LEVEL, "lid_opened", 1))
        await twins.advance(500.5)
        await twins.sense("lid_opened", True)
        await twins.advance(20)
        await twins.send(Set(lid, 300))
        await twins.send(Read(lid))
        await twins.send(drive(twins, "lid", 700, UntilKind.LEVEL, "lid_opened", 1))
        await twins.send(drive(twins, "lid", 700, UntilKind.TIME))
        await twins.send(Set(lid, -300))
        await twins.send(Read(lid))
        await twins.advance(20)
        await twins.sense("lid_closed", True)
        await twins.advance(20)
        await twins.send(Clear())
        await twins.sense("lid_closed", False)
        await twins.advance(20)
        await twins.send(Clear())
        await twins.send(Read(lid))

    twins = run_scenario(library, scenario)
    assert reasons(twins) == [Reason.LEVEL, Reason.LEVEL, Reason.SWITCH]
    assert codes(twins) == [FaultCode.BOTH_SWITCHES]


def test_a_full_belt_holds_its_wheel_until_it_has_room(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        wheel = twins.number("head1_wheel")
        await twins.send(drive(twins, "head1_wheel", -600, UntilKind.EDGES, "head1_counter", 9))
        await twins.sense("head1_full", True)
        await twins.advance(30)
        await twins.send(Read(wheel))
        await twins.sense("head1_full", False)
        await twins.advance(30)
        await twins.send(Read(wheel))
        await twins.send(Stop(wheel))
        await twins.send(Recall(wheel))

    run_scenario(library, scenario)


def test_invalid_commands_are_refused_for_the_same_reason(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        lid, key, dice = (twins.number(name) for name in ("lid", "lid_key", "dice"))
        pusher = twins.number("head0_pusher")
        commands: list[Message] = [
            Set(99, 1),
            Set(key, 1),
            Set(lid, 1001),
            Set(lid, -1001),
            Pulse(pusher, 1, 2001),
            Pulse(dice, 1, 1),
            Drive(lid, 0, 1, key, 1, 100, 0),
            Drive(lid, 5, 1, key, 0, 100, 0),
            Drive(lid, 5, 2, key, 0, 0, 0),
            Drive(lid, 5, 4, key, 1, 9, 0),
            Drive(lid, 5, 4, 98, 1, 9, 0),
            Drive(lid, 5, 1, lid, 1, 9, 0),
            Drive(key, 5, 1, lid, 1, 9, 0),
            ThrowDice(dice, 6),
            ThrowDice(lid, 1),
            Move(lid, 0, NONE, 0, NONE, 0, 1000),
            Move(NONE, 0, NONE, 0, NONE, 0, 1000),
            Home(lid),
            Watch(lid, 1),
            Count(lid),
            Scan(key),
            Scan(dice),
            Read(200),
            Stop(key),
            Recall(77),
            Commit(1, 1),
            twins.records[0]._replace(kind=9),
            TakeLease(0),
            Set(lid, 100),
        ]
        for command in commands:
            await twins.send(command)

    run_scenario(library, scenario)


@pytest.mark.slow
def test_a_pulse_ends_after_its_time_and_a_motor_after_its_maximum(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        pusher = twins.number("head0_pusher")
        await twins.send(Pulse(pusher, 1000, 40))
        await twins.send(Pulse(pusher, 1000, 40))
        await twins.advance(30)
        await twins.send(Read(pusher))
        await twins.send(Recall(pusher))
        await twins.advance(30)
        await twins.send(Recall(pusher))
        await twins.send(Set(pusher, 400))
        await twins.advance(1999)
        await twins.send(Read(pusher))
        await twins.advance(10)
        await twins.send(Set(pusher, 400))
        await twins.send(Clear())

    twins = run_scenario(library, scenario)
    assert codes(twins) == [FaultCode.MAXIMUM_ON_TIME]


def test_the_dice_are_thrown_and_counted(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        dice = twins.number("dice")
        await twins.send(ThrowDice(dice, 3))
        await twins.send(ThrowDice(dice, 3))
        await twins.advance(1000)
        await twins.send(Count(dice))
        await twins.advance(600)
        await twins.send(Count(dice))
        await twins.send(Read(dice))
        await twins.send(ThrowDice(dice, 5))
        await twins.advance(100)
        await twins.send(Stop(dice))
        await twins.send(Count(dice))

    twins = run_scenario(library, scenario)
    assert [tuple(event)[1:] for event in twins.events(DiceRead)] == [(3, 1, 6, 0, 0)]


def test_the_reader_reports_the_tag_in_front_of_it(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        await twins.send(Scan(twins.number("reader")))

    run_scenario(library, scenario, "arm")
