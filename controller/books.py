"""The few places where the daemon's state lives: machine, ledger, journal, events, figures.

Every activity holds the same `Books`. The ledger in it is a frozen value that is replaced only
when a station has confirmed what it did.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from controller.events import EventLog
from controller.faults import Fault, TableFault
from controller.journal import Journal, JournalError
from controller.ledger import Ledger
from controller.machine import TableMachine


@dataclass
class Figures:
    """What the summary counts."""

    rounds: int = 0
    faults: int = 0
    under: list[float] = field(default_factory=list)
    top: list[float] = field(default_factory=list)
    top_bound: list[float] = field(default_factory=list)


class Books:
    """One table's state: read anywhere, changed through its methods."""

    def __init__(
        self, ledger: Ledger, journal: Journal, events: EventLog, clock: Callable[[], float]
    ) -> None:
        self.ledger = ledger
        self.journal = journal
        self.events = events
        self.clock = clock
        self.figures = Figures()
        self.machine = TableMachine(self._tell_state)

    @contextmanager
    def intent(
        self, activity: str, intent: dict[str, object]
    ) -> Iterator[Callable[[object], None]]:
        """Put an intent on disk, do the work, confirm with its outcome.

        Yields the function that takes the outcome; an intent that fails stays unconfirmed.
        """
        number = self.journal.intend(activity, self.clock(), intent)
        outcomes: list[object] = [None]
        yield outcomes.append
        self.journal.confirm(number, self.clock(), outcomes[-1])

    def fault(self, fault: TableFault) -> None:
        """A fault has happened: count it, tell it, write it down."""
        self.figures.faults += 1
        told: dict[str, object] = {
            "code": fault.fault.name,
            "part": fault.part,
            "evidence": fault.evidence,
        }
        self.events.tell("fault", **told)
        # A journal that cannot be written may be the very fault that is told.
        with suppress(JournalError):
            with self.intent("fault", told):
                pass
            self.journal.flush()

    def recovered(self, fault: Fault, part: str, attempt: int) -> None:
        """A part did it after all, at this attempt: tell it, write it down."""
        told: dict[str, object] = {"code": fault.name, "part": part, "attempt": attempt}
        self.events.tell("recovered", **told)
        with self.intent("recovered", told):
            pass

    def _tell_state(self, under: str, top: str) -> None:
        self.events.tell("state", under=under, top=top)


def mean(values: list[float]) -> float | None:
    """The mean, rounded to milliseconds; None of nothing."""
    return round(sum(values) / len(values), 3) if values else None


def as_json(value: object) -> object:
    """A rules outcome as a JSON value: tuples become lists."""
    return json.loads(json.dumps(value))
