"""Retries a station's work after a fault, asks a person, then stops the table.

counted = await care.cured(self._lift, self._reverse)

Work that fails is retried after the station's own cure. Then a person is asked, and the work is
tried once more, so that the sensors detect a wrong answer. At last the table stops.
`recovery_policy.decide` gives the number of attempts. The table's other activities go on meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Protocol, TypeVar

from config.recovery_limits import DEFAULTS, Limits
from controller.faults.catalogue import STOP, Fault, Who
from controller.faults.recovery_policy import Decision, decide
from controller.faults.table_fault import TableFault
from firmware_bridge.guide import Ask

T = TypeVar("T")

Asking = Callable[[Ask], Awaitable[str]]
"""How a person is asked; the answer is one of the question's."""
Step = Callable[[TableFault], Awaitable[None]]
"""The cure of a fault before the work is tried again."""
Around = Callable[[], AbstractAsyncContextManager[object]]
"""A state that holds during an assist: parts near a person's hands stand still."""


class Notes(Protocol):
    """Records attempts and questions; the run state implements it."""

    def recovered(self, fault: Fault, part: str, attempt: int) -> None:
        """A part worked after at least one failure, at this attempt."""

    def asking(self, ask: Ask, who: Who) -> AbstractAsyncContextManager[Callable[[str], None]]:
        """A person is asked within this block; what is yielded takes the answer."""


async def nothing(_: TableFault) -> None:
    """The cure of parts that only need to be driven again."""


class Care:
    """A table's fault handling: its limits, its people, its records.

    Without `ask` there is no person to ask, and a fault that the machine cannot cure stops the
    table.
    """

    def __init__(
        self,
        limits: Callable[[str], Limits | None] = DEFAULTS.get,
        ask: Asking | None = None,
        notes: Notes | None = None,
    ) -> None:
        self._limits = limits
        self._ask = ask
        self._notes: Notes = notes or _Unread()
        self._asking = asyncio.Lock()

    async def cured(
        self,
        work: Callable[[], Awaitable[T]],
        cure: Step = nothing,
        cleared: Step = nothing,
        around: Around = nullcontext,
    ) -> T:
        """Do the work until it succeeds; returns its result.

        `work` raises TableFault if its sensors do not agree; `cure` comes before each attempt of
        the machine's own, `cleared` after each answer of a person, who is asked within `around`.
        Raises the last TableFault.
        """
        failed, last = 0, None
        while True:
            try:
                result = await work()
            except TableFault as fault:
                failed, last = failed + 1, fault
                match self._decision(fault, failed):
                    case Decision.RETRY:
                        await cure(fault)
                    case Decision.ASK_OPERATOR if await self.asked(fault, around):
                        await cleared(fault)
                    case _:
                        fault.final = True
                        raise
            else:
                if last is not None:
                    self._notes.recovered(last.fault, last.part, failed + 1)
                return result

    async def asked(self, fault: TableFault, around: Around = nullcontext) -> bool:
        """Ask a person to put this right, one question at a time; whether they confirm it."""
        limits = self._limits(fault.fault.name)
        if self._ask is None or limits is None:
            return False
        row = fault.row
        ask = Ask(row.code, fault.part, fault.evidence, row.request(fault.part), row.answers)
        async with self._asking, around():
            try:
                async with self._notes.asking(ask, row.who) as note:
                    async with asyncio.timeout(limits.patience):
                        answer = await self._ask(ask)
                    note(answer)
            except TimeoutError:
                return False
        fault.ordered = answer == STOP
        return not fault.ordered

    def _decision(self, fault: TableFault, failed: int) -> Decision:
        limits = self._limits(fault.fault.name)
        if limits is None or fault.final:
            return Decision.SAFE_STOP
        return decide(fault.fault, failed, limits)


class _Unread:
    """Discards all records."""

    def recovered(self, fault: Fault, part: str, attempt: int) -> None:
        """The recovery is not recorded."""

    def asking(self, ask: Ask, who: Who) -> AbstractAsyncContextManager[Callable[[str], None]]:
        return nullcontext(_unheard)


def _unheard(answer: str) -> None:
    """Discards an answer."""
