"""Begins and ends pauses: after a host stall, a lost line, a latched fault or a reach-in.

The first cause shuts the gate: no further command is sent, every board lets its outputs go to
their safe values, and the table reports that it is paused and why. Then these steps run in this
order, from the first one again if any of them fails:

1. Make safe: every board lets its outputs go to their safe values.
2. Reconnect: a lost line is opened again, and a silent board is asked again until it answers.
3. Back off: a part that met an obstacle is driven back a little.
4. Ask about pauses that are repeated too often without a person (`RepeatedPauses`): a board that
   loses its lease or its line, or is reset, again and again would interrupt the table for ever.
5. Clear: every latched fault is cleared, after a person's confirmation where that is required.
6. Wait for a person's command, if the pause was commanded.
7. Restore: leases, axes, the progress of each interrupted command, gates and jaws.

Then the gate opens. Every wait has a time limit, after which a person is asked, or the table stops.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from functools import partial

from config.recovery_limits import limits_of
from config.schema import Table
from controller.events import EventName
from controller.run.faults.catalogue import CATALOGUE, Fault, latched
from controller.run.faults.retry import Asking, FaultHandler
from controller.run.pausing.fault_clearing import BackingOff, FaultClearing
from controller.run.pausing.leases import BoardSupply
from controller.run.pausing.operator_help import OperatorHelp, stopping_fault
from controller.run.pausing.pause_gate import (
    COMMAND,
    FAULT,
    PROTOCOL,
    SILENT,
    PauseCause,
    PauseGate,
)
from controller.run.pausing.reconnection import Reconnect, Reconnection
from controller.run.pausing.resumable_board import ResumableBoard
from controller.run.run_state import RunState
from controller.run.run_together import run_together
from controller.run.stations.homing import Homing, gantry_homing
from firmware_bridge.board import Board, BoardIdentity, FaultCode
from firmware_bridge.wire.errors import (
    BoardError,
    BoardProtocolError,
    BoardRefusedError,
    BoardSilentError,
)

POLL_INTERVAL = 10.0
"""Interval at which a board without a lease is polled, seconds (our choice).

Without polling, a reset of such a board would not be detected.
"""
ATTEMPTS = 20
"""How often the steps that end one pause are tried before the table stops.

Attempts before a person was asked do not count: questions have a limit of their own.
"""
FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0
"""First and longest wait between two attempts, seconds; it doubles every time (our choice).

All attempts then take 71 s, so that a supply or a board that recovers within a minute ends no
round. Without waits the attempts were over within the same second.
"""

_NO_SUPPLIES: Mapping[str, BoardSupply] = {}
_POWERLESS = (
    FaultCode.EMERGENCY_STOP,
    FaultCode.BROWN_OUT,
    FaultCode.WATCHDOG,
    FaultCode.LATE_STEP,
)
"""Causes that lose the positions of axes: all but LATE_STEP cut the axes' power."""


