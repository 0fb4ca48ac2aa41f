"""Run state of the daemon: state machine, ledger, journal, events and figures.

All activities share one `RunState`. The ledger is a frozen value; it is replaced only after sensors
have confirmed a change.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from controller.events import EventLog, EventName
from controller.run.faults.catalogue import Who
from controller.run.faults.failures import Fault, TableFault
from controller.run.journal import Entry, Journal, JournalError
from controller.run.journal.notes import Note
from controller.run.journal.replay import Replay
from controller.run.ledger import Ledger
from controller.run.state_machine import TableMachine
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
    """One journal intent during its execution: takes its outcome and its notes.

    Calling the object sets the outcome. `entry` is the journal entry if an earlier run began this
    intent.
    """

    def __init__(
        self, run_state: RunState, activity: str, number: int, entry: Entry | None = None
    ) -> None:
        self.activity = activity
        self.number = number
        """The intent's number in the journal."""
        self.done = entry is not None and entry.confirmed
        """Whether an earlier run confirmed the intent; then the work is not repeated."""
        self.doubtful = entry is not None and not entry.confirmed
        """Whether an earlier run was interrupted during this intent, at an unknown point."""
        self.notes: tuple[Note, ...] = entry.notes if entry else ()
        """Notes that earlier runs recorded for this intent."""
        self.outcome: object = entry.outcome if entry else None
        self._run_state = run_state

    def __call__(self, outcome: object) -> None:
        """Set the outcome, which is written when the work is done. The last call counts."""
        self.outcome = outcome

    def record(self, note: Note) -> None:
        """Add a note to the intent and begin to write it."""
        self._run_state.journal.note(self.number, self._run_state.clock(), note)

    async def on_disk(self) -> None:
        """Wait until the intent and all recorded notes are on disk. Raises JournalError."""
        await self._run_state.journal.on_disk()

    async def note(self, note: Note) -> None:
        """Record a note and wait until it is on disk in every copy. Raises JournalError."""
        self.record(note)
        await self.on_disk()


