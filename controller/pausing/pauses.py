"""Begins and ends pauses: after a host stall, a lost line, a latched fault or a reach-in.

The first cause shuts the gate: no further command is sent, every board lets its outputs go to
their safe values, and the table reports that it is paused and why. Then these steps run in this
order, from the first one again if any of them fails:

1. Make safe: every board lets its outputs go to their safe values.
2. Reconnect: a lost line is opened again, and a silent board is asked again until it answers.
3. Back off: a part that met an obstacle is driven back a little.
4. Clear: every latched fault is cleared, after a person's confirmation where that is required.
5. Restore: leases, axes, the progress of each interrupted command, gates and jaws.

Then the gate opens. Every wait has a time limit, except for the wait until a person releases an
emergency stop or a light curtain; the table reports that one as its pause.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial

from config.recovery_limits import limits_of
from config.schema import Table
from controller.faults.catalogue import CATALOGUE, Fault, latched
from controller.faults.retry import Asking, FaultHandler
from controller.faults.table_fault import TableFault
from controller.pausing.back_off import BackingOff
from controller.pausing.operator_help import OperatorHelp
from controller.pausing.pause_gate import FAULT, SILENT, STRANGER, PauseCause, PauseGate
from controller.pausing.power_lease import BoardSupply
from controller.pausing.reconnection import Reconnect, Reconnection
from controller.pausing.resumable_board import ResumableBoard
from controller.run_state import RunState
from controller.run_together import run_together
from controller.stations.homing import Homing, gantry_homing
from firmware_bridge.board import Board, BoardIdentity, FaultCode
from firmware_bridge.wire.errors import BoardError, BoardRefusedError, BoardSilentError
from firmware_bridge.wire.messages import Refusal

POLL_INTERVAL = 10.0
"""Interval at which a board without a lease is polled, seconds (our choice).

