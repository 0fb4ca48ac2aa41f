"""Begins sessions with boards: at the start, and again after a lost line or a silent board."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from controller.events import EventName
from controller.run.faults.catalogue import CATALOGUE, Fault
from controller.run.pausing.operator_help import OperatorHelp
from controller.run.pausing.pause_gate import SILENT, STRANGER, PauseCause, PauseGate
from controller.run.pausing.resumable_board import ResumableBoard
from controller.run.run_state import RunState
from firmware_bridge.board import BoardIdentity
from firmware_bridge.wire.codes import ResetCause
from firmware_bridge.wire.errors import BoardSilentError, StrangeBoardError

T = TypeVar("T")

Reconnect = Callable[[str], None]
"""Opens a board's line again if it was lost. Raises BoardError if that is not possible yet."""


def never_lost(board: str) -> None:
    """Do nothing: the default `reconnect`, for lines that cannot be lost."""


_CAUSES = {int(cause): cause.name for cause in ResetCause}
FIRST_INTERVAL, LONGEST_INTERVAL = 0.1, 2.0
"""First and longest wait before a silent board is asked again, seconds; it doubles every time
(our choice)."""
SILENCE_LIMIT = 30.0
"""How long a board may be silent before a person is asked to check it, seconds."""


class Reconnection:
    """Begins sessions with boards, and asks people about a silent board or a wrong one.

    `reopen` opens a board's line again if it was lost.
    """

    def __init__(
        self, gate: PauseGate, people: OperatorHelp, run_state: RunState, reopen: Reconnect
    ) -> None:
        self._gate = gate
        self._people = people
        self._run_state = run_state
        self._reopen = reopen

    async def connect(self, board: ResumableBoard) -> BoardIdentity:
        """Begin the first session with a board. Raises BoardError, TableFault."""
        return await self._identified(board, board.start)

    async def reconnect(self, board: ResumableBoard) -> None:
        """Wait until a board answers; ask a person after `SILENCE_LIMIT`. Raises TableFault."""
        helping: asyncio.Task[None] | None = None
        help_at = self._run_state.clock() + SILENCE_LIMIT
        interval = FIRST_INTERVAL
        try:
            while True:
                with suppress(BoardSilentError):
                    self._reopen(board.name)
                    was_reset = await self._identified(board, board.restart)
                    if was_reset is not None:
                        self._report_reset(board.name, was_reset)
                    if helping is not None and helping.done():
                        # If a person stopped the table, that counts even if the board answers now.
                        helping.result()
                    answers = (PauseCause(SILENT, board.name), PauseCause(STRANGER, board.name))
                    self._people.forget(answers.__contains__)
                    return
                if helping is not None and helping.done():
                    helping.result()
                    helping, help_at = None, self._run_state.clock() + SILENCE_LIMIT
                if helping is None and self._run_state.clock() >= help_at:
                    silent = PauseCause(SILENT, board.name)
                    helping = asyncio.create_task(
                        self._people.help(silent, CATALOGUE[Fault.SILENT])
                    )
                await asyncio.sleep(interval)
                interval = min(2 * interval, LONGEST_INTERVAL)
        finally:
            if helping is not None:
                helping.cancel()

    def _report_reset(self, board: str, identity: BoardIdentity) -> None:
        cause = _CAUSES.get(identity.reset_cause, ResetCause.UNKNOWN.name)
        self._run_state.events.emit(
            EventName.BOARD_RESET, board=board, boots=identity.boots, cause=cause
        )

    async def _identified(self, board: ResumableBoard, begin: Callable[[], Awaitable[T]]) -> T:
        """Begin a session; if another board answers, ask a person until the right one does.

        Raises TableFault STRANGER after the last question, or where a person stops the table.
        """
        while True:
            try:
                return await begin()
            except StrangeBoardError as stranger:
                cause = PauseCause(STRANGER, board.name)
                if not self._gate.open:
                    self._gate.shut(cause)
                seen = str(stranger).rstrip(".")
                await self._people.help(cause, CATALOGUE[Fault.STRANGER], seen)
                # A person has moved the cable, and the open line may lead to the other board still.
                self._reopen(board.name)
