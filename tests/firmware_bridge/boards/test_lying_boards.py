"""Tests the host against boards whose frames are sound and whose contents are wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import pairwise

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
from firmware_bridge.boards.fault_feed import MOST_LATCHED
from firmware_bridge.boards.feed import MOST_UNREAD
from firmware_bridge.boards.incoming.board_clock import BoardClock
from firmware_bridge.boards.incoming.breaches import BURST
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.errors import BoardError, BoardProtocolError
from firmware_bridge.wire.link import MOST_WAITING
from firmware_bridge.wire.messages import NONE, Message
from tests.firmware_bridge.serial_rig import CONFIG, SerialRig, begun, kinds, run_scenario
from tests.quick import slow_except

NUMBER = {name: number for number, name in enumerate(CONFIG.channels)}
Do = Callable[[SerialRig], Awaitable[object]]


def lie(rig: SerialRig, kind: type[Message], reply: Message) -> None:
    """Let the board answer every command of this kind with this reply."""
    execute = rig._execute

    def lying(message: Message, sequence: int) -> Message:
        truth = execute(message, sequence)
        return reply if isinstance(message, kind) else truth

    rig.session._execute = lying


def now_us(rig: SerialRig) -> int:
    return round(rig.loop.time() * 1e6) & 0xFFFFFFFF


def breaches(rig: SerialRig) -> dict[ProtocolBreach, int]:
    return dict(rig.board.breaches)


# The faults that were found


@pytest.mark.timeout(10)
def test_a_negative_dice_value_is_a_protocol_fault_and_the_host_does_not_hang() -> None:
    async def scenario(rig: SerialRig) -> None:
        lie(rig, wire.Read, wire.Value(-1))
        with pytest.raises(BoardProtocolError, match=r"board base sent the value -1 to Read"):
            await rig.board.thrown("dome")
        assert breaches(rig) == {ProtocolBreach.OUT_OF_RANGE: 1}

    run_scenario(scenario)


def test_dice_read_with_the_ticket_of_a_drive_fails_the_drive_and_crashes_nothing() -> None:
    async def scenario(rig: SerialRig) -> None:
        drive = await begun(rig, rig.board.drive("lid", 500, Elapsed(), 30.0))
        (motion,) = rig.board._motions._motions
        rig.session.emit(wire.DiceRead(motion.command.sequence, 1, 2, 0, 0, 0))
        with pytest.raises(BoardProtocolError, match=r"DiceRead.*Drive reads no dice"):
            await drive
        assert breaches(rig) == {ProtocolBreach.WRONG_END: 1}

    run_scenario(scenario)


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(wire.Faulted(200, NONE, 0), id="an unknown fault code"),
        pytest.param(wire.Faulted(1, 250, 0), id="a fault of an unknown channel"),
        pytest.param(wire.EdgeSeen(250, 1, 0, 1), id="an edge of an unknown channel"),
        pytest.param(wire.EdgeSeen(0, 1, 0, 1), id="an edge of an output"),
        pytest.param(wire.EdgeSeen(3, 7, 0, 1), id="a level that is neither 0 nor 1"),
        pytest.param(wire.MotionEnded(99, 1, 6, 0, 0), id="the end of no motion"),
        pytest.param(wire.DiceRead(99, 1, 2, 3, 4, 5), id="the dice of no throw"),
    ],
)
def test_events_behind_a_wrong_event_in_the_same_bytes_are_processed(event: Message) -> None:
    async def scenario(rig: SerialRig) -> None:
        faults, edges = rig.board.faults, rig.board.watch("s1")
        await asyncio.sleep(0.01)
        for each in (event, wire.EdgeSeen(NUMBER["s1"], 1, now_us(rig), 1)):
            rig.session._queued.append(each)
        rig.session.receive(b"")
        assert (await anext(edges)).sensor == "s1"
        fault = await anext(faults)
        assert isinstance(fault, ProtocolFault)
        assert fault.board == "base"
        assert type(event).__name__ in fault.sentence, "the sentence quotes the message"
        await rig.board.set("lamp", 1)

    run_scenario(scenario)


@pytest.mark.parametrize("reason", [9, 77, 254])
def test_a_motion_that_ends_by_an_unknown_reason_fails_and_later_events_are_processed(
    reason: int,
) -> None:
    async def scenario(rig: SerialRig) -> None:
        drive = await begun(rig, rig.board.drive("lid", 500, Elapsed(), 30.0))
        (motion,) = rig.board._motions._motions
        edges = rig.board.watch("s1")
        await asyncio.sleep(0.01)
        rig.session.emit(wire.MotionEnded(motion.command.sequence, NUMBER["lid"], reason, 0, 0))
        rig.session.emit(wire.EdgeSeen(NUMBER["s1"], 1, now_us(rig), 1))
        with pytest.raises(BoardProtocolError, match=f"reason={reason}"):
            await drive
        assert (await anext(edges)).active

    run_scenario(scenario)


@pytest.mark.parametrize("sensor", ["s1", "lid_open"])
def test_a_sensor_that_nobody_watches_costs_one_command_however_often_it_changes(
    sensor: str,
) -> None:
    async def scenario(rig: SerialRig) -> None:
        rig.drops_input = True
        for count in range(500):
            rig.session.emit(wire.EdgeSeen(NUMBER[sensor], 1, now_us(rig), count))
            rig.drops_input = False
            await asyncio.sleep(0.005)
        assert kinds(rig).count(wire.Watch) == 1

    run_scenario(scenario)


def flood(seconds: float, rig: SerialRig) -> None:
    """Send edges of a sensor that nobody watches, as many as the line carries."""
    period = 18 * 10 / 250_000
    ends = rig.loop.time() + seconds
    count = 0

    def send() -> None:
        nonlocal count
        count += 1
        rig.session.emit(wire.EdgeSeen(NUMBER["s1"], count & 1, now_us(rig), count))
        if rig.loop.time() < ends:
            rig.loop.call_later(period, send)

    send()


@pytest.mark.parametrize("seconds", slow_except([4.0], [4.0, 30.0]))
def test_a_board_that_floods_the_line_delays_no_renewal_of_the_lease_by_50_ms(
    seconds: float,
) -> None:
    async def scenario(rig: SerialRig) -> None:
        renewed: list[float] = []
        execute = rig._execute

        def timed(message: Message, sequence: int) -> Message:
            if isinstance(message, wire.TakeLease):
                renewed.append(rig.loop.time())
            return execute(message, sequence)

        rig.session._execute = timed
        faults = rig.board.faults
        flood(seconds, rig)
        most = 0
        for _ in range(round(10 * seconds)):
            await asyncio.sleep(0.1)
            most = max(most, len(rig.board._link._exchange.waiting))
        gaps = [later - before for before, later in pairwise(renewed)]
        assert len(renewed) > 5 * seconds
        assert max(gaps) < CONFIG.lease / 3 + 0.050
        assert most < 20, "commands do not pile up"
        seen = {fault.breach for fault in await drained(faults) if isinstance(fault, ProtocolFault)}
        assert seen == {ProtocolBreach.FLOOD, ProtocolBreach.NOT_REQUESTED}

    run_scenario(scenario)


async def drained(faults: object) -> list[object]:
    """Return every fault that an iterator has now."""
    queue = faults._queue  # type: ignore[attr-defined]
    return [queue.get_nowait() for _ in range(queue.qsize())]


@pytest.mark.parametrize("channel", ["lid_open", "s1", "lamp", "x"])
def test_an_emergency_stop_at_a_channel_that_is_no_emergency_stop_is_a_protocol_fault(
    channel: str,
) -> None:
    """The table would wait without end for the release of an input that is not an emergency."""

    async def scenario(rig: SerialRig) -> None:
        faults = rig.board.faults
        for code in (FaultCode.EMERGENCY_STOP, FaultCode.LIGHT_CURTAIN):
            rig.session.emit(wire.Faulted(code, NUMBER[channel], 0))
        await asyncio.sleep(0.1)
        (fault,) = await drained(faults)
        assert isinstance(fault, ProtocolFault)
        assert fault.breach is ProtocolBreach.WRONG_CHANNEL
        rig.session.emit(wire.Faulted(FaultCode.EMERGENCY_STOP, NONE, 0))
        await asyncio.sleep(0.1)
        assert await drained(faults) == [BoardFault("base", FaultCode.EMERGENCY_STOP, "")]

    run_scenario(scenario)


# Replies


REPLIES = (
    wire.Ok(),
    wire.Value(1),
    wire.Tag(1),
    wire.Statistics(0, 0, 0, 0, 0),
    wire.Recalled(0, NONE, 0, 0),
    wire.Identity(1, 1, 1, bytes(4), bytes(8), 1, 0, 0, 0, bytes(8), bytes(8)),
)
ASKED: dict[type[Message], tuple[type[Message], Do]] = {
    wire.Set: (wire.Ok, lambda rig: rig.board.set("lamp", 1)),
    wire.Stop: (wire.Ok, lambda rig: rig.board.stop("lid")),
    wire.Clear: (wire.Ok, lambda rig: rig.board.clear()),
    wire.Drive: (wire.Ok, lambda rig: rig.board.drive("lid", 500, Elapsed(), 0.1)),
    wire.Pulse: (wire.Ok, lambda rig: rig.board.pulse("lamp", 1, 0.1)),
    wire.Home: (wire.Ok, lambda rig: rig.board.home("x")),
    wire.ThrowDice: (wire.Ok, lambda rig: rig.board.throw("dome", 2)),
    wire.Read: (wire.Value, lambda rig: rig.board.read("s1")),
    wire.Count: (wire.Value, lambda rig: rig.board.count("s1")),
    wire.SelfTest: (wire.Value, lambda rig: rig.board.self_test()),
    wire.Scan: (wire.Tag, lambda rig: rig.board.scan("reader")),
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: type(reply).__name__)
def test_a_reply_of_another_type_than_the_command_takes_is_a_protocol_fault(
    asked: type[Message], reply: Message
) -> None:
    right, do = ASKED[asked]
    if type(reply) is right:
        return

    async def scenario(rig: SerialRig) -> None:
        lie(rig, asked, reply)
        with pytest.raises(BoardProtocolError, match=f"{type(reply).__name__}.*{asked.__name__}"):
            await do(rig)
        assert breaches(rig)[ProtocolBreach.WRONG_REPLY] == 1
        rig.session._execute = rig._execute

    run_scenario(scenario)


@pytest.mark.parametrize(
    ("refused", "breach"),
    [
        (wire.Refused(99, NONE), ProtocolBreach.UNKNOWN_CODE),
        (wire.Refused(0, NONE), ProtocolBreach.UNKNOWN_CODE),
        (wire.Refused(7, 200), ProtocolBreach.WRONG_CHANNEL),
    ],
)
def test_a_refusal_that_the_protocol_does_not_define_is_a_protocol_fault(
    refused: Message, breach: ProtocolBreach
) -> None:
    async def scenario(rig: SerialRig) -> None:
        lie(rig, wire.Set, refused)
        with pytest.raises(BoardProtocolError):
            await rig.board.set("lamp", 1)
        assert breaches(rig) == {breach: 1}

    run_scenario(scenario)


@pytest.mark.parametrize(
    ("channel", "wrong", "right"),
    [
        ("s1", (2, -1, 2**31 - 1), (0, 1)),
        ("lamp", (2, -1), (0, 1)),
        ("lid", (1001, -1001), (1000, -1000)),
        ("x", (1_500_001, -1_500_001, -(2**31)), (1_500_000, -1_500_000, 0)),
        ("current", (-1, 65_536), (0, 65_535)),
        ("dome", (-1, 7, 1 << 15, 0o77777), (0, 6, 0o66666)),
    ],
)
def test_a_value_beyond_the_range_of_its_channel_is_a_protocol_fault(
    channel: str, wrong: tuple[int, ...], right: tuple[int, ...]
) -> None:
    async def scenario(rig: SerialRig) -> None:
        for value in right:
            lie(rig, wire.Read, wire.Value(value))
            assert await rig.board.read(channel) == value
        for value in wrong:
            lie(rig, wire.Read, wire.Value(value))
            with pytest.raises(BoardProtocolError, match=f"the value {value} to Read"):
                await rig.board.read(channel)

    run_scenario(scenario)


def test_a_count_that_falls_within_a_session_is_a_protocol_fault() -> None:
    async def scenario(rig: SerialRig) -> None:
        edges = rig.board.watch("s1")
        await asyncio.sleep(0.01)
        rig.session.emit(wire.EdgeSeen(NUMBER["s1"], 1, now_us(rig), 7))
        rig.session.emit(wire.EdgeSeen(NUMBER["s1"], 0, now_us(rig), 6))
        rig.session.emit(wire.EdgeSeen(NUMBER["s1"], 0, now_us(rig), 7))
        assert [(await anext(edges)).count for _ in range(2)] == [7, 7]
        lie(rig, wire.Count, wire.Value(6))
        with pytest.raises(BoardProtocolError, match=r"the count 6 to Count.*after 7"):
            await rig.board.count("s1")
        assert breaches(rig) == {ProtocolBreach.COUNT_FELL: 2}

    run_scenario(scenario)


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
