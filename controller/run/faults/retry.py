"""Retries a station's work after a fault, asks a person, then stops the table.

    counted = await fault_handler.run(self._lift, self._reverse)

Work that fails is retried after the station's own cure. If that does not help, a person is asked,
and the work is tried again, so that the sensors detect a wrong answer. If that does not help
either, the table stops. The other activities of the table continue meanwhile.

The recovery policy, `decide`, limits the number of attempts: it is a pure function of the fault,
the attempt that failed, and the limits. The order is never reversed: once a person has been asked
about a piece of work, the part no longer retries it by itself.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from typing import Protocol, TypeVar

from config.recovery_limits import DEFAULTS, Limits
from controller.run.faults.catalogue import CATALOGUE, STOP, Fault, Who
from controller.run.faults.failures import TableFault
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


class Decision(enum.Enum):
    """Decision after a failed attempt; for one piece of work, decisions follow in this order."""

    RETRY = "retry"
    """The machine applies its cure to the part and tries the work again."""
    ASK_OPERATOR = "ask"
    """A person is asked to remove the fault, and the work is tried again."""
    SAFE_STOP = "stop"
    """The table stops safely and names the part."""


def decide(fault: Fault, attempt: int, limits: Limits) -> Decision:
    """The decision after the `attempt`-th failure (counted from 1) of one piece of work.

    A fault for which the catalogue has no limits always stops the table.
    """
    if CATALOGUE[fault].limits is None:
        return Decision.SAFE_STOP
    if attempt <= limits.retries:
        return Decision.RETRY
    if attempt <= limits.retries + limits.asks:
        return Decision.ASK_OPERATOR
    return Decision.SAFE_STOP
