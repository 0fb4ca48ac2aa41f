"""Orders that outlive pauses, one board at a desk: continued, never repeated."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from controller.pausing.pause_gate import PauseCause, PauseGate
from controller.pausing.resumable_board import ResumableBoard
from firmware_bridge.board import Edges, Elapsed, Ended, Level, Reason
from firmware_bridge.wire.errors import BoardRefusedError
from firmware_bridge.wire.messages import Drive, Set, ThrowDice
from tests.firmware_bridge.desk import CONFIG, Desk, run_scenario

Scenario = Callable[[Desk, ResumableBoard, PauseGate], Awaitable[None]]


def at_the_desk(scenario: Scenario) -> list[PauseCause]:
    """A story with a steady board that holds a lease; what its gate heard."""
    events: list[PauseCause] = []

    async def main(desk: Desk) -> None:
        await desk.board.release_lease()
        gate = PauseGate(events.append)
        board = ResumableBoard(desk.board, CONFIG, gate)
        await board.start()
        await board.hold_lease()
        await scenario(desk, board, gate)

    run_scenario(main)
    return events


async def end_pause(board: ResumableBoard, gate: PauseGate) -> None:
    """What the watch over a table does, without people."""
    assert not gate.open
    await board.rest()
    await board.meet()
    await board.get_ready()
    gate.let_through()
    board.go_on()
    await asyncio.sleep(0)
    await board.run_on()


def pass_tiles(desk: Desk, number: int) -> None:
    for _ in range(number):
        desk.virtual.sensor("s1", True)
        desk.virtual.sensor("s1", False)


async def stalled(desk: Desk, seconds: float) -> None:
    desk.deaf = True
    await asyncio.sleep(seconds)
    desk.deaf = False
    await asyncio.sleep(0.6)


def test_after_a_stall_a_drive_goes_on_with_the_edges_that_are_left() -> None:
    async def scenario(desk: Desk, board: ResumableBoard, gate: PauseGate) -> None:
        lift = asyncio.ensure_future(board.drive("lid", 1000, Edges("s1", 5), 30.0))
        await asyncio.sleep(0.1)
        pass_tiles(desk, 2)
        await stalled(desk, 1.0)
        await end_pause(board, gate)
        await asyncio.sleep(0.1)
        orders = [order for order in desk.asked if isinstance(order, Drive)]
        assert [order.count for order in orders] == [5, 3]
        pass_tiles(desk, 3)
        ended = await lift
        assert (ended.reason, ended.count) == (Reason.EDGES, 5)

    assert [trouble.why for trouble in at_the_desk(scenario)] == ["LEASE_EXPIRED"]


def test_edges_that_nobody_heard_of_are_counted_when_the_line_is_back() -> None:
    async def scenario(desk: Desk, board: ResumableBoard, gate: PauseGate) -> None:
        lift = asyncio.ensure_future(board.drive("lid", 1000, Edges("s1", 5), 30.0))
        await asyncio.sleep(0.1)
        desk.host.unplug()
        pass_tiles(desk, 5)
        await asyncio.sleep(2.0)
        desk.replug()
        await end_pause(board, gate)
        ended = await lift
        assert (ended.reason, ended.count) == (Reason.EDGES, 5)
        assert sum(isinstance(order, Drive) for order in desk.asked) == 1, "it is not ordered again"

    at_the_desk(scenario)


def test_an_order_that_never_reached_the_board_is_given_once_more() -> None:
    async def scenario(desk: Desk, board: ResumableBoard, gate: PauseGate) -> None:
        desk.host.unplug()
        lift = asyncio.ensure_future(board.drive("lid", 1000, Edges("s1", 2), 30.0))
        await asyncio.sleep(1.0)
        desk.replug()
        await end_pause(board, gate)
        await asyncio.sleep(0.1)
        pass_tiles(desk, 2)
        assert (await lift).count == 2

    at_the_desk(scenario)


def test_dice_that_lay_still_before_anybody_heard_are_not_thrown_again() -> None:
    async def scenario(desk: Desk, board: ResumableBoard, gate: PauseGate) -> None:
        throw = asyncio.ensure_future(board.throw("dome", 2))
        await asyncio.sleep(1.0)
        desk.host.arrive = lambda data: None  # type: ignore[method-assign]
        await asyncio.sleep(0.6)
        desk.host.unplug()
        await asyncio.sleep(1.0)
        desk.replug()
        await end_pause(board, gate)
        assert await throw == (1, 2)
        assert sum(isinstance(order, ThrowDice) for order in desk.asked) == 1
        assert await board.thrown("dome") == (1, (1, 2))

    at_the_desk(scenario)


def test_a_throw_that_was_cut_short_is_thrown_once() -> None:
    async def scenario(desk: Desk, board: ResumableBoard, gate: PauseGate) -> None:
        throw = asyncio.ensure_future(board.throw("dome", 2))
        await asyncio.sleep(0.5)
        await stalled(desk, 1.2)
        await end_pause(board, gate)
        assert await throw == (1, 2)
        assert await board.thrown("dome") == (1, (1, 2))

    at_the_desk(scenario)


def test_what_was_on_is_on_again_and_what_is_timed_runs_its_whole_time_once() -> None:
    async def scenario(desk: Desk, board: ResumableBoard, gate: PauseGate) -> None:
        await board.set("lamp", 1)
        run = asyncio.ensure_future(board.drive("lid", 500, Elapsed(), 3.0))
        await stalled(desk, 1.0)
        assert desk.recorder.outputs["lamp"] == 0
        await end_pause(board, gate)
        await asyncio.sleep(0.01)
        assert desk.recorder.outputs["lamp"] == 1
        ended = await run
        assert ended.reason is Reason.TIME
        assert ended.seconds == pytest.approx(3.0, abs=0.002)

    at_the_desk(scenario)


def test_what_somebody_stops_during_a_pause_does_not_go_on_after_it() -> None:
    async def scenario(desk: Desk, board: ResumableBoard, gate: PauseGate) -> None:
        run = asyncio.ensure_future(board.drive("lid", 500, Elapsed(), 3.0))
        await asyncio.sleep(0.1)
        await stalled(desk, 1.0)
        await board.stop("lid")
        await end_pause(board, gate)
        assert (await run).reason is Reason.STOPPED
        assert desk.recorder.outputs["lid"] == 0

    at_the_desk(scenario)


def test_a_lid_that_reached_its_switch_meanwhile_is_not_driven_on() -> None:
    async def scenario(desk: Desk, board: ResumableBoard, gate: PauseGate) -> None:
        lid = asyncio.ensure_future(board.drive("lid", 1000, Level("lid_open"), 30.0))
        await asyncio.sleep(0.1)
        desk.host.unplug()
        desk.virtual.sensor("lid_open", True)
        desk.replug()
        await asyncio.sleep(0.1)
        await end_pause(board, gate)
        assert (await lid).reason is Reason.LEVEL
        assert sum(isinstance(order, Drive) for order in desk.asked) == 1

    at_the_desk(scenario)


def test_without_a_pause_nothing_is_asked_that_was_not_ordered() -> None:
    async def scenario(desk: Desk, board: ResumableBoard, gate: PauseGate) -> None:
        asked = len(desk.asked)
        await board.set("lamp", 1)
        assert (await board.drive("lid", 500, Elapsed(), 0.1)).reason is Reason.TIME
        assert [type(order) for order in desk.asked[asked:]] == [Set, Drive]

    assert at_the_desk(scenario) == []


def test_a_mistake_of_the_caller_is_no_pause() -> None:
    async def scenario(desk: Desk, board: ResumableBoard, gate: PauseGate) -> None:
        with pytest.raises(BoardRefusedError, match="has no channel lit"):
            await board.set("lit", 1)
        await board.release_lease()
        with pytest.raises(BoardRefusedError, match="nobody holds it"):
            await board.release_lease()
        with pytest.raises(BoardRefusedError, match="no lease is held"):
            await board.set("lamp", 1)
        assert gate.open
        await board.hold_lease()

    assert at_the_desk(scenario) == []


def test_a_board_remembers_counts_orders_and_dice_through_a_reset() -> None:
    async def scenario(desk: Desk, board: ResumableBoard, gate: PauseGate) -> None:
        lift = asyncio.ensure_future(desk.board.drive("lid", 1000, Edges("s1", 5), 30.0))
        await asyncio.sleep(0.1)
        pass_tiles(desk, 2)
        assert await desk.board.throw("dome", 3) == (1, 2, 3)
        desk.host.unplug()
        desk.virtual.reset(1)
        desk.virtual.sensor("s1", True)
        desk.replug()
        await asyncio.gather(lift, return_exceptions=True)
        await desk.board.start()
        assert await desk.board.count("s1") == 3, "what came before it while it was dark counts"
        assert await desk.board.thrown("dome") == (1, (1, 2, 3))
        came = await desk.board.recall("lid")
        assert came is not None and isinstance(came, Ended)
        assert (came.reason, came.count) == (Reason.FAULT, 3)

    at_the_desk(scenario)
