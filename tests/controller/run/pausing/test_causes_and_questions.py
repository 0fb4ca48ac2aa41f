"""The causes of a pause: which ones a person is asked about, how often, and who clears them.

The boards here are fakes that record what they are asked to do.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from itertools import pairwise
from typing import Any, cast

import pytest

from config.loader import load_table
from controller.events import EventLog
from controller.run.faults.catalogue import CATALOGUE, DONE, Fault
from controller.run.faults.failures import TableFault
from controller.run.faults.retry import FaultHandler
from controller.run.journal import Journal
from controller.run.ledger import Ledger
from controller.run.pausing import pauses as ending
from controller.run.pausing.fault_clearing import BackingOff, FaultClearing
from controller.run.pausing.leases import BoardSupply
from controller.run.pausing.operator_help import ASKS, OperatorHelp
from controller.run.pausing.pause_gate import PauseCause, PauseGate
from controller.run.pausing.pauses import (
    ATTEMPTS,
    MOST_PAUSES,
    PERIOD,
    POLL_INTERVAL,
    Pauses,
    RepeatedPauses,
)
from controller.run.pausing.reconnection import Reconnection, never_lost
from controller.run.pausing.resumable_board import ResumableBoard
from controller.run.run_state import RunState
from firmware_bridge.board import Board, Edge
from firmware_bridge.guide import Ask
from firmware_bridge.sim import clock
from firmware_bridge.wire.errors import (
    BoardError,
    BoardProtocolError,
    BoardRefusedError,
    BoardSilentError,
    StrangeBoardError,
)
from tests.firmware_bridge.scripted_edges import scripted

EMERGENCY = PauseCause("EMERGENCY_STOP", "base", "emergency")
EXPIRED = PauseCause("LEASE_EXPIRED", "base")


class QuietBoard(Board):
    """A board that obeys, and records what it was asked to do, with the times."""

    name = "base"

    def __init__(self) -> None:
        self.done: list[str] = []

    async def hold_lease(self) -> None:
        self.done.append("lease")

    async def release_lease(self) -> None:
        self.done.append("release")

    async def clear(self) -> None:
        self.done.append("clear")

    async def read(self, channel: str) -> int:
        return 0

    @scripted
    async def watch(self, *sensors: str) -> AsyncIterator[Edge]:
        await asyncio.Event().wait()
        yield Edge(sensors[0], True, 0.0, 1)


class PausedTable:
    """A table with one fake board, and people who answer every question after a second."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.board = QuietBoard()
        self.asked: list[Ask] = []
        journal = Journal.in_memory("now", {})
        self.run_state = RunState(Ledger.of(1, 28), journal, EventLog(loop.time), loop.time)
        self.people = OperatorHelp(self.run_state, self.answer)
        self.table = load_table("single_port")

    async def answer(self, ask: Ask) -> str:
        self.asked.append(ask)
        await asyncio.sleep(1.0)
        return DONE

    def clearing(self, gate: PauseGate) -> FaultClearing:
        """Return the clearing of this table's faults."""
        board = cast(ResumableBoard, self.board)
        board.wrapped = self.board
        boards = {"base": board}

        async def on_each(do: Callable[[ResumableBoard], Awaitable[None]]) -> None:
            await do(board)

        backing_off = BackingOff(self.table, boards, lambda *_: None)
        loop = asyncio.get_running_loop()
        return FaultClearing(boards, gate, self.people, backing_off, loop.time, on_each)

    def pauses(self, restore: Callable[[], None] = lambda: None) -> Pauses:
        """Return the supervision of this table's board, without its watching tasks.

        The board answers at once. `restore` is called at each attempt to restore it.
        """
        pauses = Pauses(self.table, {"base": self.board}, self.run_state, self.answer, never_lost)
        board = cast(Any, pauses.boards["base"])

        async def answers() -> None:
            return None

        async def restore_axes(_: object) -> None:
            restore()

        board._session.restart = board._lease.drop = answers
        board._session.restore_axes = restore_axes
        return pauses