Without polling, a reset of such a board would not be detected.
"""
ATTEMPTS = 20
"""How often the steps that end one pause are tried before the table stops."""

_NO_SUPPLIES: Mapping[str, BoardSupply] = {}
_SELF_ENDING = (FaultCode.LEASE_EXPIRED, FaultCode.BROWN_OUT, FaultCode.WATCHDOG)
"""Causes that are over once the board answers; no person is asked."""
_POWERLESS = (FaultCode.EMERGENCY_STOP, FaultCode.BROWN_OUT, FaultCode.WATCHDOG)
"""Causes that cut the axes' power, which loses their positions."""
_NOT_LATCHED = (SILENT, STRANGER, FaultCode.LEASE_EXPIRED.name)
"""Causes for which a board has no fault to clear."""
_AT_AN_INPUT = (FaultCode.EMERGENCY_STOP, FaultCode.LIGHT_CURTAIN)
"""Causes that last until an input is released; then a person confirms that they are clear."""


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
        self._since: float | None = None
        """When the present pause began, seconds of the table's clock; None while there is none."""

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
                async for fault in board.faults:
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

    def _record_cause(self, cause: PauseCause) -> None:
        """Emit a new cause; the first one pauses the state machine. Called by the gate."""
        run_state = self._run_state
        if cause.code in _POWERLESS and cause.board in self.boards:
            self.boards[cause.board].mark_power_lost()
        if self._since is None:
            self._since = run_state.clock()
            if run_state.machine.mode == "going":
                run_state.machine.fire("pause")
        run_state.events.emit("paused", why=cause.why, board=cause.board, channel=cause.channel)

    # Ending a pause

    async def _end_causes(self) -> None:
        """Run all steps that end a pause; again if a board fails or a new cause comes meanwhile.

        Raises TableFault after `ATTEMPTS`.
        """
        last: BoardError | None = None
        for _ in range(ATTEMPTS):
            try:
                await self._all(ResumableBoard.make_safe)
                await self._all(self._reconnection.reconnect)
                known = tuple(self.gate.causes)
                await self._backing_off.answer(known)
                await self._clear()
                await self._all(ResumableBoard.restore)
            except BoardError as error:
                last = error
                if self._is_unexplained(error):
                    self.gate.cleared.clear()
            else:
                if known == tuple(self.gate.causes) and not self._to_clear():
                    return
        cause = self.gate.causes[0]
        raise TableFault(
            Fault.SILENT,
            f"board {cause.board}",
            f"the pause could not be ended in {ATTEMPTS} attempts; the last error: {last}",
        )

    async def _resume(self) -> None:
        """Open the gate and resume the interrupted commands, drum and belts last."""
        run_state = self._run_state
        self.gate.reopen()
        self._backing_off.end_pause()
        if run_state.machine.mode == "paused":
            run_state.machine.fire("resume")
        since, self._since = self._since or 0.0, None
        run_state.events.emit("resumed", paused_s=round(run_state.clock() - since, 3))
        for board in self.boards.values():
            board.resume()
        # The event loop needs one turn in which the waiting drives send their commands; drum and
        # belts must not run before.
        await asyncio.sleep(0)
        for board in self.boards.values():
            try:
                await board.restart_motors()
            except BoardRefusedError:
                pass  # the board has paused again, which it reports by itself
            except BoardSilentError:
                self.gate.shut(PauseCause(SILENT, board.name))

    async def _all(self, do: Callable[[ResumableBoard], Awaitable[None]]) -> None:
        """Run an action on all boards in parallel.

        If a board fails, the others still finish; then BoardError is raised with the sentence of
        each failure. A TableFault (for example, a person stopped the table) and an error of the
        program are raised at once.
        """
        failed: list[BoardError] = []

        async def one(board: ResumableBoard) -> None:
            try:
                await do(board)
            except BoardError as error:
                failed.append(error)

        await run_together(*(one(board) for board in self.boards.values()))
        if len(failed) > 1:
            raise BoardError(" ".join(map(str, failed)))
        if failed:
            raise failed[0]

    def _backed_off(self, motor: str, seconds: float) -> None:
        self._run_state.events.emit("motor_reversed", channel=motor, reversed_s=round(seconds, 3))

    # Faults that boards have latched

    async def _clear(self) -> None:
        """Clear all latched faults, after a person has confirmed them.

        Faults that were cleared earlier in the pause are skipped unless their board has reported
        them again. Raises BoardError, TableFault.
        """
        confirmed: set[PauseCause] = set()
        asked: set[FaultCode | PauseCause | None] = set()
        # Boards may report further faults during a question; no board is cleared before a person
        # has been asked about these too.
        while cause := next((each for each in self._to_clear() if each not in confirmed), None):
            code = cause.code
            if code not in _SELF_ENDING:
                if code in _AT_AN_INPUT and cause.channel:
                    await self._released(self.boards[cause.board].wrapped, cause.channel)
                obstructed = self._backing_off.is_obstacle(cause)
                # An obstacle between two parts has to be removed from both.
                question = cause if obstructed else code
                if question not in asked:
                    asked.add(question)
                    fault = Fault.OBSTRUCTED if obstructed else _fault_of(code)
                    await self._people.help(cause, CATALOGUE[fault])
            confirmed.add(cause)
        await self._all(partial(self._clear_board, confirmed))
        # People may press the stop or reach in at any time. That is no sign of a defect, so the
        # number of questions about it is not limited.
        self._people.forget(lambda cause: cause.code in _AT_AN_INPUT)

    async def _clear_board(self, confirmed: set[PauseCause], board: ResumableBoard) -> None:
        """Clear a board's confirmed faults. Raises BoardRefusedError while a cause persists."""
        causes = {cause for cause in confirmed if cause.board == board.name}
        if causes:
            # Marked before the board replies: a fault that the board reports after the command
            # removes its mark again.
            self.gate.cleared |= causes
            try:
                await board.clear()
            except BaseException:
                self.gate.cleared -= causes
                raise

    def _to_clear(self) -> list[PauseCause]:
        """The causes of the pause that a board keeps latched until it is cleared, oldest first."""
        return [
            cause
            for cause in self.gate.causes
            if cause.why not in _NOT_LATCHED and cause not in self.gate.cleared
        ]

    def _is_unexplained(self, error: BoardError) -> bool:
        """Whether a board refuses a command for a latched fault that no report has named.

        Then a report may have been lost, and a person is asked again about all causes.
        """
        if self._to_clear() or isinstance(error, BoardSilentError):
            return False
        # An error without a reason contains the errors of several boards.
        why = error.why if isinstance(error, BoardRefusedError) else Refusal.FAULT_LATCHED
        return why is Refusal.FAULT_LATCHED

    @staticmethod
    async def _released(board: Board, channel: str) -> None:
        """Wait without a time limit until an input is released."""
        edges = board.watch(channel)
        while await board.read(channel):
            # A board that is reset meanwhile reports no edge. The next read then fails, and all
            # steps start again from the first one.
            with suppress(TimeoutError):
                await asyncio.wait_for(anext(edges), POLL_INTERVAL)


def _homing(table: Table, board: str, fault_handler: FaultHandler) -> Homing | None:
    """The homing of the gantry, if this board drives it."""
    gantry = table.modules.gantry
    if gantry is None or table.board_of(gantry.z) != board:
        return None
    return gantry_homing(table, gantry, fault_handler)


def _fault_of(code: FaultCode | None) -> Fault:
    """The fault about which a person is asked; without a code it is BOARD."""
    if code is None:
        return Fault.BOARD
    return Fault.OBSTRUCTED if code is FaultCode.LIGHT_CURTAIN else latched(code)
