"""Asks a person about pauses that end by themselves and are repeated too often.

A lost lease, a short loss of the line and a reset of a board end without a person. A board that
causes them again and again would interrupt the table for ever, and nobody would be asked.
"""

from __future__ import annotations

from collections import deque

from controller.run.faults.catalogue import CATALOGUE, Fault, latched
from controller.run.pausing.operator_help import OperatorHelp
from controller.run.pausing.pause_gate import SILENT, PauseCause
from controller.run.run_state import RunState

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