def at_table(scenario: Callable[[PausedTable], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        table = PausedTable()
        with table.run_state.journal:
            await scenario(table)

    clock.run(main())


# Emergency stops


def test_an_emergency_stop_that_is_pressed_again_during_the_pause_is_asked_about_again() -> None:
    async def scenario(table: PausedTable) -> None:
        gate = PauseGate(lambda _: None)
        clearing = table.clearing(gate)
        gate.shut(EMERGENCY)
        await clearing.clear()
        assert (len(table.asked), table.board.done, clearing.outstanding()) == (1, ["clear"], [])
        gate.shut(EMERGENCY)
        assert clearing.outstanding() == [EMERGENCY]
        await clearing.clear()
        assert (len(table.asked), table.board.done) == (2, ["clear", "clear"])
        assert gate.causes == [EMERGENCY], "it is reported once"

    at_table(scenario)


def test_people_may_press_the_emergency_stop_more_often_than_five_times_in_an_evening() -> None:
    """Pressing the stop is not a sign of a defect. A defect is asked about at most five times."""

    async def scenario(table: PausedTable) -> None:
        gate = PauseGate(lambda _: None)
        clearing = table.clearing(gate)
        for _ in range(ASKS + 2):
            gate.shut(EMERGENCY)
            await clearing.clear()
            gate.reopen()
        assert [ask.code for ask in table.asked] == ["EMERGENCY"] * (ASKS + 2)

    at_table(scenario)


def test_the_question_of_a_pause_says_that_the_answer_lets_the_table_move() -> None:
    """Screens ask for a second confirmation of such an answer."""

    async def scenario(table: PausedTable) -> None:
        await table.people.help(EMERGENCY, CATALOGUE[Fault.EMERGENCY])
        assert [ask.safety for ask in table.asked] == [True]

    at_table(scenario)


# Boards


def test_after_a_person_has_moved_the_cable_the_line_is_opened_again() -> None:
    """The open line still leads to the stranger, or to a port that is gone."""

    async def scenario(table: PausedTable) -> None:
        opened: list[str] = []
        gate = PauseGate(lambda _: None)
        lines = Reconnection(gate, table.people, table.run_state, opened.append)

        async def start() -> str:
            if not opened:
                raise StrangeBoardError("SIM99999 answers, but SIM00000 was here before.")
            return "the right board"

        board = cast(Any, table.board)
        board.start = start
        assert await lines.connect(board) == "the right board"
        assert [ask.code for ask in table.asked] == ["STRANGER"]
        assert opened == ["base"]

    at_table(scenario)


def test_short_pauses_that_are_far_apart_call_nobody() -> None:
    async def scenario(table: PausedTable) -> None:
        repeated = RepeatedPauses(table.people, table.run_state)
        for _ in range(3 * MOST_PAUSES):
            await asyncio.sleep(PERIOD / MOST_PAUSES + 0.1)
            await repeated.ask((EXPIRED,))
            repeated.end_pause()
        assert table.asked == []
        for _ in range(MOST_PAUSES):
            await asyncio.sleep(1.0)
            await repeated.ask((EXPIRED,))
            repeated.end_pause()
        assert len(table.asked) == 1, "eleven pauses in a minute do call somebody"

    at_table(scenario)


def test_lamps_take_a_lost_lease_again_after_work_has_ended() -> None:
    """After the work, the motors have no power any more. So the lease may be renewed for lamps."""

    async def scenario(table: PausedTable) -> None:
        board = table.board
        supply = BoardSupply(board, None, FaultHandler())
        await supply.hold_lease()
        await supply.release_lease()
        await supply.hold_for_signal("red")
        assert board.done == ["lease", "release", "lease"]
        supply.mark_uncertain()
        await supply.hold_for_signal("red")
        assert board.done == ["lease", "release", "lease", "release", "lease"]

    at_table(scenario)


@pytest.mark.parametrize(("leased", "polls"), [(True, 0), (False, 3)])
def test_a_board_is_polled_only_while_no_lease_is_renewed(leased: bool, polls: int) -> None:
    """A lease is renewed several times a second, so a poll would only use the line."""

    class Polled:
        name, is_leased = "base", leased
        polled = 0

        async def poll(self) -> None:
            self.polled += 1

    async def scenario(table: PausedTable) -> None:
        board = Polled()
        polling = table.pauses()._poll_idle(cast(ResumableBoard, board))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(3.5 * POLL_INTERVAL):
                await polling
        assert board.polled == polls

    at_table(scenario)


# The attempts that end a pause


def refusing_for(
    seconds: float,
    error: BoardError | None = None,
    cause: PauseCause = EXPIRED,
) -> tuple[list[float], list[TableFault]]:
    """Pause a table whose board fails with an error at what restores it for this time.

    Returns the times of the attempts, and the fault with which the table stopped.
    """
    tried: list[float] = []
    failed: list[TableFault] = []
    error = error or BoardRefusedError("Board base refuses its lease: the supply is low.")

    async def scenario(table: PausedTable) -> None:
        loop = asyncio.get_running_loop()

        def restore() -> None:
            tried.append(loop.time())
            if loop.time() < seconds:
                raise error

        pauses = table.pauses(restore)
        pauses.gate.shut(cause)
        try:
            await pauses._end_causes()
        except TableFault as fault:
            failed.append(fault)

    at_table(scenario)
    return tried, failed


def test_a_supply_that_is_low_for_half_a_minute_ends_no_round() -> None:
    tried, failed = refusing_for(30.0)
    assert failed == []
    assert 30.0 <= tried[-1] <= 30.0 + ending.LONGEST_WAIT
    waits = [round(later - at, 3) for at, later in pairwise(tried)]
    assert waits[:8] == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]


def test_a_board_that_never_recovers_stops_the_table_after_all_attempts() -> None:
    tried, failed = refusing_for(1e9)
    assert len(tried) == ATTEMPTS
    assert tried[-1] == pytest.approx(71.3)
    assert "could not be ended in 20 attempts" in str(failed[0])
    assert "the supply is low" in str(failed[0])
    assert (failed[0].fault, failed[0].part) == (Fault.BOARD, "board base")


@pytest.mark.parametrize(
    ("error", "cause", "fault"),
    [
        (BoardSilentError("board base: no reply."), PauseCause("COMMAND", ""), Fault.SILENT),
        (BoardProtocolError("board base: an unknown code."), EXPIRED, Fault.PROTOCOL),
        (BoardRefusedError("board base refuses."), PauseCause("SILENT", "base"), Fault.BOARD),
        (BoardRefusedError("board base refuses."), PauseCause("COMMAND", ""), Fault.BOARD),
    ],
    ids=["silent", "protocol", "refused after a silence", "refused after a command"],
)
def test_the_table_stops_with_the_fault_of_the_last_attempt(
    error: BoardError, cause: PauseCause, fault: Fault
) -> None:
    """A board that answers and refuses is not silent: its cable is not the cause."""
    _, (stopped,) = refusing_for(1e9, error, cause)
    assert (stopped.fault, stopped.part) == (fault, "board base")


def test_emergency_stops_during_one_pause_use_up_no_attempts() -> None:
    """A person is asked about each of them, so no limit of attempts stops the table."""

    async def scenario(table: PausedTable) -> None:
        pressed = 0

        def restore() -> None:
            nonlocal pressed
            pressed += 1
            if pressed < 3 * ATTEMPTS:
                pauses.gate.shut(EMERGENCY)

        pauses = table.pauses(restore)
        pauses.gate.shut(EMERGENCY)
        await pauses._end_causes()
        assert len(table.asked) == 3 * ATTEMPTS

    at_table(scenario)
