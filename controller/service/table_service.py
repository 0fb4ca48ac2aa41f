"""The service of one table: keeps it running, session after session, until it is stopped.

The service opens the hardware for the chosen game and runs a daemon on it. The daemon stays in its
run while sessions begin and end; a game with other tiles needs a new run. A run that is stopped is
unfinished in the journal, so that the next start resumes it and gathers no tile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from config.schema import Table
from controller.assembly import Hardware
from controller.daemon import Daemon
from controller.events import EVENTS_VERSION, Event, EventLog, Listener
from controller.journal import Journal
from controller.journal.storage import Storage
from controller.maintenance.mode_status import ServiceModeStatus
from controller.maintenance.station_tests import Helper
from controller.selftest import SelfTestReport
from controller.service.evening.evening_programme import EveningProgramme
from controller.service.evening.evening_store import EveningStore
from controller.service.evening.game_choices import PlannedGame, any_game, planned
from controller.service.evening.session_book import SessionBook
from controller.service.evening.session_keeper import SessionKeeper, StoreThread
from controller.service.open_prompts import OpenPrompts
from controller.service.publication import Publication
from controller.service.recovery_lead import RecoveryLead
from controller.service.runs.run_job import RunJob
from controller.service.runs.table_run import RunEnd, TableRun, open_journal
from controller.service.service_guide import ServiceGuide
from controller.service.servicing.service_mode_shift import TILES_MOVED, ServiceModeShift
from controller.service.status import (
    GameChoice,
    LeadStatus,
    ServiceName,
    ServiceStatus,
    TableFacts,
)
from controller.service.status_feed import StatusFeed
from controller.service.status_tracker import StatusTracker
from rules.errors import WallwrightError

ABANDONED = "the round was abandoned"
"""The reason to put every tile away after a fault that a person has cleared so."""
RUN_CHOICE = "run choice"
"""Name of the fact in the store that has the choice of the present run."""


class TableOpener(Protocol):
    """Opens the hardware of a table for a game. The guide gets the people of a simulated table."""

    table: Table

    def __call__(self, game: PlannedGame, guide: ServiceGuide) -> Hardware:
        """Open the hardware. Raises BoardError or WallwrightError with a sentence."""

    def open_for_service(
        self, game: PlannedGame, guide: ServiceGuide
    ) -> tuple[Hardware, Helper | None]:
        """Open the hardware without players, for service mode, and a helper if it is simulated."""


class TableService:
    """The service of one table, as commands and runs change it.

    `ports` are the serial ports of a real table's boards, empty for a simulated table. `journal` is
    the file of the journal, None to keep it in memory. `storage` creates the storage of a run.
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
    ) -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        self.table = table
        self.daemon: Daemon | None = None
        self.game: PlannedGame | None = None
        self.service = ServiceStatus(sentence="Nobody plays; choose a game to begin.")
        self.store = store
        self.thread = thread
        self.programme: EveningProgramme | None = None
        self.stopping = asyncio.Event()
        self.shift: ServiceModeShift | None = None
        """The present stay in service mode, from its command to its end."""
        self.mode_status: ServiceModeStatus | None = None
        self.selftest: SelfTestReport | None = None
        """The report of the last trials in service mode."""
        self._loop = loop
        self.clock: Callable[[], float] = lambda: round(loop.time() - begun, 6)
        number = (store.fact("starts") or 0) + 1
        store.put_fact("starts", number)
        self.recovery = RecoveryLead(self.clock)
        self._lapsing: asyncio.TimerHandle | None = None
        self.prompts = OpenPrompts(f"p{number}", self.clock, self.changed)
        self.guide = ServiceGuide(self.prompts, automatic=automatic)
        self._opener = opener
        self._storage = storage
        self.journal_file, self._journal_copy = journal, journal_copy
        self._ports = ports or {}
        self._seed = seed
        self.table_file = table_file
        self._interrupt = asyncio.Event()
        """Set to end the present run: the service stops, or service mode begins."""
        self._failure: str | None = None
        """The fault that has ended the last run, until it is cleared."""
        self._put_away_reason: str | None = None
        self._listeners: list[Listener] = []
        self._wanted: PlannedGame | None = None
        self._may_run = asyncio.Event()
        self._journal: Journal | None = None
        self._presets = {
            name: GameChoice.model_validate(choice) for name, choice in store.presets().items()
        }
        self._tracker = StatusTracker(table, facts, self)
        self._sessions = SessionKeeper(
            store, thread, self._tracker.count_round, self._session_is_over
        )
        self._publication = Publication(self._tracker.status, self.clock)

    # What clients read

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Pass every later event to `listener`; returns the function that ends that."""
        self._listeners.append(listener)

        def end() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return end

    def presets(self) -> dict[str, GameChoice]:
        """The saved games with house rules, by name."""
        return dict(self._presets)

    def journal_lines(self) -> list[tuple[int, str]]:
        """The lines of the present run's journal with their record numbers, in order."""
        return [] if self._journal is None else self._journal.numbered_lines()

    def journal_page(self, after: int, limit: int) -> Callable[[], list[str]]:
        """A function that reads a page of the present run's journal; it may run in a thread."""
        return list if self._journal is None else self._journal.page(after, limit)

    @property
    def feed(self) -> StatusFeed:
        """The status and its changes."""
        return self._publication.feed

    @property
    def book(self) -> SessionBook | None:
        """The book of the session in progress."""
        return self._sessions.book

    @property
    def lead(self) -> LeadStatus | None:
        """The client that leads a recovery."""
        return self.recovery.status

    @property
    def has_session(self) -> bool:
        """Whether a session is in progress."""
        return self.book is not None

    @property
    def chosen(self) -> PlannedGame | None:
        """The game that applies from the next shuffle, if it is not the present one."""
        return self._wanted if self.programme is None else self.programme.next

    @property
    def is_simulated(self) -> bool:
        """Whether the table is simulated, so that its tiles do not outlast the process."""
        return not self._ports

    # What commands do

    def plan(self, choice: GameChoice) -> PlannedGame:
        """Validate a choice. Raises ChoiceRefusedError."""
        return planned(self.table, choice)

    def begin_session(self, game: PlannedGame, names: dict[int, str]) -> SessionBook:
        """Begin a session; the table starts if it does not run."""
        book = self._sessions.begin(game, names)
        self.set_state("session", f"{game.orders.game.title} is played.")
        if self.programme is not None:
            self.programme.begin_session(book.id, game)
        self._wanted = game
        self._may_run.set()
        return book

    def choose_next(self, game: PlannedGame) -> None:
        """Choose the game that applies from the next shuffle."""
        self._wanted = game
        if self.programme is not None:
            self.programme.choose(game)
        self.changed()

    def finish_session(self) -> None:
        """End the session: now if no round is in progress, else after the round."""
        self._sessions.end_after_round()
        if self.programme is None or not self.programme.in_round:
            self._sessions.end()
        self.changed()

    def clear_fault(self, *, abandon: bool = False) -> None:
        """Let the table start again after a fault.

        With `abandon` people put every tile away first, and a new round begins.
        """
        if abandon:
            self._put_away_reason = ABANDONED
        self._tracker.clear_fault()
        self._failure = None
        self._may_run.set()
        if self.book is not None:
            self.set_state("session", "The table starts again.")
        else:
            self.set_state("idle", "The table starts again.")

    def save_preset(self, name: str, choice: GameChoice | None) -> None:
        """Save a preset; None deletes it."""
        facts = None if choice is None else choice.model_dump(mode="json")
        if choice is None:
            self._presets.pop(name, None)
        else:
            self._presets[name] = choice
        self.thread.write(lambda store: store.put_preset(name, facts))

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
        self.stopping.set()
        self._interrupt.set()
        self._may_run.set()
        if self.shift is not None:
            self.shift.leave()

    def reload(self, load: Callable[[], Table]) -> None:
        """Read the table's file again, if nobody plays; a file with defects changes nothing.

        The run is interrupted and resumed with the new values; no tile moves.
        """
        if self.book is not None or self.shift is not None:
            self.report("The configuration is not read again while the table is in use.")
            return
        try:
            self.table = self._opener.table = load()
        except WallwrightError as error:
            self.report(f"The configuration was not changed. {error}")
            return
        self._tracker.use(self.table)
        self._interrupt.set()
        self.report("The configuration was read again.")

    def report(self, sentence: str) -> None:
        """Add a sentence to the recent events."""
        self._tracker.report(round(self.clock(), 3), sentence)
        self.changed()

    def enter_service_mode(self, name: str) -> ServiceModeShift:
        """Stop the run, then enter service mode. Raises ChoiceRefusedError if no game fits."""
        game = self.game or self._wanted or any_game(self.table)
        self.shift = ServiceModeShift(
            name,
            self.table,
            game,
            lambda: self._opener.open_for_service(game, self.guide),
            self.clock,
            self._show_mode,
            table_file=self.table_file,
            journal=self.journal_file,
            journal_copy=self._journal_copy,
        )
        self._interrupt.set()
        self._may_run.set()
        return self.shift

    def _show_mode(self, status: ServiceModeStatus | None) -> None:
        self.mode_status = status
        self.changed()

    # Status

    def set_state(self, state: ServiceName, sentence: str) -> None:
        """Change the state of the service."""
        self.service = ServiceStatus(state=state, since=round(self.clock(), 3), sentence=sentence)
        self.changed()

    def changed(self) -> None:
        """Publish the status soon."""
        self._publication.changed()

    def _on_event(self, event: Event) -> None:
        self._tracker.update(event)
        self._sessions.update(event)
        for listener in tuple(self._listeners):
            listener(event)
        self.changed()

    # Sessions and rounds

    def _round_begins(self, game: PlannedGame, session: str, hand: int | None) -> int:
        self.game = game
        self.changed()
        return self._sessions.round_begins(game, session, hand)

    def _round_over(self) -> None:
        self._sessions.round_over()
        self.changed()

    def _session_is_over(self) -> None:
        if self.programme is not None:
            self.programme.end_session()
        if self._failure is None:
            self.set_state("idle", "The session is over.")
        else:
            self.set_state("fault", self._failure)

    # Runs

    async def serve(self) -> None:
        """Keep the table running until `stop`. Raises an error of the program only."""
        await self._restore()
        try:
            while not self.stopping.is_set():
                self._interrupt.clear()
                if self.shift is not None:
                    await self._serve_shift(self.shift)
                    continue
                if self._wanted is None or self._failure is not None:
                    self._may_run.clear()
                    self.changed()
                    await self._may_run.wait()
                    continue
                await self._run(self._wanted)
        finally:
            if self._lapsing is not None:
                self._lapsing.cancel()
            self._publication.close()

    async def _restore(self) -> None:
        """Continue the session and the run of an earlier start of the service."""
        book = await self._sessions.restore(self.plan)
        if book is not None:
            self._wanted = book.game
            self.set_state("session", f"{book.game.orders.game.title} continues.")
        choice = await self.thread.read(lambda store: store.fact(RUN_CHOICE))
        if choice is not None and not self.is_simulated:
            # The tiles of the last run are on the table, also if nobody plays.
            self._wanted = self.plan(GameChoice.model_validate(choice))

    async def _run(self, game: PlannedGame) -> None:
        """One run of the table with the tiles of a game, to its end or to its failure."""
        hardware: Hardware | None = None
        try:
            with open_journal(self._job(game), self._storage()) as journal:
                hardware = self._opener(game, self.guide)
                self._journal = journal
                failure = (await self._play(game, hardware, journal)).sentence
        except WallwrightError as error:
            # A board that does not answer, or a journal that cannot be used.
            failure = str(error)
        finally:
            self.daemon = self.programme = self._journal = None
            self._tracker.end_run()
            if hardware is not None:
                hardware.close()
        if failure is not None:
            self._failure = failure
            self.set_state("fault", failure)

    async def _serve_shift(self, shift: ServiceModeShift) -> None:
        """Stay in service mode until it is left; then the state before is restored."""
        before = self.service
        self.set_state("service_mode", f"{shift.name} has entered service mode.")
        try:
            await shift.run()
        finally:
            self.shift = None
            self.selftest = shift.report or self.selftest
            if shift.tiles_moved:
                self._put_away_reason = TILES_MOVED
            if not self.stopping.is_set():
                self.set_state(before.state, before.sentence)

    async def _play(self, game: PlannedGame, hardware: Hardware, journal: Journal) -> RunEnd:
        events = EventLog(self.clock)
        events.listen(self._on_event)
        programme = EveningProgramme(game, self.plan, self._round_begins, self._round_over)
        events.emit("run_started", events_version=EVENTS_VERSION)
        run = TableRun(
            self._job(game),
            hardware,
            journal,
            events,
            clock=self.clock,
            record=self._sessions.record_line,
        )
        self.daemon, self.programme, self.game = run.daemon, programme, game
        choice = game.choice.model_dump(mode="json")
        self.thread.write(lambda store: store.put_fact(RUN_CHOICE, choice))
        run.daemon.watch_lifts(self.changed)
        self._tracker.begin_run(journal.serials)
        programme.attach(run.daemon.run_state)
        self._sessions.use_settlements(run.entries or ())
        if self.book is not None:
            if run.entries is None:
                programme.begin_session(self.book.id, game)
            else:
                programme.continue_session(self.book.id)
        run.resume()
        end = await run.play(programme, self._interrupt)
        self._put_away_reason = None
        if programme.next is not None and not self.stopping.is_set():
            self._wanted = programme.next
        return end

    def _job(self, game: PlannedGame) -> RunJob:
        orders = replace(game.orders)
        return RunJob(
            self.table,
            game.config,
            orders,
            rounds=0,
            until_ready=False,
            seed=self._seed,
            pace=None,
            ports=self._ports,
            reveal=False,
            journal=self.journal_file,
            journal_copy=self._journal_copy,
            put_away_reason=self._put_away_reason,
        )