class Pauses:
    """Supervises a table's boards; its attribute `boards` has each of them with resumable commands.

    `ask` asks a person, `reconnect` opens a board's line again; `supplies` are the shared leases of
    boards that have a relay, lamps of the tower or the buzzer, by their names.
    """

    def __init__(
        self,
        table: Table,
        boards: Mapping[str, Board],
        run_state: RunState,
        ask: Asking,
        reconnect: Reconnect,
        supplies: Mapping[str, BoardSupply] = _NO_SUPPLIES,
    ) -> None:
        self.gate = PauseGate(self._record_cause)
        self._people = OperatorHelp(run_state, ask)
        fault_handler = FaultHandler(partial(limits_of, table), self._people.answer_to, run_state)
        self.boards = {
            name: ResumableBoard(
                board,
                table.boards[name],
                self.gate,
                _homing(table, name, fault_handler),
                supplies.get(name),
            )
            for name, board in boards.items()
        }
        self._run_state = run_state
        self._reconnection = Reconnection(self.gate, self._people, run_state, reconnect)
        self._backing_off = BackingOff(table, self.boards, self._backed_off)
        self._clearing = FaultClearing(
            self.boards, self.gate, self._people, self._backing_off, run_state.clock, self._all
        )
        self._repeated = RepeatedPauses(self._people, run_state)
        self._since: float | None = None
        """When the present pause began, seconds of the table's clock; None while there is none."""
        self._failing: tuple[str, ...] = ()
        """The boards that failed last in a step that ends pauses."""
        self._released = asyncio.Event()
        """Cleared while a person's command holds the table paused."""
        self._released.set()

    def hold(self) -> None:
        """Pause the table until `release`. There is no time limit: people may go for dinner."""
        self._released.clear()
        self._run_state.commanded_pauses += 1
        self.gate.shut(PauseCause(COMMAND, ""))

    def release(self) -> None:
        """End a pause that `hold` began; other causes of it still have to be removed."""
        self._released.set()

    @property
    def held(self) -> bool:
        """Whether a command holds the table paused."""
        return not self._released.is_set()

    async def watch(self) -> None:
        """Watch every board and end every pause, until cancelled. Raises TableFault."""
        try:
            async with asyncio.TaskGroup() as tasks:
                for board in self.boards.values():
                    tasks.create_task(self._watch_faults(board))
                    tasks.create_task(self._poll_idle(board))
                while True:
                    await self.gate.wait_until_shut()
                    await self._end_causes()
                    await self._resume()
        finally:
            self.gate.cancel_waiting()

    async def connect(self, board: ResumableBoard) -> BoardIdentity:
        """Begin the first session with a board. Raises BoardError, TableFault."""
        return await self._reconnection.connect(board)

    # Causes of a pause

    async def _watch_faults(self, board: ResumableBoard) -> None:
        """Pause for every fault that a board reports, and when the board no longer answers."""
        while True:
            try:
                with closing(board.faults) as faults:
                    async for fault in faults:
                        self.gate.shut(PauseCause.of(fault))
            except BoardSilentError:
                self.gate.shut(PauseCause(SILENT, board.name))
            else:
                return  # the board was closed

    async def _poll_idle(self, board: ResumableBoard) -> None:
        """Poll a board at intervals while it holds no lease, to detect its reset or silence."""
        while True:
            await asyncio.sleep(POLL_INTERVAL)
            if self.gate.open and not board.is_leased:
                try:
                    await board.poll()
                except BoardRefusedError:
                    self.gate.shut(PauseCause(FAULT, board.name))
                except BoardSilentError:
                    self.gate.shut(PauseCause(SILENT, board.name))
                except BoardProtocolError:
                    pass  # `_watch_faults` reports it

    def _record_cause(self, cause: PauseCause) -> None:
        """Emit a new cause; the first one pauses the state machine. Called by the gate."""
        run_state = self._run_state
        if cause.code in _POWERLESS and cause.board in self.boards:
            self.boards[cause.board].mark_power_lost()
        if self._since is None:
            self._since = run_state.clock()
            run_state.pauses += 1
            if run_state.machine.mode == "going":
                run_state.machine.fire("pause")
        run_state.events.emit(
            EventName.PAUSED, why=cause.why, board=cause.board, channel=cause.channel
        )
        if cause.why == PROTOCOL:
            run_state.events.emit(EventName.PROTOCOL_BROKEN, board=cause.board, message=cause.seen)

    # Ending a pause

    async def _end_causes(self) -> None:
        """Run all steps that end a pause; again if a board fails or a new cause comes meanwhile.

        Waits between the attempts. Raises TableFault after `ATTEMPTS`.
        """
        last: BoardError | None = None
        failed, assists = 0, self._run_state.assists_in_pauses
        while failed < ATTEMPTS:
            if failed:
                await asyncio.sleep(min(FIRST_WAIT * 2 ** (failed - 1), LONGEST_WAIT))
            try:
                await self._all(ResumableBoard.make_safe)
                await self._all(self._reconnection.reconnect)
                known = tuple(self.gate.causes)
                await self._backing_off.answer(known)
                await self._repeated.ask(tuple(each for each in known if each.why != COMMAND))
                await self._clearing.clear()
                await self._released.wait()
                await self._all(ResumableBoard.restore)
            except BoardError as error:
                last = error
                if self._clearing.is_unexplained(error):
                    self.gate.cleared.clear()
            else:
                if known == tuple(self.gate.causes) and not self._clearing.outstanding():
                    return
                last = None
            if assists != self._run_state.assists_in_pauses:
                failed, assists = 0, self._run_state.assists_in_pauses
            failed += 1
        why = f"the last error: {last}" if last is not None else "its causes were repeated"
        evidence = f"the pause could not be ended in {ATTEMPTS} attempts; {why}"
        raise stopping_fault(self._remaining_cause(last), evidence)

    def _remaining_cause(self, error: BoardError | None) -> PauseCause:
        """The cause for which the last attempt to end a pause failed with this error.

        An error of a single kind shows the cause. A refusal belongs to a fault that its board still
        has latched; if there is none, it is a fault without a code.
        """
        causes, board = self.gate.causes, next(iter(self._failing), "")
        own = [cause for cause in causes if cause.board == board] or causes
        if isinstance(error, BoardSilentError):
            return PauseCause(SILENT, board or own[-1].board)
        if isinstance(error, BoardProtocolError):
            return PauseCause(PROTOCOL, board or own[-1].board)
        latched = [cause for cause in self._clearing.outstanding() if cause in own]
        return latched[0] if latched else PauseCause(FAULT, board or own[-1].board)

    async def _resume(self) -> None:
        """Open the gate and resume the interrupted commands, drum and belts last."""
        run_state = self._run_state
        commanded = all(cause.why == COMMAND for cause in self.gate.causes)
        self.gate.reopen()
        self._backing_off.end_pause()
        if not commanded:
            self._repeated.end_pause()
        if run_state.machine.mode == "paused":
            run_state.machine.fire("resume")
        since, self._since = self._since or 0.0, None
        run_state.events.emit(EventName.RESUMED, paused_s=round(run_state.clock() - since, 3))
        for board in self.boards.values():
            board.resume()
        # The event loop needs one turn in which the waiting drives send their commands; drum and
        # belts must not run before.
        await asyncio.sleep(0)
        for board in self.boards.values():
            try:
                await board.restart_motors()
            except (BoardRefusedError, BoardProtocolError):
                pass  # the board has paused again, which it reports by itself
            except BoardSilentError:
                self.gate.shut(PauseCause(SILENT, board.name))

    async def _all(self, do: Callable[[ResumableBoard], Awaitable[None]]) -> None:
        """Run an action on all boards in parallel.

        If a board fails, the others still finish; then BoardError is raised with the sentence of
        each failure. A TableFault (for example, a person stopped the table) and an error of the
        program are raised at once.
        """
        failed: dict[str, BoardError] = {}

        async def one(board: ResumableBoard) -> None:
            try:
                await do(board)
            except BoardError as error:
                failed[board.name] = error

        await run_together(*(one(board) for board in self.boards.values()))
        if failed:
            self._failing = tuple(failed)
        errors = tuple(failed.values())
        if len(errors) > 1:
            raise BoardError(" ".join(map(str, errors)))
        if errors:
            raise errors[0]

    def _backed_off(self, motor: str, seconds: float) -> None:
        self._run_state.events.emit(
            EventName.MOTOR_REVERSED, channel=motor, reversed_s=round(seconds, 3)
        )


