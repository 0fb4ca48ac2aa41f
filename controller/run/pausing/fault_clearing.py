"""Clears the faults that boards have latched, after a person has confirmed them where required."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing, suppress
from functools import partial

from controller.run.faults.catalogue import CATALOGUE, Fault, latched
from controller.run.pausing.back_off import BackingOff
from controller.run.pausing.operator_help import OperatorHelp
from controller.run.pausing.pause_gate import (
    COMMAND,
    PROTOCOL,
    SILENT,
    STRANGER,
    PauseCause,
    PauseGate,
)
from controller.run.pausing.resumable_board import ResumableBoard
from firmware_bridge.board import FaultCode
from firmware_bridge.wire.errors import (
    BoardError,
    BoardProtocolError,
    BoardRefusedError,
    BoardSilentError,
)
from firmware_bridge.wire.messages import Refusal

RELEASE_LIMIT = 900.0
"""Seconds for which an input (emergency stop, light curtain) may stay active before a person is
asked about it (our choice)."""
_READ_INTERVAL = 10.0
"""Seconds after which such an input is read again if no edge was reported."""
SELF_ENDING = (FaultCode.LEASE_EXPIRED, FaultCode.BROWN_OUT, FaultCode.WATCHDOG)
"""Causes that are over once the board answers; no person is asked."""
_NOT_LATCHED = (SILENT, STRANGER, COMMAND, FaultCode.LEASE_EXPIRED.name)
"""Causes for which a board has no fault to clear."""
_AT_AN_INPUT = (FaultCode.EMERGENCY_STOP, FaultCode.LIGHT_CURTAIN)
"""Causes that last until an input is released; then a person confirms that they are clear."""

OnEachBoard = Callable[[Callable[[ResumableBoard], Awaitable[None]]], Awaitable[None]]
"""Runs an action on all boards in parallel. Raises BoardError, TableFault."""


class FaultClearing:
    """Clears the latched faults of a table's boards during one pause after another."""

    def __init__(
        self,
        boards: Mapping[str, ResumableBoard],
        gate: PauseGate,
        people: OperatorHelp,
        backing_off: BackingOff,
        clock: Callable[[], float],
        on_each_board: OnEachBoard,
    ) -> None:
        self._boards = boards
        self._gate = gate
        self._people = people
        self._backing_off = backing_off
        self._clock = clock
        self._on_each_board = on_each_board

    def outstanding(self) -> list[PauseCause]:
        """The causes of the pause that a board keeps latched until it is cleared, oldest first."""
        return [
            cause
            for cause in self._gate.causes
            if cause.why not in _NOT_LATCHED and cause not in self._gate.cleared
        ]

    async def clear(self) -> None:
        """Clear all latched faults, after a person has confirmed them.

        Faults that were cleared earlier in the pause are skipped unless their board has reported
        them again. Raises BoardError, TableFault.
        """
        confirmed: set[PauseCause] = set()
        asked: set[FaultCode | PauseCause | tuple[str, ...] | None] = set()
        wait_until = self._clock() + RELEASE_LIMIT
        # Boards may report further faults during a question; no board is cleared before a person
        # has been asked about these too.
        while cause := next((each for each in self.outstanding() if each not in confirmed), None):
            code = cause.code
            if code not in SELF_ENDING:
                if code in _AT_AN_INPUT and cause.channel:
                    await self._wait_for_release(cause, wait_until)
                # An obstacle between two parts has to be removed from both.
                parts = await self._backing_off.obstructed(cause)
                question = parts or (cause if cause.why == PROTOCOL else code)
                if question not in asked:
                    asked.add(question)
                    row = CATALOGUE[Fault.OBSTRUCTED if parts else _fault_of(cause)]
                    seen = cause.seen.rstrip(".") or None
                    await self._people.help(cause, row, seen, _either(parts))
            confirmed.add(cause)
        await self._on_each_board(partial(self._clear_board, confirmed))
        # People may press the stop or reach in at any time. That is not a sign of a defect, so the
        # number of questions about it is not limited.
        self._people.forget(lambda cause: cause.code in _AT_AN_INPUT)

    def is_unexplained(self, error: BoardError) -> bool:
        """Whether a board refuses a command for a latched fault that no report has named.

        Then a report may have been lost, and a person is asked again about all causes.
        """
        if self.outstanding() or isinstance(error, BoardSilentError | BoardProtocolError):
            return False
        # An error without a reason contains the errors of several boards.
        why = error.why if isinstance(error, BoardRefusedError) else Refusal.FAULT_LATCHED
        return why is Refusal.FAULT_LATCHED

    async def _clear_board(self, confirmed: set[PauseCause], board: ResumableBoard) -> None:
        """Clear a board's confirmed faults. Raises BoardRefusedError while a cause persists."""
        causes = {cause for cause in confirmed if cause.board == board.name}
        if causes:
            # Marked before the board replies: a fault that the board reports after the command
            # removes its mark again.
            self._gate.cleared |= causes
            try:
                await board.clear()
            except BaseException:
                self._gate.cleared -= causes
                raise

    async def _wait_for_release(self, cause: PauseCause, latest: float) -> None:
        """Wait until an input is released, or until the time `latest`; then a person is asked.

        If the input is still active after the answer, the board refuses to be cleared, and the wait
        begins again; the number of questions is limited.
        """
        board = self._boards[cause.board].wrapped
        with closing(board.watch(cause.channel)) as edges:
            while await board.read(cause.channel) and self._clock() < latest:
                # A board that is reset meanwhile reports no edge. The next read then fails, and all
                # steps start again from the first one.
                with suppress(TimeoutError):
                    async with asyncio.timeout(_READ_INTERVAL):
                        await anext(edges)


def _either(parts: tuple[str, ...]) -> str | None:
    """Names of parts in a sentence, such as "lift 0, lift 1 or lift 3"; None without a part."""
    *others, last = parts or ("",)
    return f"{', '.join(others)} or {last}" if others else last or None


def _fault_of(cause: PauseCause) -> Fault:
    """The fault about which a person is asked; without a code it is BOARD or PROTOCOL."""
    if cause.code is None:
        return Fault.PROTOCOL if cause.why == PROTOCOL else Fault.BOARD
    return Fault.OBSTRUCTED if cause.code is FaultCode.LIGHT_CURTAIN else latched(cause.code)
