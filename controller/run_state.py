"""Run state of the daemon: state machine, ledger, journal, events and figures.

Every activity holds the same `Books`. The ledger is a frozen value; it is replaced only after a
station has confirmed by sensor what it did.
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
    """Counts and durations for the run's summary."""

    rounds: int = 0
    faults: int = 0
    under: list[float] = field(default_factory=list)
    top: list[float] = field(default_factory=list)
    top_bound: list[float] = field(default_factory=list)


class Work:
    """One journal intent while it is carried out: collects its outcome and its notes.

    Call it with the outcome. `told` is the journal entry if an earlier run began this intent.
    """

    def __init__(self, run_state: RunState, number: int, told: Entry | None = None) -> None:
        self.number = number
        """The intent's number in the journal."""
        self.done = told is not None and told.confirmed
        """Whether an earlier run confirmed the intent; then the work is not repeated."""
        self.doubtful = told is not None and not told.confirmed
        """Whether an earlier run was interrupted during this intent, at an unknown point."""
        self.notes: tuple[Note, ...] = told.notes if told else ()
        """Notes that earlier runs recorded for this intent."""
        self.outcome: object = told.outcome if told else None
        self._run_state = run_state

    def __call__(self, outcome: object) -> None:
        """Set the outcome, which is written when the work is done. The last call counts."""
        self.outcome = outcome

    def record(self, note: Note) -> None:
        """Add a note of what has happened within the intent, and begin to write it."""
        self._run_state.journal.note(self.number, self._run_state.clock(), note)

    async def on_disk(self) -> None:
        """Wait until the intent and all that was recorded are on disk. Raises JournalError."""
        await self._run_state.journal.on_disk()

    async def note(self, note: Note) -> None:
        """Record a note and wait until it is on disk in every copy. Raises JournalError."""
        self.record(note)
        await self.on_disk()


class RunState:
    """State of one table's run. Any component may read it; only its methods change it."""

    def __init__(
        self, ledger: Ledger, journal: Journal, events: EventLog, clock: Callable[[], float]
    ) -> None:
        self.ledger = ledger
        self.journal = journal
        self.events = events
        self.clock = clock
        self.figures = Figures()
        self.machine = TableMachine(self._emit_state)
        self.past = Replay()
        """Journal entries of the interrupted run that this run resumes."""
        self.resumed = False
        """Whether this run resumes an interrupted one."""
        self.visits = 0
        """Number of times a pause called a person to the table. Their other actions are not
        recorded."""
        self.left_open: TableFault | None = None
        """The fault that ended the interrupted run, None if it recorded no fault."""

    def resume(self, entries: Iterable[Entry]) -> None:
        """Resume the run that the journal left without an end."""
        told = tuple(entries)
        self.past = Replay(told)
        self.resumed = True
        self.left_open = left_open(told)
        self.events.emit("run_resumed", entries=len(told))

    def is_already_done(self, activity: str) -> bool:
        """Whether the journal confirms the activity's next step, which is then not repeated."""
        return self.past.ahead(activity) is not None

    @asynccontextmanager
    async def intent(
        self,
        activity: str,
        intent: dict[str, object],
        emit: str | None = None,
        *,
        wait: bool = True,
        write: bool = True,
    ) -> AsyncIterator[Work]:
        """Put an intent on disk, do the work, then confirm it with the outcome.

        Yields the `Work`, which takes notes and the outcome. If the block raises, the intent stays
        unconfirmed. `tell` is the event to emit at the beginning. Without `wait` the block starts
        while the intent is still being written; the work then waits for `on_disk` before it moves a
        tile. Without `write` the intent is not written yet either: the work records a note first,
        and both share one sync.
        """
        told = self.past.take(activity, as_json(intent))
        if told is None:
            if emit is not None:
                self.events.emit(emit, **intent)
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
        """Count a fault, emit its event and begin to write it to the journal.

        Does not wait for the disk, because the boards have to be stopped first.
        """
        self.figures.faults += 1
        told = fault.facts()
        self.events.emit("fault", **told)
        # If the journal cannot be written, that may be the very fault that is being reported.
        with suppress(JournalError):
            self._write_down("fault", told)

    def recovered(self, fault: Fault, part: str, attempt: int) -> None:
        """Emit and record that a part worked after at least one failure, at this attempt."""
        told: dict[str, object] = {"code": fault.name, "part": part, "attempt": attempt}
        self.events.emit("recovered", **told)
        self._write_down("recovered", told)

    def _write_down(self, activity: str, told: dict[str, object]) -> None:
        """Record an intent without work: its outcome equals its intent."""
        number = self.journal.intend(activity, self.clock(), told, write=False)
        self.journal.confirm(number, self.clock(), None)
        self.journal.begin()

    async def check(self) -> None:
        """Compare the journal's copies and heal what is damaged. Raises JournalLockedError."""
        for sentence in await self.journal.check():
            self.events.emit("journal_copy_repaired", message=sentence)

    @asynccontextmanager
    async def asking(self, ask: Ask, who: Who) -> AsyncIterator[Callable[[str], None]]:
        """Record a question to a person, then who answered and what.

        Yields the function that takes the answer. The question is on disk before the person sees
        it, because the person may touch the table from then on. A request that ends without an
        answer stays unconfirmed in the journal and is reported as withdrawn.
        """
        prompt: dict[str, object] = {
            "code": ask.code,
            "part": ask.part,
            "seen": ask.seen,
            "please": ask.please,
            "who": who.value,
        }
        self.events.emit(
            "operator_prompted",
            code=ask.code,
            part=ask.part,
            evidence=ask.seen,
            request=ask.please,
            role=who.value,
        )
        answers: list[str] = []
        try:
            async with self.intent("asked", prompt) as work:
                yield answers.append
                work({"by": who.value, "answer": answers[-1]})
        except BaseException:
            self.events.emit("prompt_withdrawn", code=ask.code, part=ask.part)
            raise
        self.events.emit(
            "prompt_answered", code=ask.code, part=ask.part, role=who.value, answer=answers[-1]
        )

    def _emit_state(self, under: str, top: str) -> None:
        if self.past.over:
            self.events.emit("state", under=under, top=top)


def mean(values: list[float]) -> float | None:
    """The mean, rounded to milliseconds; None for an empty list."""
    return round(sum(values) / len(values), 3) if values else None


def as_json(value: object) -> Any:
    """A rules outcome as a JSON value: tuples become lists."""
    return json.loads(json.dumps(value))


def left_open(entries: Iterable[Entry]) -> TableFault | None:
    """The fault with which a run's journal entries end; it is still present at the resume.

    "No person available to answer" is not a fault of the table, and a question without an answer
    does not end a run.
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