class RunState:
    """State of one run of a table, shared by all activities."""

    def __init__(
        self, ledger: Ledger, journal: Journal, events: EventLog, clock: Callable[[], float]
    ) -> None:
        self.ledger = ledger
        self.journal = journal
        self.events = events
        self.clock = clock
        self.figures = Figures()
        self.machine = TableMachine(self._emit_state)
        self.replay = Replay()
        """Journal entries of the interrupted run that this run has not replayed yet."""
        self.resumed = False
        """Whether this run resumes an interrupted one."""
        self.assists_in_pauses = 0
        """Number of prompts to a person during pauses. The journal does not record the moves of
        tiles by that person."""
        self.pauses = 0
        """Number of pauses, of any cause, that have begun."""
        self.commanded_pauses = 0
        """Number of pauses that a person commanded; that person can move tiles too."""
        self.lid_interrupts = 0
        """Number of times that the lid was opened for a forgotten tile while a set was prepared;
        people can put in tiles of the other set."""
        self.open_fault: TableFault | None = None
        """The fault that ended the interrupted run and was not cleared; None if there was none."""
        self.unanswered: tuple[TableFault, ...] = ()
        """The faults of unanswered prompts of that run: hands can still be in the machine."""
        self.reported: dict[str, dict[str, object]] = {}
        """The last report of each hand's result in the journal of the interrupted run, by the
        name of the hand."""
        self.answered: set[tuple[str, str]] = set()
        """Code and part of the prompts that were answered in this run."""
        self._added: Counter[str] = Counter()
        """Numbers of intents and outcomes that this run has added to the journal, by activity."""
        self._addition: asyncio.Future[None] | None = None
        """Done when a record is added; None until a coroutine waits for that."""

    def resume(self, entries: Iterable[Entry]) -> None:
        """Resume an interrupted run from its journal entries."""
        interrupted = tuple(entries)
        self.replay = Replay(interrupted)
        self.resumed = True
        self.open_fault = open_fault_of(interrupted)
        self.unanswered = unanswered_of(interrupted)
        reports = (entry.intent for entry in interrupted if entry.activity == "result")
        self.reported = {str(report["hand"]): dict(report) for report in reports}
        self.events.emit(EventName.RUN_RESUMED, entries=len(interrupted))

    def is_replaying(self, activity: str) -> bool:
        """Whether journal entries of this activity are still to be replayed."""
        return self.replay.ahead(activity) is not None

    @asynccontextmanager
    async def intent(
        self,
        activity: str,
        intent: dict[str, object],
        emit: EventName | None = None,
        *,
        wait: bool = True,
        write: bool = True,
    ) -> AsyncIterator[Work]:
        """Write an intent to disk, execute the block, then confirm the intent with its outcome.

        Yields the `Work`, which takes notes and the outcome. If the block raises, the intent stays
        unconfirmed. `emit` names an event that is emitted with the intent's facts at the beginning,
        unless an earlier run began the intent. Without `wait` the block starts while the intent is
        still being written; the block then has to await `on_disk` before it moves a tile. With both
        `wait` and `write` unset the intent is written with the first note, so that both share one
        sync.
        """
        work = await self.begin_work(activity, intent, emit, wait=wait, write=write)
        yield work
        self.end_work(work)

    async def begin_work(
        self,
        activity: str,
        intent: dict[str, object],
        emit: EventName | None = None,
        *,
        wait: bool = True,
        write: bool = True,
    ) -> Work:
        """Begin an intent that `end_work` confirms; arguments as `intent`.

        Use it only for work that does not end where it began.
        """
        entry = self.replay.take(activity, as_json(intent))
        if entry is not None:
            return Work(self, activity, entry.number, entry)
        if emit is not None:
            self.events.emit(emit, **intent)
        number = self.journal.intend(activity, self.clock(), intent, write=wait or write)
        work = Work(self, activity, number)
        self._count(activity)
        if wait:
            await work.on_disk()
        return work

    def end_work(self, work: Work) -> None:
        """Confirm an intent with its outcome, unless an earlier run has confirmed it."""
        if not work.done:
            self.journal.confirm(work.number, self.clock(), work.outcome)
            self._count(work.activity)

    def added(self, activities: Collection[str]) -> int:
        """The number of intents and outcomes of these activities that this run has added."""
        return sum(self._added[activity] for activity in activities)

    async def on_disk_after(self, activities: Collection[str], number: int) -> None:
        """Wait until these activities have added more records than `number`, and all are on disk.

        Without activities only the records that were added so far count. Raises JournalError.
        """
        while activities and self.added(activities) <= number:
            if self._addition is None or self._addition.done():
                self._addition = asyncio.get_running_loop().create_future()
            # One that waits with a time limit must not cancel the wait of others.
            await asyncio.shield(self._addition)
        await self.journal.on_disk()

    def _count(self, activity: str) -> None:
        """Count a record that was added, and wake those that wait for it."""
        self._added[activity] += 1
        if self._addition is not None and not self._addition.done():
            self._addition.set_result(None)

    def fault(self, fault: TableFault) -> None:
        """Count a fault, emit its event and begin to write it to the journal.

        Does not wait for the disk, because the boards have to be stopped first.
        """
        self.figures.faults += 1
        facts = fault.facts()
        self.events.emit(EventName.FAULT, **facts)
        # A journal that cannot be written can be the fault that is being reported.
        with suppress(JournalError):
            self._record("fault", facts)

    def recovered(self, fault: Fault, part: str, attempt: int) -> None:
        """Emit and record that a part succeeded at this attempt after at least one failure."""
        facts: dict[str, object] = {"code": fault.name, "part": part, "attempt": attempt}
        self.events.emit(EventName.RECOVERED, **facts)
        self._record("recovered", facts)

    def _record(self, activity: str, facts: dict[str, object]) -> None:
        """Add facts to the journal as an intent that is confirmed at once, without an outcome."""
        number = self.journal.intend(activity, self.clock(), facts, write=False)
        self.journal.confirm(number, self.clock(), None)
        self._count(activity)
        self.journal.begin()

    async def check(self) -> None:
        """Compare the journal's copies and repair damaged ones. Raises JournalLockedError."""
        for sentence in await self.journal.check():
            self.events.emit(EventName.JOURNAL_COPY_REPAIRED, message=sentence)

    @asynccontextmanager
    async def asking(self, ask: Ask, who: Who) -> AsyncIterator[Callable[[str], None]]:
        """Record and emit a prompt to an operator, then the answer.

        Yields the function that takes the answer. The prompt is on disk before the operator sees
        it, because the operator can move tiles from then on. A prompt that ends without an answer
        stays unconfirmed in the journal and is reported as withdrawn.
        """
        prompt: dict[str, object] = {
            "code": ask.code,
            "part": ask.part,
            "seen": ask.seen,
            "please": ask.please,
            "who": who.value,
        }
        self.events.emit(
            EventName.OPERATOR_PROMPTED,
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
            self.events.emit(EventName.PROMPT_WITHDRAWN, code=ask.code, part=ask.part)
            raise
        self.answered.add((ask.code, ask.part))
        self.events.emit(
            EventName.PROMPT_ANSWERED,
            code=ask.code,
            part=ask.part,
            role=who.value,
            answer=answers[-1],
        )

    def _emit_state(self, under: str, top: str) -> None:
        if self.replay.over:
            self.events.emit(EventName.STATE, under=under, top=top)


def mean(values: list[float]) -> float | None:
    """The mean, rounded to milliseconds; None for an empty list."""
    return round(sum(values) / len(values), 3) if values else None


def as_json(value: object) -> Any:
    """A rules outcome as a JSON value: tuples become lists."""
    return json.loads(json.dumps(value))


def open_fault_of(entries: Iterable[Entry]) -> TableFault | None:
    """The fault at the end of an interrupted run's entries; None if they do not end with a fault.

    Unanswered prompts and the fault `NOBODY` (no person is available to answer) are skipped: the
    first are not faults, and the second is not a fault of the table.
    """
    for entry in reversed(tuple(entries)):
        unanswered = entry.activity == "asked" and not entry.confirmed
        if unanswered or entry.intent.get("code") == Fault.NOBODY.name:
            continue
        if entry.activity != "fault":
            break
        facts = {key: str(value) for key, value in entry.intent.items()}
        return TableFault(Fault[facts["code"]], facts["part"], facts["evidence"])
    return None


def unanswered_of(entries: Iterable[Entry]) -> tuple[TableFault, ...]:
    """The faults of the prompts that have no answer, also not in a later prompt about them.

    Oldest first. Prompts about a board that does not answer, or about another board, are left out:
    they are repeated by the connection to the board, and no person reaches into the machine for
    them.
    """
    asked: dict[tuple[str, str], TableFault] = {}
    for entry in entries:
        if entry.activity != "asked":
            continue
        code, part, seen = (str(entry.intent.get(key)) for key in ("code", "part", "seen"))
        if entry.confirmed:
            asked.pop((code, part), None)
        elif code in Fault.__members__ and Fault[code] not in (Fault.SILENT, Fault.STRANGER):
            asked.setdefault((code, part), TableFault(Fault[code], part, seen))
    return tuple(asked.values())
