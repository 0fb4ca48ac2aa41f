"""Begins and ends pauses: after a host stall, a lost line, a latched fault or a reach-in.

The first cause shuts the gate: no command goes out any more, every board lets its outputs go to
their safe values, and the table reports that it is paused and why. Then the following steps run in
this order, again from the first one if any of them fails:

rest      every board lets its outputs go to their safe values
    meet      every board answers; a lost line is opened again, a silent board asked again
    back off  a part that met an obstacle goes back a little
    clear     every fault is cleared, after a person's confirmation where that is required
    ready     leases, axes, progress of each command, gates and jaws

and the gate opens. Nothing polls. Every wait has a time limit, or is a reported wait for a person.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial

from config.recovery_limits import limits_of
from config.schema import Table
from controller.faults.catalogue import CATALOGUE, Fault, latched
from controller.faults.retry import Asking, Care
from controller.faults.table_fault import TableFault
from controller.pausing.back_off import BackingOff
from controller.pausing.operator_help import OperatorHelp
from controller.pausing.pause_gate import FAULT, SILENT, STRANGER, PauseCause, PauseGate
from controller.pausing.power_lease import BoardSupply
from controller.pausing.resumable_board import ResumableBoard
from controller.run_state import RunState
from controller.run_together import run_together
from controller.stations.homing import Homing, gantry_homing
from firmware_bridge.board import Board, FaultCode
from firmware_bridge.wire.errors import (
    BoardError,
    BoardRefusedError,
    BoardSilentError,
    StrangeBoardError,
)

Reconnect = Callable[[str], None]
"""Opens a board's line again if it was lost. Raises BoardError where that is not yet possible."""


def never_lost(board: str) -> None:
    """The default `reconnect`, for lines that cannot be lost."""


FIRST_INTERVAL, LONGEST_INTERVAL = 0.1, 2.0
"""Wait before a silent board is asked again, seconds; it doubles every time (ours)."""
LOOK_IN = 10.0
"""How often an idle board is polled, seconds (ours): after a reset it would not be noticed."""
QUIET = 30.0
"""How long a board may be silent before a person is asked to check it, seconds."""
ATTEMPTS = 20
"""How often boards may fail again while one pause is being ended."""

_NO_SUPPLIES: Mapping[str, BoardSupply] = {}
_BY_ITSELF = (FaultCode.LEASE_EXPIRED, FaultCode.BROWN_OUT, FaultCode.WATCHDOG)
"""Causes that are over once the board answers; no person is asked."""
_POWERLESS = (FaultCode.EMERGENCY_STOP, FaultCode.BROWN_OUT, FaultCode.WATCHDOG)
"""Causes that cut the axes' power, which loses their positions."""
_AT_AN_INPUT = (FaultCode.EMERGENCY_STOP, FaultCode.LIGHT_CURTAIN)
"""Causes that last until an input is released; then a person confirms that they are clear."""


