"""Retries a station's work after a fault, asks a person, then stops the table.

    counted = await fault_handler.run(self._lift, self._reverse)

Work that fails is retried after the station's own cure. If that does not help, a person is asked,
and the work is tried again, so that the sensors detect a wrong answer. If that does not help
either, the table stops. `recovery_policy.decide` limits the number of attempts. The other
activities of the table continue meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from typing import Protocol, TypeVar

from config.recovery_limits import DEFAULTS, Limits
from controller.run.faults.catalogue import STOP, Fault, Who
from controller.run.faults.failures import TableFault
from controller.run.faults.recovery_policy import Decision, decide
from firmware_bridge.guide import Ask

T = TypeVar("T")

Asking = Callable[[Ask], Awaitable[str]]
"""Asks a person; returns one of the answers that the prompt permits."""
Cure = Callable[[TableFault], Awaitable[None]]
"""Action that removes a fault before the work is tried again."""
Around = Callable[[], AbstractAsyncContextManager[object]]
"""Context in which a person is asked, for example with all parts near the hands at rest."""


class Notes(Protocol):
    """Records attempts and questions; the run state implements it."""

    def recovered(self, fault: Fault, part: str, attempt: int) -> None:
        """Record that a part worked at this attempt, after at least one failure."""

    def asking(self, ask: Ask, who: Who) -> AbstractAsyncContextManager[Callable[[str], None]]:
        """Record a question within a block; yields the function that takes the answer."""


async def no_cure(_: TableFault) -> None:
    """Do nothing: the cure of parts that only need to be driven again."""


class FaultHandler:
    """Handles faults of one table: `limits` by fault code, `ask` for people, `notes` for records.

    Without `ask`, a fault that the machine cannot remove by itself stops the table.
    """

    def __init__(
        self,
        limits: Callable[[str], Limits | None] = DEFAULTS.get,
        ask: Asking | None = None,
        notes: Notes | None = None,
    ) -> None:
        self._limits = limits
        self._ask = ask
        self._notes: Notes = notes or _NoNotes()
        self._asking: dict[str, asyncio.Lock] = {}
        """Held while a person is asked about a part, by the part's name."""

    async def run(
        self,
        work: Callable[[], Awaitable[T]],
        cure: Cure = no_cure,
        cleared: Cure = no_cure,
        around: Around = nullcontext,
    ) -> T:
        """Do the work until it succeeds; returns its result.

        `work` raises TableFault if its sensors do not confirm it. `cure` runs before each retry by
        the machine; `cleared` runs after a person, asked within `around`, has confirmed that the
        fault is removed. Raises the last TableFault when the limits are reached or the person stops
        the table.
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
                    case Decision.ASK_OPERATOR if self._ask is not None:
                        await self._asked(self._ask, fault, around)
                        await cleared(fault)
                    case _:
                        fault.final = True
                        raise
            else:
                if last is not None:
                    self._notes.recovered(last.fault, last.part, failed + 1)
                return result

    async def _asked(self, ask: Asking, fault: TableFault, around: Around) -> None:
        """Ask a person to remove a fault. Raises the fault if the person does not confirm.

        Questions about different parts are open at the same time, each with its own time limit:
        a jam at one head must not hide a jam at another. A part has one open question.

        The fault is raised within `around`, so that the parts at rest near the person's hands do
        not move again before the table stops.
        """
        limits, row = self._limits(fault.fault.name), fault.row
        assert limits is not None
        prompt = Ask(row.code, fault.part, fault.evidence, row.request(fault.part), row.answers)
        async with self._asking.setdefault(fault.part, asyncio.Lock()), around():
            answer = None
            with suppress(TimeoutError):
                async with self._notes.asking(prompt, row.who) as note:
                    async with asyncio.timeout(limits.patience):
                        answer = await ask(prompt)
                    note(answer)
            fault.ordered = answer == STOP
            if answer is None or fault.ordered:
                fault.final = True
                raise fault

    def _decision(self, fault: TableFault, failed: int) -> Decision:
        """The decision after this number of failures."""
        limits = self._limits(fault.fault.name)
        if limits is None or fault.final:
            return Decision.SAFE_STOP
        return decide(fault.fault, failed, limits)


class _NoNotes:
    """Replaces `Notes` if nothing records the attempts: discards all records."""

    def recovered(self, fault: Fault, part: str, attempt: int) -> None:
        """Discard the recovery."""

    def asking(self, ask: Ask, who: Who) -> AbstractAsyncContextManager[Callable[[str], None]]:
        return nullcontext(_discard)


def _discard(answer: str) -> None:
    """Discard an answer."""
