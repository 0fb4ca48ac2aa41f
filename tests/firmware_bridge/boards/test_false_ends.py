"""Tests the host against false ends of motions, events without end, and impossible times."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

import pytest

from firmware_bridge.board import (
    BoardFault,
    Elapsed,
    Ended,
    FaultCode,
    ProtocolBreach,
    ProtocolFault,
    Reason,
)
from firmware_bridge.boards.feed import MOST_LATCHED, MOST_UNREAD
from firmware_bridge.boards.incoming import BoardClock
from firmware_bridge.boards.replies import BURST
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.errors import BoardError, BoardProtocolError
from firmware_bridge.wire.link import MOST_WAITING
from firmware_bridge.wire.messages import NONE, Message
from tests.firmware_bridge.boards.falsified_rig import (
    NUMBER,
    Do,
    breaches,
    drained,
    now_us,
)
from tests.firmware_bridge.serial_rig import CONFIG, SerialRig, begun, run_scenario

# Ends of motions


def end_of(do: Do, end: Callable[[int], Message], *, seconds: float = 0.1) -> object:
    """Begin a motion and let the board report this end; return how the motion ended."""
    result: list[object] = []

    async def scenario(rig: SerialRig) -> None:
        task = asyncio.ensure_future(do(rig))
        await asyncio.sleep(0.01)
        (motion,) = rig.board._motions._motions
        rig.session.emit(end(motion.command.sequence))
        try:
            result.append(await task)
        except BoardError as error:
            result.append(error)

    run_scenario(scenario)
    return result[0]


drive: Do = lambda rig: rig.board.drive("lid", 500, Elapsed(), 30.0)  # noqa: E731
throw: Do = lambda rig: rig.board.throw("dome", 2)  # noqa: E731


def ended(ticket: int, channel: str, reason: Reason, count: int = 0, micros: int = 0) -> Message:
    return wire.MotionEnded(ticket, NUMBER[channel], reason, count, micros)


@pytest.mark.parametrize("reason", [Reason.DONE, Reason.EDGES, Reason.LEVEL])
def test_a_drive_for_a_time_cannot_end_by_edges_a_level_or_done(reason: Reason) -> None:
    end = end_of(drive, lambda ticket: ended(ticket, "lid", reason))
    assert isinstance(end, BoardProtocolError)
    assert f"Drive cannot end by {reason.name}" in str(end)


@pytest.mark.parametrize("reason", [Reason.TIME, Reason.CURRENT, Reason.SWITCH, Reason.STOPPED])
def test_a_drive_for_a_time_can_end_by_these_reasons(reason: Reason) -> None:
    assert end_of(drive, lambda ticket: ended(ticket, "lid", reason)) == Ended(reason)


def test_an_end_after_many_times_the_limit_of_the_motion_is_a_protocol_fault() -> None:
    end = end_of(drive, lambda ticket: ended(ticket, "lid", Reason.TIME, 0, 36_000_001))
    assert isinstance(end, BoardProtocolError)
    good = end_of(drive, lambda ticket: ended(ticket, "lid", Reason.TIME, 0, 36_000_000))
    assert good == Ended(Reason.TIME, 0, 36.0)


@pytest.mark.parametrize("faces", [(7, 1, 0, 0, 0), (1, 2, 3, 0, 0), (255, 255, 255, 255, 255)])
def test_dice_that_no_throw_of_two_dice_can_show_fail_the_throw(faces: tuple[int, ...]) -> None:
    assert isinstance(end_of(throw, lambda ticket: wire.DiceRead(ticket, *faces)), BoardError)


def test_dice_of_a_throw_are_delivered() -> None:
    assert end_of(throw, lambda ticket: wire.DiceRead(ticket, 6, 0, 0, 0, 0)) == (6, 0)


def test_a_throw_cannot_end_as_a_motion_that_is_done() -> None:
    end = end_of(throw, lambda ticket: ended(ticket, "dome", Reason.DONE))
    assert isinstance(end, BoardProtocolError)


def test_the_end_of_a_drive_whose_caller_was_cancelled_is_no_protocol_fault() -> None:
    async def scenario(rig: SerialRig) -> None:
        task = await begun(rig, rig.board.drive("lid", 500, Elapsed(), 30.0))
        task.cancel()
        await asyncio.sleep(0.01)
        await rig.board.stop("lid")
        await asyncio.sleep(0.1)
        assert breaches(rig) == {}
        assert rig.board._motions._left == []

    run_scenario(scenario)


def test_a_motion_ends_once_and_its_second_end_is_a_protocol_fault() -> None:
    async def scenario(rig: SerialRig) -> None:
        task = await begun(rig, rig.board.drive("lid", 500, Elapsed(), 30.0))
        ticket = rig.board._motions._motions[0].command.sequence
        for _ in range(2):
            rig.session.emit(ended(ticket, "lid", Reason.TIME))
        assert (await task).reason is Reason.TIME
        await asyncio.sleep(0.01)
        assert breaches(rig) == {ProtocolBreach.UNKNOWN_TICKET: 1}

    run_scenario(scenario)


# The lease


def test_held_without_a_lease_is_a_protocol_fault() -> None:
    async def scenario(rig: SerialRig) -> None:
        faults = rig.board.faults
        for _ in range(5):
            rig.session.emit(wire.Held(now_us(rig)))
        await asyncio.sleep(0.1)
        seen = await drained(faults)
        assert seen.count(BoardFault("base", FaultCode.LEASE_EXPIRED, "")) <= 2
        assert breaches(rig)[ProtocolBreach.NOT_REQUESTED] >= 3

    run_scenario(scenario)


# Limits of what a board can make the host keep


def test_a_board_cannot_latch_more_faults_than_the_limit() -> None:
    async def scenario(rig: SerialRig) -> None:
        faults = rig.board.faults
        for code in FaultCode:
            for channel in range(len(CONFIG.channels)):
                rig.session.emit(wire.Faulted(code, channel, 0))
        await asyncio.sleep(1.0)
        seen = await drained(faults)
        assert sum(isinstance(fault, BoardFault) for fault in seen) == MOST_LATCHED
        broken = {fault.breach for fault in seen if isinstance(fault, ProtocolFault)}
        assert broken == {ProtocolBreach.TOO_MANY_FAULTS, ProtocolBreach.WRONG_CHANNEL}

    run_scenario(scenario)


def test_a_subscriber_that_does_not_read_keeps_the_newest_edges_only() -> None:
    async def scenario(rig: SerialRig) -> None:
        edges = rig.board.watch("s1")
        await asyncio.sleep(0.01)
        for count in range(MOST_UNREAD + 100):
            rig.session.emit(wire.EdgeSeen(NUMBER["s1"], 1, now_us(rig), count))
            await asyncio.sleep(0.006)
        assert (await anext(edges)).count == 100
        assert breaches(rig) == {}

    run_scenario(scenario)


def test_a_breach_is_reported_once_until_the_board_is_cleared_and_counted_always() -> None:
    async def scenario(rig: SerialRig) -> None:
        faults = rig.board.faults
        emit = partial(rig.session.emit, wire.Faulted(99, NONE, 0))
        for _ in range(3):
            emit()
        await asyncio.sleep(0.1)
        assert len(await drained(faults)) == 1
        await rig.board.clear()
        emit()
        await asyncio.sleep(0.1)
        assert len(await drained(faults)) == 1
        assert breaches(rig) == {ProtocolBreach.UNKNOWN_CODE: 4}

    run_scenario(scenario)


def test_more_commands_than_the_limit_fail_at_once() -> None:
    async def scenario(rig: SerialRig) -> None:
        replies = [rig.board._link.request(wire.Read(0)) for _ in range(MOST_WAITING + 1)]
        with pytest.raises(BoardError, match=f"{MOST_WAITING} commands already wait"):
            await replies[-1]
        await asyncio.gather(*replies[:-1])

    run_scenario(scenario)


def test_a_burst_of_messages_after_a_stall_is_no_flood() -> None:
    async def scenario(rig: SerialRig) -> None:
        rig.board._incoming._events._rate.add()
        for _ in range(BURST - 50):
            rig.board._incoming._events._rate.add()
        assert breaches(rig) == {}
        for _ in range(100):
            rig.board._incoming._events._rate.add()
        assert set(breaches(rig)) == {ProtocolBreach.FLOOD}

    run_scenario(scenario)


# Times


def test_a_time_that_the_clock_of_the_board_cannot_show_is_a_protocol_fault() -> None:
    async def scenario(rig: SerialRig) -> None:
        edges = rig.board.watch("s1")
        await asyncio.sleep(0.01)
        now = now_us(rig)
        for count, wrong in enumerate((0, 59_000_000, 121_000_000, 2**32 - 62_000_000, 1_000)):
            rig.session.emit(wire.EdgeSeen(NUMBER["s1"], 1, (now + wrong) & 0xFFFFFFFF, count))
        assert [(await anext(edges)).count for _ in range(3)] == [0, 1, 4]
        assert breaches(rig) == {ProtocolBreach.WRONG_TIME: 2}

    run_scenario(scenario)


@pytest.mark.parametrize("hours", [0.5, 1.19, 2.0, 7.0, 30.0])
@pytest.mark.parametrize("rate", [0.99, 1.0, 1.01])
def test_an_edge_after_hours_of_silence_is_no_protocol_fault(hours: float, rate: float) -> None:
    """The board's microseconds wrap every 71 minutes, and its clock differs by 1 percent."""
    host = 0.0
    board_clock = BoardClock(lambda: host)
    for host in (5.0, 5.0 + hours * 3600, 6.0 + hours * 3600):
        assert board_clock.check(round(host * rate * 1e6) & 0xFFFFFFFF) == ""
    host += 3600
    assert board_clock.check(round((host + 1000) * rate * 1e6) & 0xFFFFFFFF)
