"""Tests simultaneous failures: each is reported, and parts that still move are stopped."""

from __future__ import annotations

import asyncio
import gc

import pytest

from controller.events import Event, EventLog
from controller.run.assembly import Hardware
from controller.run.daemon import Daemon
from controller.run.faults.catalogue import STOP
from controller.run.faults.failures import Fault, TableFault, sort_failures
from controller.run.operator.guided_steps import Guided
from controller.run.run_together import run_together
from controller.run.stations.switched import Switched
from firmware_bridge.guide import Ask
from firmware_bridge.sim import clock
from firmware_bridge.wire.errors import (
    BoardError,
    BoardProtocolError,
    BoardRefusedError,
    BoardSilentError,
    StrangeBoardError,
)
from tests.controller.played_round import Round, play, unplug
from tests.controller.run.stations.test_stations import rig_of
from tests.controller.table_with_faults import evening


def fails_after(seconds: float, error: BaseException) -> asyncio.Future[None]:
    """Return work that raises this error after this number of seconds."""

    async def work() -> None:
        await asyncio.sleep(seconds)
        raise error

    return work()  # type: ignore[return-value]


# Work in parallel


def test_after_a_failure_the_others_are_cancelled_and_their_motors_stopped() -> None:
    emitted: list[str] = []

    async def other() -> None:
        try:
            await asyncio.sleep(10.0)
            emitted.append("went on")
        finally:
            emitted.append("cancelled")

    async def stop() -> None:
        emitted.append("stopped")
        raise BoardSilentError("board base does not answer.")

    async def main() -> float:
        with pytest.raises(TableFault, match="lift 1"):
            await run_together(
                fails_after(1.0, TableFault(Fault.LIFT, "lift 1", "")), other(), stops=(stop, stop)
            )
        return asyncio.get_running_loop().time()

    assert clock.run(main()) == pytest.approx(1.0)
    assert emitted == ["cancelled", "stopped", "stopped"]


def test_two_failures_at_the_same_moment_are_both_raised() -> None:
    async def main() -> None:
        await run_together(
            fails_after(1.0, TableFault(Fault.LIFT, "lift 1", "")),
            fails_after(1.0, TypeError("an error in the program")),
        )

    with pytest.raises(ExceptionGroup) as raised:
        clock.run(main())
    assert [type(error) for error in raised.value.exceptions] == [TableFault, TypeError]


def test_results_come_in_the_order_of_the_work() -> None:
    async def after(seconds: float) -> float:
        await asyncio.sleep(seconds)
        return seconds

    assert clock.run(run_together(after(2.0), after(1.0))) == [2.0, 1.0]


# Which failures are reported, and which are raised


def test_a_stop_by_a_person_is_reported_before_every_other_fault() -> None:
    jam = TableFault(Fault.JAM, "head 2", "")
    stop = TableFault(Fault.SILENT, "board arm", "a person stopped the table")
    stop.ordered = True
    group = ExceptionGroup("", [jam, ExceptionGroup("", [jam, stop, BoardSilentError("silent.")])])
    found = sort_failures(group)
    assert [fault.part for fault in found.faults] == ["board arm", "head 2", "board"]
    assert found.errors == ()


@pytest.mark.parametrize("mistake", [AssertionError("not so"), TypeError("no such thing")])
def test_an_error_of_the_program_beside_a_fault_is_raised_with_it(mistake: Exception) -> None:
    async def break_two(daemon: Daemon, _: Hardware, events: EventLog) -> None:
        daemon._under.run = lambda: fails_after(1.0, mistake)  # type: ignore[assignment,return-value,method-assign]
        lid = TableFault(Fault.LID, "lid", "it sticks")
        daemon._lid_interrupt.run = lambda: fails_after(1.0, lid)  # type: ignore[assignment,return-value,method-assign]
        events.listen(emitted.append)
        machines.append(daemon.run_state.machine)

    emitted: list[Event] = []
    machines: list[object] = []
    with pytest.raises(ExceptionGroup) as raised:
        evening(meanwhile=break_two)
    assert mistake in sort_failures(raised.value).errors
    assert [fault.part for fault in sort_failures(raised.value).faults] == ["lid"]
    faults = [each for each in emitted if each["event"] == "fault"]
    assert [each["code"] for each in faults] == ["LID"], "the fault is recorded too"
    assert machines[0].above == "fault"  # type: ignore[attr-defined]


def test_an_error_of_the_second_confirmation_of_a_guided_step_is_raised() -> None:
    async def done() -> None:
        await asyncio.sleep(1.0)

    async def breaks_as_it_ends() -> None:
        try:
            await asyncio.sleep(5.0)
        finally:
            raise TypeError("an error in the program")

    with pytest.raises(TypeError, match="an error in the program"):
        clock.run(Guided._either(done(), breaks_as_it_ends()))


# Lifts


class BreaksDown(Switched):
    """A lift that raises a final fault 0.3 s after its start, while the other lifts move."""

    async def go_forth(self) -> None:
        await asyncio.sleep(0.3)
        fault = TableFault(self.fault, self.part, "it broke down")
        fault.final = True
        raise fault