class Pauses:
    """Supervises a table's boards: `steady` are the same boards, with commands that resume.

    `ask` asks a person, `reconnect` opens a board's line again; `supplies` are the leases of boards
    that have a relay or lamps.
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
        self.gate = PauseGate(self._paused)
        self._people = OperatorHelp(run_state, ask)
        care = Care(partial(limits_of, table), self._people.answer_to, run_state)
        self.boards = {
            name: ResumableBoard(
                board, table.boards[name], self.gate, _homing(table, name, care), supplies.get(name)
            )
            for name, board in boards.items()
        }
        self._run_state = run_state
        self._reconnect = reconnect
        self._backing_off = BackingOff(table, self.boards, self._backed_off)
        self._since: float | None = None
        """When the present pause began."""

    async def watch(self) -> None:
        """Listen to every board and end every pause, until cancelled. Raises TableFault."""
        try:
            async with asyncio.TaskGroup() as tasks:
                for board in self.boards.values():
                    tasks.create_task(self._listen(board))
                    tasks.create_task(self._look_in(board))
                while True:
                    await self.gate.closed()
                    await self._overcome()
                    await self._go_on()
        finally:
            self.gate.give_up()

    # Causes of a pause

    async def _listen(self, board: ResumableBoard) -> None:
        while True:
            try:
                async for fault in board.faults:
                    self.gate.shut(PauseCause.of(fault))
            except BoardSilentError:
                self.gate.shut(PauseCause(SILENT, board.name))
            else:
                return  # it was closed

    async def _look_in(self, board: ResumableBoard) -> None:
        """Poll an idle board at intervals, to detect that it is gone."""
        while True:
            await asyncio.sleep(LOOK_IN)
            if self.gate.open and not board.leased:
                try:
                    await board.answer()
                except BoardRefusedError:
                    self.gate.shut(PauseCause(FAULT, board.name))
                except BoardSilentError:
                    self.gate.shut(PauseCause(SILENT, board.name))

    def _paused(self, cause: PauseCause) -> None:
        """Record the begin of a pause, in the call that reports the cause."""
        run_state = self._run_state
        if cause.code in _POWERLESS and cause.board in self.boards:
            self.boards[cause.board].lost_power()
        if self._since is None:
            self._since = run_state.clock()
            if run_state.machine.mode == "going":
                run_state.machine.fire("pause")
        run_state.events.emit("paused", why=cause.why, board=cause.board, channel=cause.channel)

    # Ending a pause

    async def _overcome(self) -> None:
        """Run all steps that end a pause; from the start again if a board fails meanwhile."""
        last: BoardError | None = None
        for _ in range(ATTEMPTS):
            try:
                await self._all(ResumableBoard.rest)
                await self._all(self._meet)
                known = tuple(self.gate.causes)
                await self._backing_off.answer(known)
                await self._clear()
                await self._all(ResumableBoard.get_ready)
            except BoardError as error:
                last = error
            else:
                if known == tuple(self.gate.causes):
                    return
        cause = self.gate.causes[0]
        raise TableFault(
            Fault.SILENT,
            f"board {cause.board}",
            f"it fell out {ATTEMPTS} times while a pause was being ended; at last: {last}",
        )

    async def _go_on(self) -> None:
        run_state = self._run_state
        self.gate.let_through()
        self._backing_off.over()
        if run_state.machine.mode == "paused":
            run_state.machine.fire("resume")
        since, self._since = self._since or 0.0, None
        run_state.events.emit("resumed", paused_s=round(run_state.clock() - since, 3))
        for board in self.boards.values():
            board.go_on()
        # Give the event loop one turn, in which the waiting drives send their commands, before drum
        # and belts run.
        await asyncio.sleep(0)
        for board in self.boards.values():
            try:
                await board.run_on()
            except BoardRefusedError:
                pass  # the board has paused again and reports that itself
            except BoardSilentError:
                self.gate.shut(PauseCause(SILENT, board.name))

    async def _all(self, do: Callable[[ResumableBoard], Awaitable[None]]) -> None:
        """Run an action on all boards in parallel.

        A board that fails lets the others finish; raises BoardError with the sentence of each. A
        TableFault (a person's stop is one) and an error of the program end it at once.
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

    # Boards that do not answer

    async def _meet(self, board: ResumableBoard) -> None:
        """Wait until the board answers; after a while with a person's help. Raises TableFault."""
        helping: asyncio.Task[None] | None = None
        quiet_at = self._run_state.clock() + QUIET
        interval = FIRST_INTERVAL
        try:
            while True:
                with suppress(BoardSilentError):
                    self._reconnect(board.name)
                    await self._recognised(board, board.meet)
                    if helping is not None and helping.done():
                        # A person's stop counts, even if the board answers at the same moment.
                        helping.result()
                    answers = (PauseCause(SILENT, board.name), PauseCause(STRANGER, board.name))
                    self._people.forget(answers.__contains__)
                    return
                if helping is not None and helping.done():
                    helping.result()
                    helping, quiet_at = None, self._run_state.clock() + QUIET
                if helping is None and self._run_state.clock() >= quiet_at:
                    silent = PauseCause(SILENT, board.name)
                    helping = asyncio.create_task(
                        self._people.help(silent, CATALOGUE[Fault.SILENT])
                    )
                await asyncio.sleep(interval)
                interval = min(2 * interval, LONGEST_INTERVAL)
        finally:
            if helping is not None:
                helping.cancel()

    async def introduce(self, board: ResumableBoard) -> None:
        """Begin the first session with a board. Raises BoardError, TableFault."""
        await self._recognised(board, board.start)

    async def _recognised(
        self, board: ResumableBoard, meet: Callable[[], Awaitable[object]]
    ) -> None:
        """Meet a board; if another board answers, ask a person until the right one does.

        Raises TableFault STRANGER after the last question, or where a person stops the table.
        """
        while True:
            try:
                await meet()
            except StrangeBoardError as stranger:
                cause = PauseCause(STRANGER, board.name)
                if not self.gate.open:
                    self.gate.shut(cause)
                seen = str(stranger).rstrip(".")
                await self._people.help(cause, CATALOGUE[Fault.STRANGER], seen)
                # The cable was moved: the session that is left belongs to the other board's line.
                self._reconnect(board.name)
            else:
                return

    # Faults that boards have latched

    async def _clear(self) -> None:
        asked: set[FaultCode | PauseCause | None] = set()
        for cause in tuple(self.gate.causes):
            code = cause.code
            if cause.why in (SILENT, STRANGER) or code in _BY_ITSELF:
                continue
            if code in _AT_AN_INPUT and cause.channel:
                await self._released(self.boards[cause.board].plain, cause.channel)
            obstructed = self._backing_off.is_about(cause)
            # An obstacle between two parts has to be removed from both.
            question = cause if obstructed else code
            if question not in asked:
                asked.add(question)
                fault = Fault.OBSTRUCTED if obstructed else _fault_of(code)
                await self._people.help(cause, CATALOGUE[fault])
        await self._all(self._cleared)
        # Causes that people may bring about at any time are no sign of a defect and are not
        # limited.
        self._people.forget(lambda cause: cause.code in _AT_AN_INPUT)

    async def _cleared(self, board: ResumableBoard) -> None:
        """Clear a board's fault. Raises BoardRefused while its cause persists."""
        nothing_to_clear = (SILENT, STRANGER, FaultCode.LEASE_EXPIRED.name)
        if any(
            cause.board == board.name and cause.why not in nothing_to_clear
            for cause in self.gate.causes
        ):
            await board.clear()

    @staticmethod
    async def _released(board: Board, channel: str) -> None:
        """Wait without a time limit until an input is released; the table reports the wait."""
        edges = board.watch(channel)
        while await board.read(channel):
            # A board that is reset meanwhile sends no report. When it is polled it does not answer,
            # and all steps begin anew.
            with suppress(TimeoutError):
                await asyncio.wait_for(anext(edges), LOOK_IN)


def _homing(table: Table, board: str, care: Care) -> Homing | None:
    gantry = table.modules.gantry
    if gantry is None or table.board_of(gantry.z) != board:
        return None
    return gantry_homing(table, gantry, care)


def _fault_of(code: FaultCode | None) -> Fault:
    if code is None:
        return Fault.BOARD
    return Fault.OBSTRUCTED if code is FaultCode.LIGHT_CURTAIN else latched(code)
