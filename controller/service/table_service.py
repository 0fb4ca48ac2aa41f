"""The service of one table: its sessions, its runs and its status, until it is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from config.schema import Table
from controller.events import Listener
from controller.run.faults.failures import Fault
from controller.run.journal.storage import MeasuredStorage
from controller.service.auditing.audit_trail import AuditTrail
from controller.service.auditing.receipt_book import ReceiptBook, facts_of_table
from controller.service.commands.command import CommandedTable
from controller.service.commands.command_desk import CommandDesk
from controller.service.evening.evening_store import EveningStore
from controller.service.evening.game_choices import SavedGames
from controller.service.evening.session_book import SessionBook
from controller.service.evening.session_keeper import SessionKeeper
from controller.service.evening.store_thread import StoreThread
from controller.service.port import (
    Actor,
    CommandReply,
    CommandRequest,
    HandRecord,
    LastRounds,
    SessionSummary,
)
from controller.service.present_run import PresentRun
from controller.service.prompts.open_prompts import OpenPrompts
from controller.service.prompts.recovery_lead import LeadWatch, RecoveryLead
from controller.service.prompts.service_guide import ServiceGuide
from controller.service.runs.run_sequence import First, RunSequence, TableOpener
from controller.service.service_state import ServiceState
from controller.service.settings import ServiceSettings
from controller.service.status import GameChoice, HandResult, ResultQuestion, TableFacts
from controller.service.status.feed import Publication, StatusFeed
from controller.service.status.machine_figures import FiguresBook, MachineFigures
from controller.service.tracking.round_view import chance_of_round, chance_of_shuffle
from controller.service.tracking.status_tracker import StatusSources, StatusTracker
from controller.service.tracking.table_events import TableEvents
from rules.errors import WallwrightError

if TYPE_CHECKING:
    from controller.records.audit.log.log_reader import LogReader
    from controller.records.audit.notes import SignedNote, VerifierKey
    from controller.run.daemon import Daemon


class TableService:
    """The service of one table: makes its parts, connects them, and runs them until it is stopped.

    The parts are attributes. A part gets the other parts that it uses, and never the service.
    """

    def __init__(
        self,
        table: Table,
        facts: TableFacts,
        opener: TableOpener,
        store: EveningStore,
        thread: StoreThread,
        settings: ServiceSettings,
    ) -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        self.clock: Callable[[], float] = lambda: round(loop.time() - begun, 6)
        """Seconds of the table's clock, which begins with the service."""
        self.store = store
        self.thread = thread
        self.figures = FiguresBook()
        self.settings = self._measured(settings)
        number = (store.fact("starts") or 0) + 1
        thread.write(lambda store: store.put_fact("starts", number))

        def changed() -> None:
            self._publication.changed()

        self.run = PresentRun(table)
        self.audit = AuditTrail(
            settings.recorder, self.clock, store, thread, self._audit_changed, changed
        )
        self.state = ServiceState(store, thread, self.audit, self.clock, changed)
        self.prompts = OpenPrompts(f"p{number}", self.clock, changed)
        self.guide = ServiceGuide(self.prompts, automatic=settings.automatic)
        self.lead = RecoveryLead(self.clock, settings.pace)
        self.lead_watch = LeadWatch(self.lead, self.clock, changed)
        self.presets = SavedGames(store, thread)
        self.receipts = ReceiptBook(
            self.audit,
            store,
            thread,
            facts_of_table(table.name, facts.software, settings.nameplate),
            lambda: chance_of_round(self.run.daemon),
            lambda: chance_of_shuffle(self.run.daemon),
        )
        self.sessions = SessionKeeper(store, thread, changed)
        self.tracker = StatusTracker(
            facts,
            StatusSources(self.run, self.state, self.sessions, self.prompts, self.lead, self.audit),
        )
        self.events = TableEvents(
            self.run,
            self.sessions,
            self.audit,
            self.receipts,
            self.tracker,
            self.figures,
            changed,
        )
        self.runs = RunSequence(
            self.run,
            opener,
            self.guide,
            self.settings,
            self.sessions,
            self.state,
            self.events,
        )
        self.sessions.on_round = self.events.round_over
        self.sessions.on_end = self.runs.session_is_over
        self._publication = Publication(self.tracker.status, self.clock, settings.pace)
        self.commanded = CommandedTable(
            settings=self.settings,
            run=self.run,
            runs=self.runs,
            state=self.state,
            sessions=self.sessions,
            presets=self.presets,
            prompts=self.prompts,
            guide=self.guide,
            lead=self.lead,
            lead_watch=self.lead_watch,
            audit=self.audit,
            receipts=self.receipts,
            thread=thread,
            feed=self.feed,
            events=self.events,
        )
        """The parts that commands use."""
        thread.changed = self._store_changed
        if thread.failure is not None:
            self._store_changed(thread.failure)
        self.audit.begin(facts.model_dump(mode="json"))

    def _measured(self, settings: ServiceSettings) -> ServiceSettings:
        """The settings with a storage whose writes are measured."""
        times = self.figures.journal_times
        return replace(
            settings, storage=lambda: MeasuredStorage(settings.storage(), times, self.clock)
        )

    @property
    def feed(self) -> StatusFeed:
        """The status and its changes."""
        return self._publication.feed

    @property
    def book(self) -> SessionBook | None:
        """The book of the session in progress."""
        return self.sessions.book

    @property
    def daemon(self) -> Daemon | None:
        """The daemon of the present run."""
        return self.run.daemon

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Pass every later event to `listener`; returns the function that ends that."""
        return self.events.listen(listener)

    def report(self, sentence: str) -> None:
        """Add a sentence to the recent events."""
        self.events.report(sentence)

    def lock_table(self, sentence: str) -> None:
        """Stop the table safely, because the program is not the one that was signed.

        No command unlocks it: the service must be started again, and is checked at its start.
        """
        self.runs.lock_table(sentence)
        self.report(sentence)

    def reload(self, load: Callable[[], Table]) -> None:
        """Read the table's file again, unless a session or service mode is in progress.

        A file with defects changes nothing. The run is interrupted and resumed with the new values;
        no tile moves.
        """
        if self.book is not None or self.run.shift is not None:
            self.report("The configuration is not read again while the table is in use.")
            return
        try:
            table = load()
        except WallwrightError as error:
            self.audit.record("configuration_refused", {"reason": str(error)})
            self.report(f"The configuration was not changed. {error}")
            return
        self.audit.record("configuration_read")
        self.runs.use(table)
        self.report("The configuration was read again.")

    async def serve(self, first: First | None = None) -> None:
        """Keep the table running until `stop`, and record its end; the caller closes the service.

        `first` is awaited when the session of an earlier start was restored. The audit log can
        still be read at the end, so that the floor gets the last event. Raises an error of the
        program only.
        """
        await self.runs.keep_running(first)
        await self.audit.stop(self.settings.pace)
        self._publication.close()

    def stop(self) -> None:
        """Stop the service: boards first; the tiles stay where they are."""
        self.runs.stop()

    def close(self) -> None:
        """Close what the service has open, also after an error, or without a table that ran."""
        self.audit.end()
        self.lead_watch.close()
        self._publication.close()

    def _audit_changed(self, sentence: str | None, is_locked: bool) -> None:
        """Stop the table if the log has failed, because its events could not be proven."""
        if sentence is None:
            self.report("The audit log is written again.")
            return
        fault = Fault.AUDIT_LOCKED if is_locked else Fault.AUDIT
        self.events.take_fault(self.clock(), fault, "audit log", sentence)
        self.runs.fail(sentence)

    def _store_changed(self, failure: str | None) -> None:
        """Stop the table if the store has failed, because actions of people could not be stored."""
        if failure is None:
            self.report("The sessions are stored again.")
            return
        self.events.take_fault(self.clock(), Fault.STORE, "store of the sessions", failure)
        self.runs.fail(failure)


class ClientPort:
    """The port of clients to the service of one table; implements `TablePort`."""

    def __init__(self, service: TableService) -> None:
        self._service = service
        self._desk = CommandDesk(service.commanded)

    @property
    def feed(self) -> StatusFeed:
        """The status and its changes."""
        return self._service.feed

    def figures(self) -> MachineFigures:
        """Counts and times of links, logs and parts."""
        return self._service.figures.figures(*self._service.audit.write_figures)

    async def diagnostics(self) -> Callable[[], bytes]:
        """A function that makes the diagnostics bundle; it may run in any thread."""
        from controller.upkeep.service_mode.diagnostics import (  # noqa: PLC0415 - seldom used
            diagnostics_of,
        )

        service = self._service
        return diagnostics_of(
            service.feed.snapshot().status,
            self._journal(),
            service.run.table,
            service.settings.table_file,
            service.run.selftest,
        )

    async def selftest_page(self) -> str | None:
        """The report of the last trials in service mode, as Markdown; None without any."""
        report = self._service.run.selftest
        return None if report is None else report.as_page()

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Pass every later event to `listener`; returns the function that ends that."""
        return self._service.listen(listener)

    def record_access(
        self, what: str, status: int, path: str, who: str, role: str, address: str
    ) -> None:
        """Record a request that changes something, such as a login, in the audit log."""
        self._service.audit.access(what, status, path, who, role, address)

    async def record_change(
        self, what: str, details: Mapping[str, object], who: str, role: str, address: str
    ) -> None:
        """Record a change of the accounts before it takes effect. Raises AuditError."""
        audit = self._service.audit
        await audit.record_first(what, details, who=who, role=role, source=address)

    def presence(self, client: str, connected: bool) -> None:
        """Note that a client's first stream has begun, or that its last one has ended."""
        self._service.lead_watch.presence(client, connected)

    async def presets(self) -> dict[str, GameChoice]:
        """The saved games with house rules, by name."""
        return self._service.presets.all()

    async def sessions(self, before: str | None, limit: int) -> Sequence[SessionSummary]:
        """Sessions, latest first."""
        rows = await self._service.thread.read(lambda store: store.sessions(before, limit))
        return [
            SessionSummary(
                session,
                started,
                ended,
                game,
                facts["title"],
                facts["rounds"],
                tuple(facts["names"].get(str(seat), "") for seat in range(len(facts["scores"]))),
                tuple(facts["scores"]),
            )
            for session, started, ended, game, facts in rows
        ]

    async def results(self, session: str, after: int, limit: int) -> Sequence[HandResult]:
        """Results of a session's hands, in order."""
        rows = await self._service.thread.read(lambda store: store.results(session, after, limit))
        return [HandResult.model_validate(row) for row in rows]

    async def result_question(self, session: str, hand: int) -> ResultQuestion | None:
        """The question for the result of one hand; None if people cannot report it."""
        return self._service.tracker.question_about(session, hand)

    async def record(self, session: str, hand: int) -> HandRecord | None:
        """The record of one hand; None if there is none."""
        found = await self._service.thread.read(lambda store: store.hand(session, hand))
        if found is None:
            return None
        lines, events, chosen = found
        choice = None if chosen is None else GameChoice.model_validate(chosen)
        return HandRecord(session, hand, tuple(lines), tuple(events), choice)

    async def record_lines(self, session: str, last: int) -> Sequence[tuple[int, Sequence[str]]]:
        """The record lines of a session's hands up to the number `last`, each with its number."""
        return await self._service.thread.read(lambda store: store.lines(session, last))

    async def journal_lines(self, after: int, limit: int) -> Sequence[str]:
        """Lines of the present run's journal with a record number above `after`, in order."""
        page = self._journal_page(after, limit)
        return await self._service.thread.read(lambda _: page())

    def _journal(self) -> Callable[[], list[str]]:
        """A function that reads the journal's lines, in order; it may run in any thread."""
        journal = self._service.run.journal
        if journal is not None:
            return journal.whole()
        return partial(_lines_of_file, self._service.settings.journal, 0, -1)

    def _journal_page(self, after: int, limit: int) -> Callable[[], list[str]]:
        """A function that reads a page of the journal; it may run in one thread."""
        journal = self._service.run.journal
        if journal is not None:
            return journal.page(after, limit)
        return partial(_lines_of_file, self._service.settings.journal, after, limit)

    async def audit_lines(self, first: int, limit: int) -> Sequence[str]:
        """Events of the audit log from the index `first` on, in order."""
        recorder = self._service.audit.recorder
        if recorder is None or first >= recorder.size:
            return ()

        def work(log: LogReader) -> list[str]:
            return [line[:-1].decode() for line in log.lines(first, first + limit)]

        return await recorder.read(work)

    async def audit_head(self, most: int) -> SignedNote | None:
        """The largest kept head of the audit log with at most `most` events; None without one."""
        recorder = self._service.audit.recorder
        if recorder is None or not recorder.size:
            return None
        return await recorder.read(lambda log: log.kept_head(most))

    async def keep_cosigned_head(self, head: SignedNote, witness: VerifierKey) -> None:
        """Keep a head with the cosignature of a witness beside the log, one a day."""
        recorder = self._service.audit.recorder
        if recorder is None:
            return
        from controller.records.audit.witnessing import keep_daily  # noqa: PLC0415 - only on a floor

        await recorder.read(lambda log: keep_daily(log.folder, head, witness))

    async def receipt(self, session: str, hand: int) -> dict[str, Any] | None:
        """The receipt of one of the last ten rounds; None if there is none."""
        recorder = self._service.audit.recorder
        if recorder is None:
            return None
        await recorder.on_disk()
        event = self._service.receipts.event_of(session, hand)
        if event is None:
            return None
        from controller.records.audit.receipts import receipt_of  # noqa: PLC0415 - seldom used

        return await recorder.read(lambda log: receipt_of(log, event))

    async def last_rounds(self) -> LastRounds:
        """The last ten rounds with their results, and the round in progress."""
        service = self._service
        playing = service.book is not None and service.book.hand > service.book.rounds
        unfinished = (
            service.receipts.unfinished(service.run.game, service.book) if playing else None
        )
        return LastRounds(tuple(dict(each) for each in service.receipts.last_rounds), unfinished)

    async def submit(self, request: CommandRequest, actor: Actor) -> CommandReply:
        """Give a command; the same id twice is executed once and gets the same reply."""
        return await self._desk.submit(request, actor)


def _lines_of_file(journal: Path | None, after: int, limit: int) -> list[str]:
    """The lines of the journal's file; its reader is imported when a client asks for them."""
    from controller.upkeep.service_mode.diagnostics import file_lines  # noqa: PLC0415

    return file_lines(journal, after, limit)
