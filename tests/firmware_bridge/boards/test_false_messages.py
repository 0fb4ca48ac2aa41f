"""Tests the host against boards whose frames are sound and whose contents are wrong."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from firmware_bridge.board import (
    BoardFault,
    Elapsed,
    FaultCode,
    ProtocolBreach,
    ProtocolFault,
)
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.errors import BoardProtocolError
from firmware_bridge.wire.messages import NONE, Message
from tests.firmware_bridge.boards.falsified_rig import (
    NUMBER,
    Do,
    breaches,
    drained,
    falsify,
    now_us,
)
from tests.firmware_bridge.serial_rig import CONFIG, SerialRig, begun, kinds, run_scenario
from tests.quick import slow_except

# The faults that were found


def test_a_negative_dice_value_is_a_protocol_fault_and_the_host_does_not_hang() -> None:
    async def scenario(rig: SerialRig) -> None:
        falsify(rig, wire.Read, wire.Value(-1))
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
        falsify(rig, asked, reply)
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
        falsify(rig, wire.Set, refused)
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
            falsify(rig, wire.Read, wire.Value(value))
            assert await rig.board.read(channel) == value
        for value in wrong:
            falsify(rig, wire.Read, wire.Value(value))
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
        falsify(rig, wire.Count, wire.Value(6))
        with pytest.raises(BoardProtocolError, match=r"the count 6 to Count.*after 7"):
            await rig.board.count("s1")
        assert breaches(rig) == {ProtocolBreach.COUNT_FELL: 2}

    run_scenario(scenario)