@pytest.mark.slow
def test_a_lift_that_fails_finally_stops_the_other_lifts() -> None:
    lost: list[dict[str, object]] = []

    async def break_one(daemon: Daemon, _: Hardware, __: EventLog) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: lost.append(context))
        lifts = list(daemon._rig.lifts)
        lifts[1] = BreaksDown(**vars(lifts[1]))
        daemon._rig.lifts = tuple(lifts)
        await asyncio.sleep(10.0)
        # Another part holds the lease of the same board, so a release by the lifts stops nothing.
        await daemon._rig.hold([lifts[0].motor.channel])

    emitted = evening(meanwhile=break_one)
    gc.collect()
    assert emitted.fault is not None
    assert (emitted.fault.fault, emitted.fault.part) == (Fault.LIFT, "lift 1")
    assert lost == [], "no lift moves on after the table has stopped"
    (failed,) = emitted.when(event="fault")
    last = {motor: (at, value) for at, motor, value in emitted.pins if motor.startswith("lift")}
    assert {value for _, value in last.values()} == {0}
    assert max(at for at, _ in last.values()) <= failed


# A pause


@pytest.mark.slow
def test_the_error_names_every_board_that_failed_while_a_pause_was_ended() -> None:
    async def three_fail(daemon: Daemon, _: Hardware, __: EventLog) -> None:
        async def do(board: object) -> None:
            await asyncio.sleep(0.1 if board is first else 0.2)
            raise BoardRefusedError(f"board {board.name} refuses.")  # type: ignore[attr-defined]

        first, *_rest = daemon._pauses.boards.values()
        with pytest.raises(BoardError) as raised:
            await daemon._pauses._all(do)
        sentences.append(str(raised.value))

    sentences: list[str] = []
    evening(meanwhile=three_fail)
    for board in ("base", "arm"):
        assert f"board {board} refuses." in sentences[0]


@pytest.mark.slow
def test_an_error_of_the_program_while_a_pause_is_ended_is_raised_at_once() -> None:
    async def one_breaks(daemon: Daemon, _: Hardware, __: EventLog) -> None:
        async def do(board: object) -> None:
            if board is first:
                raise TypeError("an error in the program")
            await asyncio.sleep(1e6)

        first, *_rest = daemon._pauses.boards.values()
        with pytest.raises(TypeError, match="an error in the program"):
            await daemon._pauses._all(do)
        ended.append(asyncio.get_running_loop().time())

    ended: list[float] = []
    evening(meanwhile=one_breaks)
    assert ended[0] < 1.0


def test_a_stop_by_a_person_over_one_silent_board_does_not_wait_for_another_board() -> None:
    def answered(played: Round) -> None:
        asked: list[Ask] = []

        async def stops_the_first(ask: Ask) -> str:
            asked.append(ask)
            if len(asked) > 1:
                await asyncio.sleep(1e6)
            await asyncio.sleep(5.0)
            return STOP

        played.daemon._pauses._people._ask = stops_the_first
        unplug(1e6)(played)

    times: list[float] = []
    with pytest.raises(TableFault, match="a person stopped the table"):
        play(happens={30.0: answered}, on=lambda _, event: times.append(float(str(event["t"]))))
    assert times[-1] < 30.0 + 30.0 + 5.0 + 10.0


def test_a_stop_by_a_person_counts_even_if_the_board_answers_at_that_moment() -> None:
    def answered(played: Round) -> None:
        async def puts_the_plug_back_and_stops(ask: Ask) -> str:
            await asyncio.sleep(5.0)
            assert played.hardware.plug is not None
            played.hardware.plug.put_back()
            return STOP

        played.daemon._pauses._people._ask = puts_the_plug_back_and_stops
        unplug(1e6)(played)

    with pytest.raises(TableFault, match="a person stopped the table"):
        play(happens={30.0: answered})


# Boards


class _UnansweredError(BoardSilentError):
    """A kind of silence."""


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (BoardSilentError, Fault.SILENT),
        (_UnansweredError, Fault.SILENT),
        (BoardProtocolError, Fault.PROTOCOL),
        (StrangeBoardError, Fault.STRANGER),
        (BoardRefusedError, Fault.REFUSED),
        (BoardError, Fault.REFUSED),
    ],
)
def test_an_error_of_a_board_ends_the_run_by_the_fault_of_its_kind(
    error: type[BoardError], fault: Fault
) -> None:
    assert [found.fault for found in sort_failures(error("board base: why.")).faults] == [fault]


# A head: its lift and its push


def test_a_push_and_a_lift_that_fail_together_are_both_raised() -> None:
    rig, _ = rig_of("robotic")
    head = rig.heads[0]
    lifts = iter((None, TableFault(Fault.JAM, "head 0", "blocked")))

    async def lift(tiles: int) -> int:
        await asyncio.sleep(1.0)
        if (fault := next(lifts)) is not None:
            raise fault
        return tiles

    assert head._push is not None
    head._lift.lift = lift  # type: ignore[method-assign,assignment]
    head._push.push = lambda: fails_after(0.5, TypeError("an error in the program"))  # type: ignore[method-assign,return-value,assignment]
    with pytest.raises(ExceptionGroup) as raised:
        clock.run(head.stack((2, 2)))
    assert [type(error) for error in raised.value.exceptions] == [TableFault, TypeError]


def test_a_push_is_cancelled_when_the_lift_of_the_same_head_fails() -> None:
    rig, _ = rig_of("robotic")
    head = rig.heads[0]
    lifts = iter((None, TableFault(Fault.JAM, "head 0", "blocked")))
    emitted: list[str] = []

    async def lift(tiles: int) -> int:
        await asyncio.sleep(1.0)
        if (fault := next(lifts)) is not None:
            raise fault
        return tiles

    async def push() -> None:
        try:
            await asyncio.sleep(10.0)
        finally:
            emitted.append("push is over")

    assert head._push is not None
    head._lift.lift = lift  # type: ignore[method-assign,assignment]
    head._push.push = push  # type: ignore[method-assign]

    async def main() -> None:
        with pytest.raises(TableFault, match="blocked"):
            await head.stack((2, 2))
        assert emitted == ["push is over"]

    clock.run(main())
