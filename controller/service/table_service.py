"""The service of one table: its sessions, its runs and its status, until it is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from config.schema import Table
from controller.events import Event, EventName, Listener, Listeners
from controller.run.faults.failures import Fault
from controller.run.journal.measured_storage import MeasuredStorage, WriteFigures
from controller.service.auditing.audit_trail import AuditTrail, RecorderOpener
from controller.service.auditing.receipt_book import ReceiptBook, facts_of_table
from controller.service.evening.evening_store import EveningStore
from controller.service.evening.game_choices import PlannedGame, SavedGames, any_game, planned
from controller.service.evening.session_book import SessionBook
from controller.service.evening.session_keeper import SessionKeeper
from controller.service.evening.store_thread import StoreThread
from controller.service.prompts.open_prompts import OpenPrompts
from controller.service.prompts.recovery_lead import RecoveryLead
from controller.service.prompts.service_guide import ServiceGuide
from controller.service.runs.run_sequence import First, RunOptions, RunSequence, TableOpener
from controller.service.status import (
    GameChoice,
    LeadStatus,
    ServiceName,
    ServiceStatus,
    TableFacts,
)
from controller.service.status.feed import Publication, StatusFeed
from controller.service.status.machine_figures import FiguresBook, MachineFigures
from controller.service.tracking.round_view import chance_of_round, chance_of_shuffle, deal_on_table
from controller.service.tracking.status_tracker import StatusTracker
from rules.errors import WallwrightError

if TYPE_CHECKING:
    from controller.run.daemon import Daemon
    from controller.run.journal.storage import Storage
    from controller.service.servicing.service_mode_shift import ServiceModeShift
    from controller.upkeep.selftest import SelfTestReport
    from controller.upkeep.service_mode.mode_status import ServiceModeStatus
    from controller.upkeep.update.session_lock import SessionLock


OUT_OF_PLAY = "out of play"
"""Name of the fact in the store that has the person who has taken the table out of play."""


class TableService:
    """The service of one table, as commands and runs change it.

    `ports` are the serial ports of a real table's boards, empty for a simulated table. `journal` is
    the file of the journal, None to keep it in memory. `storage` creates the storage of a run.
    `pace` is the number of seconds of the event loop's clock in a real second. `recorder` opens the
    audit log; without it events are counted and not kept. `nameplate` is maker, model and serial
    number for receipts.
    """

    def __init__(
        self,
        table: Table,
        facts: TableFacts,
        opener: TableOpener,
        store: EveningStore,
        thread: StoreThread,
        *,
        storage: Callable[[], Storage],
        journal: Path | None = None,
        journal_copy: Path | None = None,
        ports: dict[str, str] | None = None,
        seed: int = 0,
        automatic: bool = False,
        table_file: Path | None = None,
        pace: float = 1.0,
        recorder: RecorderOpener | None = None,
        nameplate: tuple[str, str, str] = ("", "", ""),
    ) -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        self.table = table
        self.table_file = table_file
        self.store = store
        self.out_of_play: str | None = store.fact(OUT_OF_PLAY)
        """The person who has taken the table out of play; None if it is in play."""
        self.service = ServiceStatus(
            sentence=self._idle_sentence(), out_of_play=self.out_of_play is not None
        )
        self.thread = thread
        self.mode_status: ServiceModeStatus | None = None
        self.session_lock: SessionLock | None = None
        """Held while a session is in progress, so that no update is installed; None if the program
        is in no slot."""
        self._loop = loop
        self.pace = pace
        """Number of seconds of the event loop's clock in a real second."""
        self.clock: Callable[[], float] = lambda: round(loop.time() - begun, 6)
        number = (store.fact("starts") or 0) + 1
        thread.write(lambda store: store.put_fact("starts", number))
        self.recovery = RecoveryLead(self.clock, pace)
        self._lapsing: asyncio.TimerHandle | None = None
        self.prompts = OpenPrompts(f"p{number}", self.clock, self.changed)
        self.guide = ServiceGuide(self.prompts, automatic=automatic)
        self.presets = SavedGames(store, thread)
        self._listeners = Listeners()
        self.audit = AuditTrail(
            recorder, self.clock, store, thread, self._audit_changed, self.changed
        )
        self.receipts = ReceiptBook(
            self.audit,
            store,
            thread,
            facts_of_table(table.name, facts.software, nameplate),
            lambda: chance_of_round(self.daemon),
            lambda: chance_of_shuffle(self.daemon),
        )
        self._tracker = StatusTracker(table, facts, self)
        self._figures = FiguresBook()
        self._sessions = SessionKeeper(
            store, thread, self._round_is_over, self._session_is_over, self.changed
        )
        self.runs = RunSequence(
            table,
            opener,
            self.guide,
            RunOptions(self._measured(storage), journal, journal_copy, ports, seed),
            self._sessions,
            self._tracker,
            self._figures,
            thread,
            self,
        )
        self._publication = Publication(self._tracker.status, self.clock, pace)
        thread.changed = self._store_changed
        if thread.failure is not None:
            self._store_changed(thread.failure)
        self.audit.begin(facts.model_dump(mode="json"))

    # What clients read

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Pass every later event to `listener`; returns the function that ends that."""
        return self._listeners.add(listener)

    def journal_lines(self) -> Callable[[], list[str]]:
        """A function that reads the journal's lines, in order; it may run in any thread."""
        if self.runs.journal is not None:
            return self.runs.journal.whole()
        return partial(_lines_of_file, self.journal_file, 0, -1)

    def journal_page(self, after: int, limit: int) -> Callable[[], list[str]]:
        """A function that reads a page of the journal; it may run in one thread."""
        if self.runs.journal is not None:
            return self.runs.journal.page(after, limit)
        return partial(_lines_of_file, self.journal_file, after, limit)

    @property
    def journal_file(self) -> Path | None:
        """The file of the journal; None if it is kept in memory."""
        return self.runs.options.journal

    @property
    def feed(self) -> StatusFeed:
        """The status and its changes."""
        return self._publication.feed

    def figures(self) -> MachineFigures:
        """Counts and times of links, logs and parts."""
        recorder = self.audit.recorder
        if recorder is None:
            return self._figures.figures(WriteFigures(), 0)
        return self._figures.figures(recorder.times.figures, recorder.waiting)

    def _measured(self, storage: Callable[[], Storage]) -> Callable[[], Storage]:
        """A function that opens the storage of a run, whose writes are measured."""
        times = self._figures.journal_times
        return lambda: MeasuredStorage(storage(), times, self.clock)

    @property
    def book(self) -> SessionBook | None:
        """The book of the session in progress."""
        return self._sessions.book

    @property
    def lead(self) -> LeadStatus | None:
        """The client that leads a recovery."""
        return self.recovery.status

    @property
    def audit_anchor(self) -> dict[str, object] | None:
        """The size and the root of the audit log, which the journal keeps with each run."""
        return self.audit.anchor

    @property
    def has_session(self) -> bool:
        """Whether a session is in progress."""
        return self.book is not None

    @property
    def daemon(self) -> Daemon | None:
        """The daemon of the present run."""
        return self.runs.daemon

    @property
    def game(self) -> PlannedGame | None:
        """The game of the present or last round."""
        return self.runs.game

    @property
    def chosen(self) -> PlannedGame | None:
        """The game that applies from the next shuffle, if it is not the present one."""
        return self.runs.wanted if self.runs.programme is None else self.runs.programme.next

    @property
    def shift(self) -> ServiceModeShift | None:
        """The present stay in service mode, from its command to its end."""
        return self.runs.shift

    @property
    def selftest(self) -> SelfTestReport | None:
        """The report of the last trials in service mode."""
        shift = self.runs.shift
        return (None if shift is None else shift.present_report()) or self.runs.selftest

    @property
    def lock(self) -> str | None:
        """Why no command may start the table; None if commands may."""
        return self.runs.lock

    @property
    def is_stopping(self) -> bool:
        """Whether the service stops."""
        return self.runs.stopping.is_set()

    # What commands do

    def plan(self, choice: GameChoice) -> PlannedGame:
        """Validate a choice. Raises ChoiceRefusedError."""
        return planned(self.table, choice)

    def begin_session(self, game: PlannedGame, names: dict[int, str]) -> SessionBook:
        """Begin a session; the table starts if it does not run."""
        book = self._sessions.begin(game, names)
        self.hold_updates()
        self.set_state("session", f"{game.orders.game.title} is played.")
        self.runs.begin(game)
        return book

    def hold_updates(self) -> bool:
        """Let no update be installed until the session ends; False if one is being installed."""
        return self.session_lock is None or self.session_lock.hold()

    def choose_next(self, game: PlannedGame) -> None:
        """Choose the game that applies from the next shuffle."""
        self.runs.choose(game)
        self.changed()

    def finish_session(self) -> None:
        """End the session: now if no round is in progress, else after the round."""
        self._sessions.end_after_round()
        if self.runs.programme is None or not self.runs.programme.in_round:
            self._sessions.end()
        self.changed()

    def take_out_of_play(self, who: str) -> None:
        """End the session after this round; none begins until `put_in_play`, even after a restart.

        A round that a fault interrupted is still recovered and played to its end.
        """
        self._set_out_of_play(who)
        if self.book is not None:
            self.finish_session()

    def put_in_play(self) -> None:
        """Let sessions begin again."""
        self._set_out_of_play(None)

    def _set_out_of_play(self, who: str | None) -> None:
        self.out_of_play = who
        self.thread.write(lambda store: store.put_fact(OUT_OF_PLAY, who))
        self.audit.record("put_in_play" if who is None else "taken_out_of_play", who=who or "")
        state = self.service.state
        self.set_state(state, self._idle_sentence() if state == "idle" else self.service.sentence)

    def _idle_sentence(self) -> str:
        if self.out_of_play is None:
            return "Nobody plays; choose a game to begin."
        return f"{self.out_of_play} has taken the table out of play."

    def clear_fault(self, *, abandon: bool = False) -> None:
        """Let the table start again after a fault.

        With `abandon` people put every tile away first, and a new round begins.
        """
        self._tracker.clear_fault()
        self.runs.clear_fault(abandon=abandon)
        state: ServiceName = "idle" if self.book is None else "session"
        self.set_state(state, "The table starts again.")

    def lock_table(self, sentence: str) -> None:
        """Stop the table safely, because the program is not the one that was signed.

        No command unlocks it: the service must be started again, and is checked at its start.
        """
        self.runs.lock_table(sentence)
        self.report(sentence)

    def presence(self, client: str, connected: bool) -> None:
        """A client's first stream has begun, or its last one has ended."""
        self.recovery.presence(client, connected)
        if self.lead is not None and self.lead.client == client:
            self.watch_lead()

    def watch_lead(self) -> None:
        """Publish a change of the lead, and end the lead when its time comes."""
        if self._lapsing is not None:
            self._lapsing.cancel()
            self._lapsing = None
        self.recovery.lapse()
        if self.recovery.lapses_at is not None:
            wait = self.recovery.lapses_at - self.clock()
            self._lapsing = self._loop.call_later(wait, self.watch_lead)
        self.changed()

    def stop(self) -> None:
        """Stop the service: boards first; the tiles stay where they are."""
        self.set_state("stopping", "The service stops.")
        self.runs.stop()

    def reload(self, load: Callable[[], Table]) -> None:
        """Read the table's file again, if nobody plays; a file with defects changes nothing.

        The run is interrupted and resumed with the new values; no tile moves.
        """
        if self.book is not None or self.shift is not None:
            self.report("The configuration is not read again while the table is in use.")
            return
        try:
            self.table = load()
        except WallwrightError as error:
            self.audit.record("configuration_refused", {"reason": str(error)})
            self.report(f"The configuration was not changed. {error}")
            return
        self.audit.record("configuration_read")
        self._tracker.use(self.table)
        self.runs.use(self.table)
        self.report("The configuration was read again.")

    def in_words(self, sentence: str) -> str:
        """A sentence with names and winds in place of the seats' numbers, if they are known."""
        return sentence if self.book is None else self.book.in_words(sentence)

    def report(self, sentence: str) -> None:
        """Add a sentence to the recent events."""
        self._tracker.report(round(self.clock(), 3), sentence)
        self.changed()

    def enter_service_mode(self, name: str) -> ServiceModeShift:
        """Stop the run, then enter service mode. Raises ChoiceRefusedError if no game fits."""
        # Service mode needs modules that no answer to a client needs: the start is faster.
        from controller.service.servicing.service_mode_shift import (  # noqa: PLC0415
            ServiceModeShift,
        )

        game = self.game or self.runs.wanted or any_game(self.table)
        shift = ServiceModeShift(
            name,
            self.table,
            game,
            lambda: self.runs.opener.open_for_service(game, self.guide),
            self.clock,
            self._show_mode,
            table_file=self.table_file,
            journal=self.runs.options.journal,
            journal_copy=self.runs.options.journal_copy,
            pace=self.pace,
        )
        self.runs.enter_service_mode(shift)
        return shift

    def _show_mode(self, status: ServiceModeStatus | None) -> None:
        self.mode_status = status
        self.changed()

    # State

    async def serve(self, first: First | None = None) -> None:
        """Keep the table running until `stop`, and record its end; the caller closes the service.

        `first` is awaited when the session of an earlier start was restored. The audit log can
        still be read at the end, so that the floor gets the last event. Raises an error of the
        program only.
        """
        await self.runs.keep_running(first)
        await self.audit.stop(self.pace)
        self._publication.close()

    def close(self) -> None:
        """Close what the service has open, also after an error, or without a table that ran."""
        self.audit.end()
        if self._lapsing is not None:
            self._lapsing.cancel()
        self._publication.close()

    def set_state(self, state: ServiceName, sentence: str) -> None:
        """Change the state of the service."""
        self.audit.on_state(state, sentence)
        self.service = ServiceStatus(
            state=state,
            since=round(self.clock(), 3),
            sentence=sentence,
            out_of_play=self.out_of_play is not None,
        )
        self.changed()

    def changed(self) -> None:
        """Publish the status soon."""
        self._publication.changed()

    def on_event(self, event: Event) -> None:
        """Take an event of the table, and pass it on."""
        if self.book is not None and self.daemon is not None:
            deal = deal_on_table(self.daemon)
            if deal is not None:
                self.book.dealer = deal.setup.seating.dealer
        self.audit.on_event(event)
        self.receipts.on_event(event, self.game)
        self._tracker.update(event)
        self._figures.on_event(event)
        self._sessions.update(event)
        self._listeners(event)
        self.changed()

    def _audit_changed(self, sentence: str | None, is_locked: bool) -> None:
        """Stop the table if the log has failed: what happens at it could not be proven."""
        if sentence is None:
            self.report("The audit log is written again.")
            return
        fault = Fault.AUDIT_LOCKED if is_locked else Fault.AUDIT
        facts = {"code": fault.name, "part": "audit log", "evidence": sentence.rstrip(".")}
        self.on_event({"t": self.clock(), "event": EventName.FAULT.value, **facts})
        self.runs.fail(sentence)

    def _store_changed(self, failure: str | None) -> None:
        """Stop the table if the store has failed: what people do at it could not be kept."""
        if failure is None:
            self.report("The sessions are stored again.")
            return
        facts = {
            "code": Fault.STORE.name,
            "part": "store of the sessions",
            "evidence": failure.rstrip("."),
        }
        self.on_event({"t": self.clock(), "event": EventName.FAULT.value, **facts})
        self.runs.fail(failure)

    def _round_is_over(self) -> None:
        self._tracker.count_round()
        if self.book is not None:
            self.receipts.round_over(self.book)

    def _session_is_over(self) -> None:
        if self.session_lock is not None:
            self.session_lock.release()
        if self.runs.programme is not None:
            self.runs.programme.end_session()
        if self.runs.failure is None:
            is_in_play = self.out_of_play is None
            self.set_state("idle", "The session is over." if is_in_play else self._idle_sentence())
        else:
            self.set_state("fault", self.runs.failure)


def _lines_of_file(journal: Path | None, after: int, limit: int) -> list[str]:
    """The lines of the journal's file; its reader is imported when a client asks for them."""
    from controller.service.servicing.diagnostic_port import file_lines  # noqa: PLC0415

    return file_lines(journal, after, limit)
