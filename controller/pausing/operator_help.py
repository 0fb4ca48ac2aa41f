"""Asks people to remove a pause's cause, up to a limit; then the table stops."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from controller.faults.catalogue import STOP, Fault, FaultRow
from controller.faults.retry import Asking
from controller.faults.table_fault import TableFault
from controller.pausing.pause_gate import SILENT, STRANGER, PauseCause
from controller.run_state import RunState
from firmware_bridge.guide import Ask

ASKS = 5
"""How often a person is asked about one thing before the table stops."""
PATIENCE = 900.0
"""Time limit for an answer before the question is repeated, seconds."""


class OperatorHelp:
    """The questions of one table's pauses. While one is open, the table is being serviced."""

    def __init__(self, run_state: RunState, ask: Asking) -> None:
        self._run_state = run_state
        self._ask = ask
        self._asked: Counter[PauseCause] = Counter()
        self._open = 0
        """How many questions are open."""

    async def answer_to(self, ask: Ask) -> str:
        """Ask a person, who may work at the paused table meanwhile."""
        machine = self._run_state.machine
        self._open += 1
        if machine.mode == "paused":
            machine.fire("service")
        try:
            return await self._ask(ask)
        finally:
            self._open -= 1
            if not self._open and machine.mode == "servicing":
                machine.fire("finish_service")

    async def help(self, cause: PauseCause, row: FaultRow, seen: str | None = None) -> None:
        """Have a person remove a cause; `seen` is the evidence.

        Raises TableFault after the last question, or where a person stops the table.
        """
        part = cause.channel or f"board {cause.board}"
        what = seen or f"{cause.why} on {cause.channel or 'the whole board'}"
        seen = seen or f"{cause.why} on board {cause.board}"
        while self._asked[cause] < ASKS:
            self._asked[cause] += 1
            self._run_state.visits += 1
            ask = Ask(row.code, part, seen, row.request(part), row.answers, safety=True)
            with suppress(TimeoutError):
                async with self._run_state.asking(ask, row.who) as note, asyncio.timeout(PATIENCE):
                    answer = await self.answer_to(ask)
                    note(answer)
                    if answer == STOP:
                        raise _stopped(cause, f"{what}; a person stopped the table", ordered=True)
                    return
        raise _stopped(cause, f"{what}; asked {ASKS} times, and it is still so")

    def forget(self, over: Callable[[PauseCause], bool]) -> None:
        """Reset the count of questions for causes that are over."""
        for cause in [known for known in self._asked if over(known)]:
            del self._asked[cause]


def _stopped(cause: PauseCause, evidence: str, *, ordered: bool = False) -> TableFault:
    fault = {SILENT: Fault.SILENT, STRANGER: Fault.STRANGER}.get(cause.why, Fault.BOARD)
    stopped = TableFault(fault, f"board {cause.board}", evidence)
    stopped.ordered = ordered
    return stopped
