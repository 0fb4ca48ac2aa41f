"""Keeps a table running: one run after another, or service mode, until the service stops.

The hardware is opened for the chosen game, and a daemon runs on it. The daemon stays in its run
while sessions begin and end; a game with other tiles needs a new run. A run that is stopped is
unfinished in the journal, so that the next start resumes it and gathers no tile.

What only a run needs is imported when the first one begins: the service answers its clients before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from config.schema import Table
from controller.events import EVENTS_VERSION, Event, EventLog, EventName
from controller.service.evening.evening_store import StoreError
from controller.service.evening.game_choices import PlannedGame
from controller.service.evening.session_keeper import SessionKeeper
from controller.service.evening.store_thread import StoreThread
from controller.service.prompts.service_guide import ServiceGuide
from controller.service.runs.start_gate import StartGate
from controller.service.status import GameChoice, ServiceName, ServiceStatus
from controller.service.status.machine_figures import FiguresBook
from controller.service.tracking.status_tracker import StatusTracker
from rules.errors import WallwrightError

if TYPE_CHECKING:
    from controller.run.assembly import Hardware
    from controller.run.daemon import Daemon
    from controller.run.journal import Journal
    from controller.run.journal.storage import Storage
    from controller.service.evening.evening_programme import EveningProgramme
    from controller.service.runs.run_job import RunJob
    from controller.service.runs.table_run import RunEnd
    from controller.service.servicing.service_mode_shift import ServiceModeShift
    from controller.upkeep.selftest import SelfTestReport
    from controller.upkeep.service_mode.station_tests import Helper

ABANDONED = "the round was abandoned"
"""The reason to put every tile away after a fault that a person has cleared so."""
TILES_MOVED = "parts that carry tiles were moved in service mode"
"""The reason to put every tile away after service mode."""
PAUSED = "paused"
"""Name of the fact in the store that says whether a person has paused the table."""
PUT_AWAY = "put away"
"""Name of the fact in the store that has the reason to put every tile away before the next run."""
RUN_CHOICE = "run choice"
"""Name of the fact in the store that has the choice of the present run."""


First = Callable[[], Awaitable[None]]
"""What a start does once its earlier session is restored."""


class TableOpener(Protocol):
    """Opens the hardware of a table for a game. The guide gets the people of a simulated table."""

    table: Table

    def __call__(self, game: PlannedGame, guide: ServiceGuide) -> Hardware:
        """Open the hardware. Raises BoardError or WallwrightError with a sentence."""

    def open_for_service(
        self, game: PlannedGame, guide: ServiceGuide
    ) -> tuple[Hardware, Helper | None]:
        """Open the hardware without players, for service mode, and a helper if it is simulated."""


@dataclass(frozen=True)
class RunOptions:
    """The options that all runs of a service share.

    `storage` creates the storage of a run. `ports` are the serial ports of a real table's boards,
    empty for a simulated table. `journal` is the file of the journal, None to keep it in memory.
    """

    storage: Callable[[], Storage]
    journal: Path | None = None
    journal_copy: Path | None = None
    ports: dict[str, str] | None = None
    seed: int = 0


class ServiceState(Protocol):
    """The state of the service, which runs change and report to."""

    service: ServiceStatus
    clock: Callable[[], float]
    out_of_play: str | None

    @property
    def audit_anchor(self) -> dict[str, object] | None:
        """The size and the root of the audit log, which the journal keeps with each run."""

    def plan(self, choice: GameChoice) -> PlannedGame:
        """Validate a choice. Raises ChoiceRefusedError."""

    def set_state(self, state: ServiceName, sentence: str) -> None:
        """Change the state of the service."""

    def hold_updates(self) -> bool:
        """Let no update be installed until the session ends."""

    def changed(self) -> None:
        """Publish the status soon."""

    def on_event(self, event: Event) -> None:
        """Take an event of the table, and pass it on."""


class RunSequence:
    """The runs of one table, one after another. `state` is the service's."""

    def __init__(
        self,
        table: Table,
        opener: TableOpener,
        guide: ServiceGuide,
        options: RunOptions,
        sessions: SessionKeeper,
        tracker: StatusTracker,
        figures: FiguresBook,
        thread: StoreThread,
        state: ServiceState,
    ) -> None:
        self.opener = opener
        self.daemon: Daemon | None = None
        """The daemon of the present run."""
        self.programme: EveningProgramme | None = None
        """The programme of the present run."""
        self.journal: Journal | None = None
        """The journal of the present run."""
        self.game: PlannedGame | None = None
        """The game of the present or last round."""
        self.wanted: PlannedGame | None = None
        """The game of the next run; None before the first choice."""
        self.failure: str | None = None
        """The fault that has ended the last run, until it is cleared."""
        self.lock: str | None = None
        """Why the table must not run until the service is started again; None if it may run."""
        self.shift: ServiceModeShift | None = None
        """The present stay in service mode, from its command to its end."""
        self.selftest: SelfTestReport | None = None
        """The report of the last trials in service mode."""
        self.gate = StartGate()
        """Opens when the recovery and the self-tests of the start have ended."""
        self.stopping = asyncio.Event()
        """Set when the service stops."""
        self.options = options
        self._table = table
        self._guide = guide
        self._sessions = sessions
        self._tracker = tracker
        self._figures = figures
        self._thread = thread
        self._state = state
        self._interrupt = asyncio.Event()
        """Set to end the present run: the service stops, or service mode begins."""
        self._may_run = asyncio.Event()
        self._put_away_reason: str | None = None
        self._begins_paused = False
        """Whether a person had paused the table when an earlier start of the service ended."""

    @property
    def is_simulated(self) -> bool:
        """Whether the table is simulated, so that its tiles do not outlast the process."""
        return not self.options.ports

    # What commands do

    def begin(self, game: PlannedGame) -> None:
        """Begin a session of a game: start a run unless one is in progress."""
        if self.programme is not None and self._sessions.book is not None:
            self.programme.begin_session(self._sessions.book.id, game)
        self.wanted = game
        self._may_run.set()

    def choose(self, game: PlannedGame) -> None:
        """Choose the game that applies from the next shuffle."""
        self._sessions.choose(game.choice)
        self.wanted = game
        if self.programme is not None:
            self.programme.choose(game)

    def clear_fault(self, *, abandon: bool) -> None:
        """Let the table start again; with `abandon` people put every tile away first."""
        if abandon:
            self._put_away_first(ABANDONED)
        self.failure = None
        self._may_run.set()

    def lock_table(self, sentence: str) -> None:
        """Stop the table safely, for good: only another start of the service unlocks it."""
        self.lock = self.failure = sentence
        self._state.set_state("fault", sentence)
        self._interrupt.set()
        if self.shift is not None:
            self.shift.leave()

    def fail(self, sentence: str) -> None:
        """End the present run for a fault outside of it; the next one waits for `clear_fault`."""
        self.failure = sentence
        self._state.set_state("fault", sentence)
        self._interrupt.set()

    def pause(self) -> None:
        """Pause the table until `resume`, also over a restart of the service."""
        assert self.daemon is not None
        self.daemon.pause()
        self._thread.write(lambda store: store.put_fact(PAUSED, True))

    def resume(self) -> None:
        """End a pause that `pause` began."""
        assert self.daemon is not None
        self.daemon.resume()
        self._thread.write(lambda store: store.put_fact(PAUSED, None))

    def use(self, table: Table) -> None:
        """Use another configuration; the present run is resumed with it."""
        self._table = self.opener.table = table
        self._interrupt.set()

    def enter_service_mode(self, shift: ServiceModeShift) -> None:
        """End the present run, then stay in service mode."""
        self.shift = shift
        self._interrupt.set()
        self._may_run.set()

    def stop(self) -> None:
        """Stop the boards; the tiles stay where they are."""
        self.stopping.set()
        self._interrupt.set()
        self._may_run.set()
        if self.shift is not None:
            self.shift.leave()

    # Runs

    async def keep_running(self, first: First | None = None) -> None:
        """Run the table until `stop`; before the first run `first` is awaited, unless it stops.

        By then the session of an earlier start goes on. Raises an error of the program only.
        """
        await self._restore()
        if first is not None:
            await self._unless_stopped(first)
        while not self.stopping.is_set():
            self._interrupt.clear()
            if self.shift is not None:
                await self._serve_shift(self.shift)
            elif self.wanted is None or self.failure is not None:
                self.gate.open()
                self._may_run.clear()
                self._state.changed()
                await self._may_run.wait()
            else:
                await self._run(self.wanted)
        if self.shift is not None:
            # Its command still waits for the beginning of service mode.
            self.shift.refuse("The service stops.")
            self.shift = None

    async def _unless_stopped(self, act: First) -> None:
        """Await `act`, or cancel it when the service stops: it can wait for a disk that hangs."""
        acting = asyncio.ensure_future(act())
        stopped = asyncio.ensure_future(self.stopping.wait())
        try:
            await asyncio.wait((acting, stopped), return_when=asyncio.FIRST_COMPLETED)
            if acting.done():
                acting.result()
        finally:
            acting.cancel()
            stopped.cancel()
            await asyncio.gather(acting, stopped, return_exceptions=True)

    async def _restore(self) -> None:
        """Continue the session and the run of an earlier start of the service."""
        book = await self._sessions.restore(self._state.plan)
        if book is not None:
            self.wanted = book.game
            self._state.hold_updates()
            if self._state.out_of_play is not None:
                # A kill can have stored that the table is out of play, and not yet this.
                self._sessions.end_after_round()
            self._state.set_state("session", f"{book.game.orders.game.title} continues.")
        self._begins_paused = bool(await self._thread.read(lambda store: store.fact(PAUSED)))
        choice = await self._thread.read(lambda store: store.fact(RUN_CHOICE))
        if choice is not None and not self.is_simulated:
            # The tiles of the last run are on the table, also if nobody plays.
            self.wanted = self._state.plan(GameChoice.model_validate(choice))
            reason = await self._thread.read(lambda store: store.fact(PUT_AWAY))
            self._put_away_reason = reason

    async def _run(self, game: PlannedGame) -> None:
        """One run of the table with the tiles of a game, to its end or to its failure."""
        from controller.service.runs.table_run import open_journal  # noqa: PLC0415 - see above

        hardware: Hardware | None = None
        try:
            with open_journal(self._job(game), self.options.storage()) as journal:
                hardware = self.opener(game, self._guide)
                self.journal = journal
                failure = (await self._play(game, hardware, journal)).sentence
        except WallwrightError as error:
            # A board that does not answer, or a journal that cannot be used.
            failure = str(error)
        finally:
            self.daemon = self.programme = self.journal = None
            self._tracker.end_run()
            self._figures.end_run()
            if hardware is not None:
                hardware.close()
        if failure is not None:
            self.failure = failure
            self._state.set_state("fault", failure)

    def _put_away_first(self, reason: str | None) -> None:
        """Let the next run begin with the question to put every tile away; None: no longer."""
        self._put_away_reason = reason
        self._thread.write(lambda store: store.put_fact(PUT_AWAY, reason))

    def _note_put_away(self, event: Event) -> None:
        """Forget the reason when people are asked: by then the journal has it."""
        from controller.run.rounds.put_away import TABLE  # noqa: PLC0415 - imported with the run

        match event:
            case {"event": EventName.OPERATOR_PROMPTED, "code": "UNPROVEN", "part": part} if (
                part == TABLE
            ):
                self._put_away_first(None)

    async def _serve_shift(self, shift: ServiceModeShift) -> None:
        """Stay in service mode until it is left; then the state before is restored."""
        before = self._state.service
        if self.lock is not None:
            # The program was found to be changed while the run ended.
            self.shift = None
            shift.refuse(self.lock)
            return

        def announce() -> None:
            self._state.set_state("service_mode", f"{shift.name} has entered service mode.")

        reason = self._put_away_reason
        # Stored before a part can move: a start after a power cut does not know what has moved.
        self._put_away_first(TILES_MOVED)
        with suppress(StoreError):
            await self._thread.stored()
        try:
            await shift.run(announce)
        finally:
            self.shift = None
            self.selftest = shift.report or self.selftest
            if not shift.tiles_moved:
                self._put_away_first(reason)
            if self.lock is not None:
                self._state.set_state("fault", self.lock)
            elif not self.stopping.is_set():
                self._state.set_state(before.state, before.sentence)

    async def _play(self, game: PlannedGame, hardware: Hardware, journal: Journal) -> RunEnd:
        from controller.service.evening.evening_programme import (  # noqa: PLC0415 - see above
            EveningProgramme,
            continuation_of,
            continued_at,
        )
        from controller.service.runs.table_run import TableRun  # noqa: PLC0415 - see above

        clock, book = self._state.clock, self._sessions.book
        events = EventLog(clock)
        events.listen(self._state.on_event)
        events.listen(self.gate.on_event)
        events.listen(self._note_put_away)
        programme = EveningProgramme(game, self._state.plan, self._round_begins, self._round_over)
        events.emit(EventName.RUN_STARTED, events_version=EVENTS_VERSION)
        run = TableRun(
            self._job(game),
            hardware,
            journal,
            events,
            clock=clock,
            record=self._sessions.record_line,
        )
        self.daemon, self.programme, self.game = run.daemon, programme, game
        choice = game.choice.model_dump(mode="json")
        self._thread.write(lambda store: store.put_fact(RUN_CHOICE, choice))
        run.daemon.watch_lifts(self._state.changed)
        self._tracker.begin_run(journal.serials)
        self._figures.begin_run(hardware, journal)
        programme.attach(run.daemon.run_state)
        self._sessions.use_settlements(run.entries or ())
        if book is not None:
            if run.entries is None:
                programme.begin_session(book.id, game)
            else:
                programme.continue_session(book.id)
            hand = continued_at(run.entries, book.rounds + 1)
            if hand is not None:
                find = partial(continuation_of, game, book.id, hand)
                continued = await self._thread.read(find)
                if continued is not None:
                    programme.continue_match(continued)
            if book.chosen is not None:
                programme.choose(self._state.plan(book.chosen))
        if self._begins_paused:
            self._begins_paused = False
            run.daemon.pause()
        run.resume()
        end = await run.play(programme, self._interrupt)
        if programme.next is not None and not self.stopping.is_set():
            self.wanted = programme.next
        return end

    def _round_begins(self, game: PlannedGame, session: str, hand: int | None) -> int:
        self.game = game
        self._state.changed()
        return self._sessions.round_begins(game, session, hand)

    def _round_over(self) -> None:
        self._sessions.round_over()
        self._state.changed()

    def _job(self, game: PlannedGame) -> RunJob:
        from controller.service.runs.run_job import RunJob  # noqa: PLC0415 - see above

        options = self.options
        return RunJob(
            self._table,
            game.config,
            replace(game.orders),
            rounds=0,
            until_ready=False,
            seed=options.seed,
            pace=None,
            ports=options.ports or {},
            reveal=False,
            journal=options.journal,
            journal_copy=options.journal_copy,
            put_away_reason=self._put_away_reason,
            audit_anchor=self._state.audit_anchor,
        )
