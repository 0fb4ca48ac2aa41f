"""Asks people to remove the cause of a pause, a limited number of times; then the table stops."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from controller.run.faults.catalogue import STOP, Fault, FaultRow, Who
from controller.run.faults.failures import TableFault
from controller.run.faults.retry import Asking
from controller.run.pausing.pause_gate import PROTOCOL, SILENT, STRANGER, PauseCause
from controller.run.run_state import RunState
from firmware_bridge.guide import Ask

ASKS = 5
"""How often a person is asked about one cause before the table stops."""
PATIENCE = 900.0
"""Time limit for an answer, seconds; then the question is asked again."""


class OperatorHelp:
    """The questions about one table's pauses. While one is open, the table is in `servicing`."""

    def __init__(self, run_state: RunState, ask: Asking) -> None:
        self._run_state = run_state
        self._ask = ask
        self._asked: Counter[PauseCause] = Counter()
        self._open = 0
        """How many questions are open."""

    async def answer_to(self, ask: Ask) -> str:
        """Ask a person; while the question is open, the person may work at the paused table."""
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

    async def help(
        self, cause: PauseCause, row: FaultRow, seen: str | None = None, part: str | None = None
    ) -> None:
        """Ask a person to remove a cause; `seen` is the evidence, `part` names where it is.

        Raises TableFault if people have been asked about this cause `ASKS` times already, or if a
        person stops the table.
        """
        part = part or cause.channel or f"board {cause.board}"
        evidence = seen or f"{cause.why} on {cause.channel or 'the whole board'}"
        seen = seen or f"{cause.why} on board {cause.board}"
        while self._asked[cause] < ASKS:
            self._asked[cause] += 1
            self._run_state.assists_in_pauses += 1
            ask = Ask(row.code, part, seen, row.request(part), row.answers, safety=True)
            with suppress(TimeoutError):
                async with self._run_state.asking(ask, row.who) as note, asyncio.timeout(PATIENCE):
                    answer = await self.answer_to(ask)
                    note(answer)
                    if answer == STOP:
                        stopped = f"{evidence}; a person stopped the table"
                        raise stopping_fault(cause, stopped, ordered=True)
                    return
        raise stopping_fault(cause, f"{evidence}; asked {ASKS} times, and the cause persists")

    def forget(self, over: Callable[[PauseCause], bool]) -> None:
        """Reset the count of questions for causes that are over."""
        for cause in [asked for asked in self._asked if over(asked)]:
            del self._asked[cause]


async def ask_until_answered(run_state: RunState, ask: Asking, prompt: Ask, who: Who) -> str | None:
    """Ask a person outside of a pause, `ASKS` times, each time for `PATIENCE`; returns the answer.

    None without an answer in time. Each question is recorded, and withdrawn when its time is over.
    """
    for _ in range(ASKS):
        with suppress(TimeoutError):
            async with run_state.asking(prompt, who) as note, asyncio.timeout(PATIENCE):
                answer = await ask(prompt)
                note(answer)
                return answer
    return None


def stopping_fault(cause: PauseCause, evidence: str, *, ordered: bool = False) -> TableFault:
    """The fault with which the table stops because of this cause."""
    faults = {SILENT: Fault.SILENT, STRANGER: Fault.STRANGER, PROTOCOL: Fault.PROTOCOL}
    fault = faults.get(cause.why, Fault.BOARD)
    stopped = TableFault(fault, f"board {cause.board}", evidence)
    stopped.ordered = ordered
    return stopped
