"""Tests that commands that a pause interrupts at a board are continued, not repeated."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from controller.run.pausing.pause_gate import Interruption, PauseCause, PauseGate
from controller.run.pausing.resumable_board import ResumableBoard
from controller.run.pausing.resumed_commands import ResumedCommands
from firmware_bridge.board import Board, Edges, Elapsed, Ended, Level, Reason
from firmware_bridge.sim import clock
from firmware_bridge.wire.errors import BoardRefusedError
from firmware_bridge.wire.messages import Drive, Set, ThrowDice
from tests.firmware_bridge.serial_rig import CONFIG, SerialRig, run_scenario

Scenario = Callable[[SerialRig, ResumableBoard, PauseGate], Awaitable[None]]


def run_with_board(scenario: Scenario) -> list[PauseCause]:
    """Run a scenario with a resumable board that holds its lease; returns the pause causes."""
    causes: list[PauseCause] = []

    async def main(rig: SerialRig) -> None:
        await rig.board.release_lease()
        gate = PauseGate(causes.append)
        board = ResumableBoard(rig.board, CONFIG, gate)
        await board.start()
        await board.hold_lease()
        await scenario(rig, board, gate)

    run_scenario(main)
    return causes


async def end_pause(board: ResumableBoard, gate: PauseGate) -> None:
    """Run the steps by which `Pauses` ends a pause, without people."""
    assert not gate.open
    await board.make_safe()
    await board.restart()
    await board.restore()
    gate.reopen()
    board.resume()
    await asyncio.sleep(0)
    await board.restart_motors()


def pass_tiles(rig: SerialRig, number: int) -> None:
    for _ in range(number):
        rig.virtual.sensor("s1", True)
        rig.virtual.sensor("s1", False)


async def stalled(rig: SerialRig, seconds: float) -> None:
    rig.drops_input = True
    await asyncio.sleep(seconds)
    rig.drops_input = False
    await asyncio.sleep(0.6)


def test_after_a_stall_a_drive_continues_with_the_remaining_edges() -> None:
    async def scenario(rig: SerialRig, board: ResumableBoard, gate: PauseGate) -> None:
        lift = asyncio.ensure_future(board.drive("lid", 1000, Edges("s1", 5), 30.0))
        await asyncio.sleep(0.1)
        pass_tiles(rig, 2)
        await stalled(rig, 1.0)
        await end_pause(board, gate)
        await asyncio.sleep(0.1)
        drives = [command for command in rig.asked if isinstance(command, Drive)]
        assert [drive.count for drive in drives] == [5, 3]
        pass_tiles(rig, 3)
        ended = await lift
        assert (ended.reason, ended.count) == (Reason.EDGES, 5)

    assert [cause.why for cause in run_with_board(scenario)] == ["LEASE_EXPIRED"]


def test_edges_during_a_lost_line_are_counted_when_the_line_is_back() -> None:
    async def scenario(rig: SerialRig, board: ResumableBoard, gate: PauseGate) -> None:
        lift = asyncio.ensure_future(board.drive("lid", 1000, Edges("s1", 5), 30.0))
        await asyncio.sleep(0.1)
        rig.host.unplug()
        pass_tiles(rig, 5)
        await asyncio.sleep(2.0)
        rig.replug()
        await end_pause(board, gate)
        ended = await lift
        assert (ended.reason, ended.count) == (Reason.EDGES, 5)
        assert sum(isinstance(command, Drive) for command in rig.asked) == 1, (
            "the command is not sent again"
        )

    run_with_board(scenario)


def test_a_command_that_never_reached_the_board_is_sent_again() -> None:
    async def scenario(rig: SerialRig, board: ResumableBoard, gate: PauseGate) -> None:
        rig.host.unplug()
        lift = asyncio.ensure_future(board.drive("lid", 1000, Edges("s1", 2), 30.0))
        await asyncio.sleep(1.0)
        rig.replug()
        await end_pause(board, gate)
        await asyncio.sleep(0.1)
        pass_tiles(rig, 2)
        assert (await lift).count == 2

    run_with_board(scenario)


def test_dice_that_came_to_rest_during_a_lost_line_are_not_thrown_again() -> None:
    async def scenario(rig: SerialRig, board: ResumableBoard, gate: PauseGate) -> None:
        throw = asyncio.ensure_future(board.throw("dome", 2))
        await asyncio.sleep(1.0)
        rig.host.arrive = lambda data: None  # type: ignore[method-assign]
        await asyncio.sleep(0.6)
        rig.host.unplug()
        await asyncio.sleep(1.0)
        rig.replug()
        await end_pause(board, gate)
        assert await throw == (1, 2)
        assert sum(isinstance(command, ThrowDice) for command in rig.asked) == 1
        assert await board.thrown("dome") == (1, (1, 2))

    run_with_board(scenario)


def test_an_interrupted_throw_counts_once() -> None:
    async def scenario(rig: SerialRig, board: ResumableBoard, gate: PauseGate) -> None:
        throw = asyncio.ensure_future(board.throw("dome", 2))
        await asyncio.sleep(0.5)
        await stalled(rig, 1.2)
        await end_pause(board, gate)
        assert await throw == (1, 2)
        assert await board.thrown("dome") == (1, (1, 2))

    run_with_board(scenario)


def test_values_are_restored_and_a_timed_drive_runs_its_whole_time_once() -> None:
    async def scenario(rig: SerialRig, board: ResumableBoard, gate: PauseGate) -> None:
        await board.set("lamp", 1)
        run = asyncio.ensure_future(board.drive("lid", 500, Elapsed(), 3.0))
        await stalled(rig, 1.0)
        assert rig.recorder.outputs["lamp"] == 0
        await end_pause(board, gate)
        await asyncio.sleep(0.01)
        assert rig.recorder.outputs["lamp"] == 1
        ended = await run
        assert ended.reason is Reason.TIME
        assert ended.seconds == pytest.approx(3.0, abs=0.002)

    run_with_board(scenario)


def test_a_drive_that_is_stopped_during_a_pause_is_not_resumed() -> None:
    async def scenario(rig: SerialRig, board: ResumableBoard, gate: PauseGate) -> None:
        run = asyncio.ensure_future(board.drive("lid", 500, Elapsed(), 3.0))
        await asyncio.sleep(0.1)
        await stalled(rig, 1.0)
        await board.stop("lid")
        await end_pause(board, gate)
        assert (await run).reason is Reason.STOPPED
        assert rig.recorder.outputs["lid"] == 0

    run_with_board(scenario)


def test_a_drive_that_is_stopped_without_a_pause_is_not_sent_again() -> None:
    async def scenario(rig: SerialRig, board: ResumableBoard, gate: PauseGate) -> None:
        run = asyncio.ensure_future(board.drive("lid", 500, Elapsed(), 3.0))
        await asyncio.sleep(0.1)
        await board.stop("lid")
        ended = await run
        assert (ended.reason, round(ended.seconds, 1)) == (Reason.STOPPED, 0.1)
        await asyncio.sleep(0.5)
        assert rig.recorder.outputs["lid"] == 0
        assert sum(isinstance(command, Drive) for command in rig.asked) == 1

    run_with_board(scenario)


def test_a_pulse_that_a_pause_cut_at_its_very_end_is_not_sent_again() -> None:
    """The gate was open for its whole time. A second pulse, of 0 s, would be refused."""

    async def scenario(rig: SerialRig, board: ResumableBoard, gate: PauseGate) -> None:
        ended = [Ended(Reason.HELD, 0, 1.2), Ended(Reason.FAULT, 0, 0.8)]
        sent: list[str] = []

        async def send(channel: str, *_: object) -> Ended:
            sent.append(channel)
            return ended[len(sent) - 1]

        board._commands._send = send  # type: ignore[method-assign,assignment]
        done = await board.pulse("lamp", 1, 2.0)
        assert (done, sent) == (Ended(Reason.DONE, 0, 2.0), ["lamp", "lamp"])

    run_with_board(scenario)


STEP = 0.0002
"""Interval at which the end of a pause is observed, seconds; a message takes about 0.001 s."""
Command = Callable[[ResumableBoard], Awaitable[object]]
GIVEN: dict[str, tuple[str, Command]] = {
    "a motor that runs": ("lid", lambda board: board.set("lid", 400)),
    "an output that is on": ("lamp", lambda board: board.set("lamp", 1)),
    "a drive": ("lid", lambda board: board.drive("lid", 400, Edges("s1", 5), 20.0)),
    "a timed drive": ("lid", lambda board: board.drive("lid", 400, Elapsed(), 20.0)),
    "a pulse": ("lamp", lambda board: board.pulse("lamp", 1, 20.0)),
    "a throw": ("dome", lambda board: board.throw("dome", 2)),
    "a move": ("x", lambda board: board.move({"x": 0.4}, 100)),
}
"""The channel and the command of a caller, by name."""


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("in_pause", [False, True], ids=["before_it", "in_it"])
def test_what_is_stopped_at_any_moment_of_the_end_of_a_pause_stays_off(
    given: str, in_pause: bool
) -> None:
    """The stop comes just before and just after each message that the board receives meanwhile.

    The command is given before the pause, or during it.
    """
    channel, give = GIVEN[given]
    moments, missed = list[float](), list[float]()

    async def scenario(
        delay: float | None, rig: SerialRig, board: ResumableBoard, gate: PauseGate
    ) -> None:
        if channel == "x":
            await board.home("x")
        work = None if in_pause else asyncio.ensure_future(give(board))
        await asyncio.sleep(0.1)
        await stalled(rig, 1.0)
        gate.shut(PauseCause("COMMAND", ""))
        work = work or asyncio.ensure_future(give(board))
        begun, asked = rig.loop.time(), len(rig.asked)
        ending = asyncio.ensure_future(end_pause(board, gate))
        if delay is None:
            while not ending.done():
                await asyncio.sleep(STEP)
                if len(rig.asked) > asked or ending.done():
                    after = rig.loop.time() - begun
                    moments.extend((after - 2 * STEP, after - STEP, after, after + STEP))
                asked = len(rig.asked)
        else:
            await asyncio.sleep(delay)
            await board.stop(channel)
            await ending
            await asyncio.sleep(0.5)
            if rig.recorder.outputs.get(channel, 0) or not work.done():
                missed.append(delay)
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)

    run_with_board(partial(scenario, None))
    assert len(moments) >= 12
    for moment in sorted(set(moments)):
        run_with_board(partial(scenario, max(moment, 0.0)))
    assert missed == []


def test_a_lid_that_reached_its_switch_during_a_lost_line_is_not_driven_further() -> None:
    async def scenario(rig: SerialRig, board: ResumableBoard, gate: PauseGate) -> None:
        lid = asyncio.ensure_future(board.drive("lid", 1000, Level("lid_open"), 30.0))
        await asyncio.sleep(0.1)
        rig.host.unplug()
        rig.virtual.sensor("lid_open", True)
        rig.replug()
        await asyncio.sleep(0.1)
        await end_pause(board, gate)
        assert (await lid).reason is Reason.LEVEL
        assert sum(isinstance(command, Drive) for command in rig.asked) == 1

    run_with_board(scenario)


def test_without_a_pause_no_extra_command_is_sent() -> None:
    async def scenario(rig: SerialRig, board: ResumableBoard, gate: PauseGate) -> None:
        asked = len(rig.asked)
        await board.set("lamp", 1)
        assert (await board.drive("lid", 500, Elapsed(), 0.1)).reason is Reason.TIME
        assert [type(command) for command in rig.asked[asked:]] == [Set, Drive]

    assert run_with_board(scenario) == []


def test_an_error_of_the_caller_causes_no_pause() -> None:
    async def scenario(rig: SerialRig, board: ResumableBoard, gate: PauseGate) -> None:
        with pytest.raises(BoardRefusedError, match="has no channel lit"):
            await board.set("lit", 1)
        await board.release_lease()
        with pytest.raises(BoardRefusedError, match="it is not held"):
            await board.release_lease()
        with pytest.raises(BoardRefusedError, match="no lease is held"):
            await board.set("lamp", 1)
        assert gate.open
        await board.hold_lease()

    assert run_with_board(scenario) == []


def test_a_board_keeps_counts_progress_and_dice_through_a_reset() -> None:
    async def scenario(rig: SerialRig, board: ResumableBoard, gate: PauseGate) -> None:
        lift = asyncio.ensure_future(rig.board.drive("lid", 1000, Edges("s1", 5), 30.0))
        await asyncio.sleep(0.1)
        pass_tiles(rig, 2)
        assert await rig.board.throw("dome", 3) == (1, 2, 3)
        rig.host.unplug()
        rig.virtual.reset(1)
        rig.virtual.sensor("s1", True)
        rig.replug()
        await asyncio.gather(lift, return_exceptions=True)
        await rig.board.start()
        assert await rig.board.count("s1") == 3, "edges that occur during the reset are counted"
        assert await rig.board.thrown("dome") == (1, (1, 2, 3))
        progress = await rig.board.recall("lid")
        assert progress is not None and isinstance(progress, Ended)
        assert (progress.reason, progress.count) == (Reason.FAULT, 3)

    run_with_board(scenario)


def test_after_a_pause_a_driven_motor_is_not_set_to_an_earlier_value() -> None:
    async def scenario(rig: SerialRig, board: ResumableBoard, gate: PauseGate) -> None:
        await board.set("lid", 400)
        lift = asyncio.ensure_future(board.drive("lid", 1000, Edges("s1", 1), 30.0))
        await asyncio.sleep(0.1)
        before = [command for command in rig.asked if isinstance(command, Set)]
        assert len(before) == 1
        await stalled(rig, 1.0)
        await end_pause(board, gate)
        await asyncio.sleep(0.1)
        pass_tiles(rig, 1)
        assert (await lift).reason is Reason.EDGES
        assert [command for command in rig.asked if isinstance(command, Set)] == before

    run_with_board(scenario)


class BeltBoard(Board):
    """A board of two belts; `on_set` is called while it executes a `set`."""

    name = "base"

    def __init__(self) -> None:
        self.values: dict[str, int] = {}
        self.on_set: Callable[[str], Awaitable[None]] | None = None

    async def set(self, channel: str, value: int) -> None:
        self.values[channel] = value
        if self.on_set is not None:
            await self.on_set(channel)

    async def stop(self, channel: str | None = None) -> None:
        assert channel is not None
        self.values[channel] = 0


@pytest.mark.parametrize(("stopped", "running"), [("first", "second"), ("second", "first")])
def test_a_belt_that_is_stopped_while_the_other_one_is_restored_stays_off(
    stopped: str, running: str
) -> None:
    async def scenario() -> dict[str, int]:
        board, gate = BeltBoard(), PauseGate(lambda cause: None)
        motor = CONFIG.channels["lid"]
        config = CONFIG.model_copy(update={"channels": {"first": motor, "second": motor}})
        commands = ResumedCommands(board, config, Interruption("base", gate, lambda why: True))
        await commands.set("first", 500)
        await commands.set("second", 500)
        board.values = {}

        async def on_set(channel: str) -> None:
            if channel == running:
                await commands.stop(stopped)

        board.on_set = on_set
        await commands.restore(motors=True)
        return board.values

    assert clock.run(scenario()) == {stopped: 0, running: 500}


def test_a_gate_that_is_shut_again_at_once_cancels_no_command() -> None:
    async def scenario() -> str:
        gate = PauseGate(lambda cause: None)
        gate.shut(PauseCause("COMMAND", ""))
        waiting = asyncio.ensure_future(gate.wait_until_open())
        await asyncio.sleep(1.0)
        gate.reopen()
        gate.shut(PauseCause("SILENT", "base"))
        await asyncio.sleep(1.0)
        assert not waiting.done()
        gate.reopen()
        await waiting
        return "open"

    assert clock.run(scenario()) == "open"
