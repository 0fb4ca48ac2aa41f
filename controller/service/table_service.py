"""The service of one table: its sessions, its runs and its status, until it is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from config.schema import Table
from controller.events import Listener
from controller.run.faults.failures import Fault
from controller.run.journal.storage import MeasuredStorage
from controller.service.auditing.audit_trail import AuditTrail
from controller.service.auditing.receipt_book import ReceiptBook, facts_of_table
from controller.service.commands.command import CommandedTable
from controller.service.evening.evening_store import EveningStore
from controller.service.evening.game_choices import SavedGames
from controller.service.evening.session_book import SessionBook
from controller.service.evening.session_keeper import SessionKeeper
from controller.service.evening.store_thread import StoreThread
from controller.service.present_run import PresentRun
from controller.service.prompts.open_prompts import OpenPrompts
from controller.service.prompts.recovery_lead import LeadWatch, RecoveryLead
from controller.service.prompts.service_guide import ServiceGuide
from controller.service.runs.run_sequence import First, RunSequence, TableOpener
from controller.service.service_state import ServiceState
from controller.service.settings import ServiceSettings
from controller.service.status import TableFacts
from controller.service.status.feed import Publication, StatusFeed
from controller.service.status.machine_figures import FiguresBook
from controller.service.tracking.round_view import chance_of_round, chance_of_shuffle
from controller.service.tracking.status_tracker import StatusSources, StatusTracker
from controller.service.tracking.table_events import TableEvents
from rules.errors import WallwrightError

if TYPE_CHECKING:
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
        self._tracker = StatusTracker(
            facts,
            StatusSources(self.run, self.state, self.sessions, self.prompts, self.lead, self.audit),
        )
        self.events = TableEvents(
            self.run,
            self.sessions,
            self.audit,
            self.receipts,
            self._tracker,
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
        self._publication = Publication(self._tracker.status, self.clock, settings.pace)
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
        """Read the table's file again, if nobody plays; a file with defects changes nothing.

        The run is interrupted and resumed with the new values; no tile moves.
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
        """Stop the table if the log has failed: what happens at it could not be proven."""
        if sentence is None:
            self.report("The audit log is written again.")
            return
        fault = Fault.AUDIT_LOCKED if is_locked else Fault.AUDIT
        self.events.take_fault(self.clock(), fault, "audit log", sentence)
        self.runs.fail(sentence)

    def _store_changed(self, failure: str | None) -> None:
        """Stop the table if the store has failed: what people do at it could not be kept."""
        if failure is None:
            self.report("The sessions are stored again.")
            return
        self.events.take_fault(self.clock(), Fault.STORE, "store of the sessions", failure)
        self.runs.fail(failure)
