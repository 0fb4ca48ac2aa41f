"""Tests `SerialBoard` on a line in memory: orders, refusals and events."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable

import pytest

from firmware_bridge.board import BoardFault, Edge, Edges, Elapsed, FaultCode, Level, Reason
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.errors import BoardRefusedError
from tests.firmware_bridge.echo import noise
from tests.firmware_bridge.serial_rig import SerialRig, begun, run_scenario

# Orders and questions


def test_a_lamp_is_switched() -> None:
    async def scenario(rig: SerialRig) -> None:
        await rig.board.set("lamp", 1)
        assert rig.recorder.outputs["lamp"] == 1

    run_scenario(scenario)


def test_a_drive_ends_at_its_third_edge_with_count_and_time() -> None:
    async def scenario(rig: SerialRig) -> None:
        drive = await begun(rig, rig.board.drive("lid", 800, Edges("s1", 3), 5.0))
        assert rig.recorder.outputs["lid"] == 800
        for _ in range(3):
            await asyncio.sleep(0.1)
            rig.virtual.sensor("s1", active=True)
            rig.virtual.sensor("s1", active=False)
        ended = await drive
        assert (ended.reason, ended.count) == (Reason.EDGES, 3)
        assert ended.seconds == pytest.approx(0.31, abs=0.02)
        assert rig.recorder.outputs["lid"] == 0
        assert await rig.board.count("s1") == 3

    run_scenario(scenario)


def test_a_drive_until_a_present_level_ends_even_if_its_end_arrives_before_the_reply() -> None:
    async def scenario(rig: SerialRig) -> None:
        rig.virtual.sensor("s1", active=True)
        for _ in range(300):
            ended = await rig.board.drive("lid", -500, Level("s1"), 1.0)
            assert ended.reason is Reason.LEVEL

    run_scenario(scenario, noise(3))


def test_a_drive_ends_at_its_time_limit() -> None:
    async def scenario(rig: SerialRig) -> None:
        assert (await rig.board.drive("lid", 500, Elapsed(), 0.25)).reason is Reason.TIME

    run_scenario(scenario)


def test_two_motions_at_once_each_get_their_own_end() -> None:
    async def scenario(rig: SerialRig) -> None:
        lid = await begun(rig, rig.board.drive("lid", 500, Elapsed(), 2.0))
        for _ in range(200):
            assert (await rig.board.pulse("lamp", 1, 0.001)).reason is Reason.DONE
            await rig.board.read("s1")
        assert not lid.done()
        assert (await lid).reason is Reason.TIME

    run_scenario(scenario)


def test_an_axis_at_a_tenth_of_its_speed_needs_about_ten_times_as_long() -> None:
    async def scenario(rig: SerialRig) -> None:
        await rig.board.home("x")
        rig.virtual.sensor("home", active=False)
        fast = await rig.board.move({"x": 0.4})
        slow = await rig.board.move({"x": -0.4}, 100)
        assert (fast.reason, slow.reason) == (Reason.DONE, Reason.DONE)
        assert slow.seconds > 5 * fast.seconds

    run_scenario(scenario)


def test_an_axis_is_homed_and_moved_and_reports_its_position() -> None:
    async def scenario(rig: SerialRig) -> None:
        assert (await rig.board.home("x")).reason is Reason.DONE
        rig.virtual.sensor("home", active=False)
        assert (await rig.board.move({"x": 0.123})).reason is Reason.DONE
        assert await rig.board.read("x") == 123_000

    run_scenario(scenario)


def test_dice_are_thrown_and_a_tag_and_a_voltage_are_read() -> None:
    async def scenario(rig: SerialRig) -> None:
        assert await rig.board.throw("dome", 3) == (1, 2, 3)
        assert await rig.board.scan("reader") is None
        rig.recorder.tags = 0xE004_0100_0000_0001
        assert await rig.board.scan("reader") == 0xE004_0100_0000_0001
        assert await rig.board.read("current") == 1234

    run_scenario(scenario)


def test_a_stopped_throw_is_an_error_that_asks_for_another_throw() -> None:
    async def scenario(rig: SerialRig) -> None:
        throw = asyncio.ensure_future(rig.board.throw("dome", 2))
        await asyncio.sleep(0.1)
        await rig.board.stop("dome")
        with pytest.raises(BoardRefusedError, match=r"throw of dome ended by STOPPED.*throw again"):
            await throw

    run_scenario(scenario)


def test_stop_all_stops_without_waiting() -> None:
    async def scenario(rig: SerialRig) -> None:
        drive = await begun(rig, rig.board.drive("lid", 500, Elapsed(), 30.0))
        rig.board.stop_all()
        assert (await drive).reason is Reason.STOPPED

    run_scenario(scenario)


# Refusals


NO_SUCH_CHANNEL = (
    "board base has no channel lampe; it has lamp, lid, lid_open, s1, home, x, dome, reader,"
    " current."
)


WRONG_KIND = (
    "board base refused a pulse of s1: s1 is another kind of channel; see its kind in the table."
)


OUT_OF_RANGE = (
    "board base refused setting lamp to 2: a value, count or time is out of its range; see lamp in"
    " the table."
)


NOT_HOMED = "board base refused a move of x: the position of x is unknown; home it first."


NO_AXIS = "board base cannot move lamp as an axis, because its kind is output; name an axis."


TOO_MANY = "board base moves one to three axes at once; got 0. Order the moves one after another."


@pytest.mark.parametrize(
    ("order", "sentence"),
    [
        (lambda board: board.set("lampe", 1), NO_SUCH_CHANNEL),
        (lambda board: board.pulse("s1", 1, 0.1), WRONG_KIND),
        (lambda board: board.set("lamp", 2), OUT_OF_RANGE),
        (lambda board: board.move({"x": 0.1}), NOT_HOMED),
        (lambda board: board.home("lamp"), NO_AXIS),
        (lambda board: board.move({}), TOO_MANY),
        (lambda board: board.move({"x": 0.1}, 0), "board base moves axes at 1 to 1000 permille"),
    ],
)
def test_a_refusal_names_the_channel_the_reason_and_the_next_step(
    order: Callable[[SerialBoard], Awaitable[object]], sentence: str
) -> None:
    async def scenario(rig: SerialRig) -> None:
        with pytest.raises(BoardRefusedError, match=re.escape(sentence)):
            await order(rig.board)

    run_scenario(scenario)


def test_without_a_lease_an_order_is_refused() -> None:
    async def scenario(rig: SerialRig) -> None:
        await rig.board.release_lease()
        with pytest.raises(
            BoardRefusedError, match=r"no lease is held, or the lease expired; call hold_lease\(\)"
        ):
            await rig.board.set("lamp", 1)

    run_scenario(scenario)


def test_a_busy_motor_is_named() -> None:
    async def scenario(rig: SerialRig) -> None:
        drive = await begun(rig, rig.board.drive("lid", 500, Elapsed(), 3.0))
        with pytest.raises(BoardRefusedError, match="lid is busy with another order"):
            await rig.board.drive("lid", 500, Elapsed(), 1.0)
        assert (await drive).reason is Reason.TIME

    run_scenario(scenario)


# Events


def test_every_edge_since_the_subscription_is_received_in_order() -> None:
    async def scenario(rig: SerialRig) -> None:
        edges = rig.board.watch("s1", "home")
        await asyncio.sleep(0.01)
        for active in (True, False, True):
            rig.virtual.sensor("s1", active=active)
        rig.virtual.sensor("home", active=True)
        received = [await anext(edges) for _ in range(4)]
        assert [(e.sensor, e.active, e.count) for e in received] == [
            ("s1", True, 1),
            ("s1", False, 1),
            ("s1", True, 2),
            ("home", True, 1),
        ]
        assert received[0].at == pytest.approx(rig.loop.time(), abs=0.05)

    run_scenario(scenario)


def test_a_sensor_whose_subscribers_have_closed_is_no_longer_reported() -> None:
    async def scenario(rig: SerialRig) -> None:
        edges = rig.board.watch("s1")
        await asyncio.sleep(0.01)
        edges.close()
        for active in (True, False, True, False):
            rig.virtual.sensor("s1", active=active)
            await asyncio.sleep(0.1)
        assert rig.asked.count(wire.Watch(3, 0)) == 1
        assert rig.board.traffic.events == 1
        again = rig.board.watch("s1")
        await asyncio.sleep(0.01)
        rig.virtual.sensor("s1", active=True)
        assert isinstance(await anext(again), Edge)

    run_scenario(scenario)


def test_a_fault_names_its_channel_and_late_subscribers_receive_it_until_cleared() -> None:
    async def scenario(rig: SerialRig) -> None:
        faults = rig.board.faults
        rig.virtual.latch(FaultCode.OVER_CURRENT, 1)
        fault = BoardFault("base", FaultCode.OVER_CURRENT, "lid")
        assert await anext(faults) == fault
        assert await anext(rig.board.faults) == fault
        with pytest.raises(
            BoardRefusedError, match="lid has a latched fault; remove its cause, then"
        ):
            await rig.board.set("lamp", 1)
        await rig.board.clear()
        await rig.board.set("lamp", 1)

    run_scenario(scenario)


def test_a_fault_that_latches_again_with_the_reply_to_clear_is_reported() -> None:
    async def scenario(rig: SerialRig) -> None:
        faults = rig.board.faults
        rig.virtual.latch(FaultCode.OVER_CURRENT, 1)
        assert (await anext(faults)).code is FaultCode.OVER_CURRENT
        execute = rig.virtual.execute

        def clear_and_fail_again(message: wire.Message, sequence: int) -> wire.Message:
            reply = execute(message, sequence)
            if isinstance(message, wire.Clear):
                rig.virtual.latch(FaultCode.OVER_CURRENT, 1)
            return reply

        rig.virtual.execute = clear_and_fail_again  # type: ignore[method-assign]
        await rig.board.clear()
        async with asyncio.timeout(1.0):
            assert (await anext(faults)).code is FaultCode.OVER_CURRENT

    run_scenario(scenario)
