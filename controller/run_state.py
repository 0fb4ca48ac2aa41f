"""The few places where the daemon's state lives: machine, ledger, journal, events, figures.

Every activity holds the same `Books`. The ledger in it is a frozen value that is replaced only
when a station has confirmed what it did.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from controller.events import EventLog
from controller.faults.catalogue import Who
from controller.faults.table_fault import Fault, TableFault
from controller.journal import Entry, Journal, JournalError
from controller.journal.notes import Note
from controller.journal.replay import Replay
from controller.ledger import Ledger
from controller.state_machine import TableMachine
from firmware_bridge.guide import Ask


@dataclass
class Figures:
    """What the summary counts."""

    rounds: int = 0
    faults: int = 0
    under: list[float] = field(default_factory=list)
    top: list[float] = field(default_factory=list)
    top_bound: list[float] = field(default_factory=list)


class Work:
    """What is being done about an intent: called with its outcome, and told what must last.

    `told` is the journal's entry where an earlier run has begun this work.
    """

    def __init__(self, books: Books, number: int, told: Entry | None = None) -> None:
        self.number = number
        """The intent's number in the journal."""
        self.done = told is not None and told.confirmed
        """Whether it was done before: then it is believed, not done again."""
        self.doubtful = told is not None and not told.confirmed
        """Whether an earlier run was broken off in it, nobody knows where."""
        self.notes: tuple[Note, ...] = told.notes if told else ()
        """What was noted on the way before this run."""
        self.outcome: object = told.outcome if told else None
        self._books = books

    def __call__(self, outcome: object) -> None:
        """Take what came of it, to be written when the work is done. The last one counts."""
        self.outcome = outcome

    def record(self, note: Note) -> None:
        """Add what has happened on the way, and begin to write it."""
        self._books.journal.note(self.number, self._books.clock(), note)

    async def on_disk(self) -> None:
        """Wait until the intent and all that was recorded are on disk. Raises JournalError."""
        await self._books.journal.on_disk()

    async def note(self, note: Note) -> None:
        """Record what has happened on the way; it is on disk, in every copy, when this returns."""
        self.record(note)
        await self.on_disk()


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
        self.past = Replay()
        """What an earlier run has done of this story."""
        self.resumed = False
        """Whether this run goes on with the story of an earlier one."""
        self.visits = 0
        """How often a person was called to the table in a pause: what else they did is not told."""
        self.left_open: TableFault | None = None
        """The fault with which the earlier run ended, if it did."""

    def resume(self, entries: Iterable[Entry]) -> None:
        """Go on with a story that was broken off."""
        told = tuple(entries)
        self.past = Replay(told)
        self.resumed = True
        self.left_open = left_open(told)
        self.events.tell("recalled", entries=len(told))

    def knows(self, activity: str) -> bool:
        """Whether the journal tells what this activity did next: then nothing is done or told."""
        return self.past.ahead(activity) is not None

    @asynccontextmanager
    async def intent(
        self,
        activity: str,
        intent: dict[str, object],
        tell: str | None = None,
        *,
        wait: bool = True,
        write: bool = True,
    ) -> AsyncIterator[Work]:
        """Put an intent on disk, do the work, confirm with its outcome.

        Yields the work, which takes notes and the outcome; what fails stays unconfirmed. `tell`
        is the event that says that it begins. Without `wait` the intent is only being written when
        the work begins: the work waits for `on_disk` before it moves a tile. Without `write` not
        even that: the work records a note of its own first, and both share one sync.
        """
        told = self.past.take(activity, as_json(intent))
        if told is None:
            if tell is not None:
                self.events.tell(tell, **intent)
            number = self.journal.intend(activity, self.clock(), intent, write=wait or write)
            work = Work(self, number)
            if wait:
                await work.on_disk()
        else:
            work = Work(self, told.number, told)
        yield work
        if not work.done:
            self.journal.confirm(work.number, self.clock(), work.outcome)

    def fault(self, fault: TableFault) -> None:
        """A fault has happened: count it, report it, and begin to write it.

        Nothing is waited for here: the boards are stopped first.
        """
        self.figures.faults += 1
        told = fault.facts()
        self.events.tell("fault", **told)
        # A journal that cannot be written may be the very fault that is reported.
        with suppress(JournalError):
            self._write_down("fault", told)

    def recovered(self, fault: Fault, part: str, attempt: int) -> None:
        """A part did it after all, at this attempt: report it, and begin to write it."""
        told: dict[str, object] = {"code": fault.name, "part": part, "attempt": attempt}
        self.events.tell("recovered", **told)
        self._write_down("recovered", told)

    def _write_down(self, activity: str, told: dict[str, object]) -> None:
        """Something that needs no work: its intent is its outcome, and nothing waits for it."""
        number = self.journal.intend(activity, self.clock(), told, write=False)
        self.journal.confirm(number, self.clock(), None)
        self.journal.begin()

    async def check(self) -> None:
        """Compare the journal's copies and heal what is damaged. Raises JournalLocked."""
        for sentence in await self.journal.check():
            self.events.tell("healed", what=sentence)

    @asynccontextmanager
    async def asking(self, ask: Ask, who: Who) -> AsyncIterator[Callable[[str], None]]:
        """Record that a person is asked, and then who answered what.

        Yields the function that takes the answer. The question is on disk before the person sees
        it, as they may touch the table from then on. A request that ends without an answer stays
        unconfirmed in the journal, and is reported as withdrawn.
        """
        told: dict[str, object] = {
            "code": ask.code,
            "part": ask.part,
            "seen": ask.seen,
            "please": ask.please,
            "who": who.value,
        }
        self.events.tell("waiting", **told)
        answers: list[str] = []
        try:
            async with self.intent("asked", told) as work:
                yield answers.append
                cleared = {"by": who.value, "answer": answers[-1]}
                work(cleared)
        except BaseException:
            self.events.tell("withdrawn", code=ask.code, part=ask.part)
            raise
        self.events.tell("cleared", code=ask.code, part=ask.part, **cleared)

    def _tell_state(self, under: str, top: str) -> None:
        if self.past.over:
            self.events.tell("state", under=under, top=top)


def mean(values: list[float]) -> float | None:
    """The mean, rounded to milliseconds; None of nothing."""
    return round(sum(values) / len(values), 3) if values else None


def as_json(value: object) -> Any:
    """A rules outcome as a JSON value: tuples become lists."""
    return json.loads(json.dumps(value))


def left_open(entries: Iterable[Entry]) -> TableFault | None:
    """The fault after which a story tells of nothing more: it is as present as it was then.

    That nobody was there to answer is no fault of the table's, nor is a question left open an end.
    """
    for entry in reversed(tuple(entries)):
        unanswered = entry.activity == "asked" and not entry.confirmed
        if unanswered or entry.intent.get("code") == Fault.NOBODY.name:
            continue
        if entry.activity != "fault":
            break
        told = {key: str(value) for key, value in entry.intent.items()}
        return TableFault(Fault[told["code"]], told["part"], told["evidence"])
    return None