def _homing(table: Table, board: str, fault_handler: FaultHandler) -> Homing | None:
    """The homing of the gantry, if this board drives it."""
    gantry = table.modules.gantry
    if gantry is None or table.board_of(gantry.z) != board:
        return None
    return gantry_homing(table, gantry, fault_handler)


MOST_PAUSES = 10
"""Pauses without a question within `PERIOD`; at the next one a person is asked (our choice)."""
PERIOD = 60.0
"""Seconds of the table's clock (our choice)."""


class RepeatedPauses:
    """Counts the pauses of one table that ended without a question."""

    def __init__(self, people: OperatorHelp, run_state: RunState) -> None:
        self._people = people
        self._run_state = run_state
        self._ended: deque[float] = deque(maxlen=MOST_PAUSES)
        """When the latest such pauses ended, oldest first."""
        self._assists = 0
        self._asked: set[PauseCause] = set()

    async def ask(self, causes: tuple[PauseCause, ...]) -> None:
        """Ask about the first cause of this pause, if too many came before. Raises TableFault."""
        latest = self._run_state.clock() - PERIOD
        if self._ended and self._ended[-1] < latest and self._asked:
            # A quiet period: the number of questions about these causes begins again.
            asked, self._asked = self._asked, set()
            self._people.forget(asked.__contains__)
        if not causes or len(self._ended) < MOST_PAUSES or self._ended[0] < latest:
            return
        self._ended.clear()
        cause = causes[0]
        self._asked.add(cause)
        fault = Fault.BOARD if cause.code is None else latched(cause.code)
        if cause.why == SILENT:
            fault = Fault.SILENT
        seen = f"board {cause.board} paused the table {MOST_PAUSES + 1} times by {cause.why}"
        await self._people.help(cause, CATALOGUE[fault], f"{seen} within {PERIOD:.0f} s")

    def end_pause(self) -> None:
        """Note the end of a pause."""
        assists = self._run_state.assists_in_pauses
        if assists == self._assists:
            self._ended.append(self._run_state.clock())
        else:
            self._ended.clear()
        self._assists = assists
