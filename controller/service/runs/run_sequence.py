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
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from config.schema import Table
from controller.events import EVENTS_VERSION, Event, EventLog, EventName
from controller.service.evening.evening_store import StoreError
from controller.service.evening.game_choices import PlannedGame
from controller.service.evening.session_keeper import SessionKeeper
from controller.service.present_run import PresentRun
from controller.service.prompts.service_guide import ServiceGuide
from controller.service.runs.start_gate import StartGate
from controller.service.service_state import ServiceState
from controller.service.settings import ServiceSettings
from controller.service.status import GameChoice
from controller.service.tracking.table_events import TableEvents
from rules.errors import WallwrightError

if TYPE_CHECKING:
    from controller.run.assembly import Hardware
    from controller.run.journal import Journal
    from controller.service.runs.table_run import RunEnd, RunJob
    from controller.service.service_mode_shift import ServiceModeShift
    from controller.upkeep.service_mode.questions import Helper

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


class RunSequence:
    """The runs of one table, one after another. It changes `run`, which others read."""

    def __init__(
        self,
        run: PresentRun,
        opener: TableOpener,
        guide: ServiceGuide,
        settings: ServiceSettings,
        sessions: SessionKeeper,
        state: ServiceState,
        events: TableEvents,
    ) -> None:
        self.opener = opener
        self.failure: str | None = None
        """The fault that has ended the last run, until it is cleared."""
        self.lock: str | None = None
        """Why the table must not run until the service is started again; None if it may run."""
        self.gate = StartGate()
        """Opens when the recovery and the self-tests of the start have ended."""
        self.stopping = asyncio.Event()
        """Set when the service stops."""
        self._run = run
        self._guide = guide
        self._settings = settings
        self._sessions = sessions
        self._state = state
        self._events = events
        self._interrupt = asyncio.Event()
        """Set to end the present run: the service stops, or service mode begins."""
        self._may_run = asyncio.Event()
        self._put_away_reason: str | None = None
        self._begins_paused = False
        """Whether a person had paused the table when an earlier start of the service ended."""

    # What commands do

    def begin_session(self, game: PlannedGame, names: dict[int, str]) -> None:
        """Begin a session; the table starts if it does not run."""
        book = self._sessions.begin(game, names)
        self._state.set("session", f"{game.orders.game.title} is played.")
        if self._run.programme is not None:
            self._run.programme.begin_session(book.id, game)
        self._run.wanted = game
        self._may_run.set()

    def choose(self, game: PlannedGame) -> None:
        """Choose the game that applies from the next shuffle."""
        self._sessions.choose(game.choice)
        self._run.wanted = game
        if self._run.programme is not None:
            self._run.programme.choose(game)
        self._events.changed()

    def finish_session(self) -> None:
        """End the session: now if no round is in progress, else after the round."""
        self._sessions.end_after_round()
        if self._run.programme is None or not self._run.programme.in_round:
            self._sessions.end()
        self._events.changed()

    def session_is_over(self) -> None:
        """Note that the session has ended: the table waits, or its fault remains."""
        if self._run.programme is not None:
            self._run.programme.end_session()
        if self.failure is None:
            is_in_play = self._state.out_of_play is None
            self._state.set(
                "idle", "The session is over." if is_in_play else self._state.idle_sentence
            )
        else:
            self._state.set("fault", self.failure)

    def clear_fault(self, *, abandon: bool) -> None:
        """Let the table start again; with `abandon` people put every tile away first."""
        self._events.clear_fault()
        if abandon:
            self._put_away_first(ABANDONED)
        self.failure = None
        self._may_run.set()
        self._state.set(
            "idle" if self._sessions.book is None else "session", "The table starts again."
        )

    def lock_table(self, sentence: str) -> None:
        """Stop the table safely, for good: only another start of the service unlocks it."""
        self.lock = self.failure = sentence
        self._state.set("fault", sentence)
        self._interrupt.set()
        if self._run.shift is not None:
            self._run.shift.leave()

    def fail(self, sentence: str) -> None:
        """End the present run for a fault outside of it; the next one waits for `clear_fault`."""
        self.failure = sentence
        self._state.set("fault", sentence)
        self._interrupt.set()

    def pause(self) -> None:
        """Pause the table until `resume`, also over a restart of the service."""
        assert self._run.daemon is not None
        self._run.daemon.pause()
        self._state.keep(PAUSED, True)

    def resume(self) -> None:
        """End a pause that `pause` began."""
        assert self._run.daemon is not None
        self._run.daemon.resume()
        self._state.keep(PAUSED, None)

    def use(self, table: Table) -> None:
        """Use another configuration; the present run is resumed with it."""
        self._run.table = self.opener.table = table
        self._interrupt.set()

    def enter_service_mode(self, shift: ServiceModeShift) -> None:
        """End the present run, then stay in service mode."""
        self._run.shift = shift
        self._interrupt.set()
        self._may_run.set()

    def stop(self) -> None:
        """Stop the service: boards first; the tiles stay where they are."""
        self._state.set("stopping", "The service stops.")
        self.stopping.set()
        self._interrupt.set()
        self._may_run.set()
        if self._run.shift is not None:
            self._run.shift.leave()

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
            if self._run.shift is not None:
                await self._serve_shift(self._run.shift)
            elif self._run.wanted is None or self.failure is not None:
                self.gate.open()
                self._may_run.clear()
                self._events.changed()
                await self._may_run.wait()
            else:
                await self._run_once(self._run.wanted)
        if self._run.shift is not None:
            # Its command still waits for the beginning of service mode.
            self._run.shift.refuse("The service stops.")
            self._run.shift = None

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
        book = await self._sessions.restore(self._run.plan)
        if book is not None:
            self._run.wanted = book.game
            if self._state.out_of_play is not None:
                # A kill can have stored that the table is out of play, and not yet this.
                self._sessions.end_after_round()
            self._state.set("session", f"{book.game.orders.game.title} continues.")
        self._begins_paused = bool(await self._state.kept(PAUSED))
        choice = await self._state.kept(RUN_CHOICE)
        if choice is not None and not self._settings.is_simulated:
            # The tiles of the last run are on the table, also without a session.
            self._run.wanted = self._run.plan(GameChoice.model_validate(choice))
            self._put_away_reason = await self._state.kept(PUT_AWAY)

    async def _run_once(self, game: PlannedGame) -> None:
        """One run of the table with the tiles of a game, to its end or to its failure."""
        from controller.service.runs.table_run import open_journal  # noqa: PLC0415 - see above

        hardware: Hardware | None = None
        try:
            with open_journal(self._job(game), self._settings.storage()) as journal:
                hardware = self.opener(game, self._guide)
                self._run.journal = journal
                failure = (await self._play(game, hardware, journal)).sentence
        except WallwrightError as error:
            # A board that does not answer, or a journal that cannot be used.
            failure = str(error)
        finally:
            self._run.close()
            self._events.end_run()
            if hardware is not None:
                hardware.close()
        if failure is not None:
            self.failure = failure
            self._state.set("fault", failure)

    def _put_away_first(self, reason: str | None) -> None:
        """Let the next run begin with the question to put every tile away; None: no longer."""
        self._put_away_reason = reason
        self._state.keep(PUT_AWAY, reason)

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
        before = self._state.status
        if self.lock is not None:
            # The program was found to be changed while the run ended.
            self._run.shift = None
            shift.refuse(self.lock)
            return

        def announce() -> None:
            self._state.set("service_mode", f"{shift.name} has entered service mode.")

        reason = self._put_away_reason
        # Stored before a part can move: a start after a power cut does not know what has moved.
        self._put_away_first(TILES_MOVED)
        with suppress(StoreError):
            await self._state.stored()
        try:
            await shift.run(announce)
        finally:
            self._run.shift = None
            self._run.last_selftest = shift.report or self._run.last_selftest
            if not shift.tiles_moved:
                self._put_away_first(reason)
            if self.lock is not None:
                self._state.set("fault", self.lock)
            elif not self.stopping.is_set():
                self._state.set(before.state, before.sentence)

    async def _play(self, game: PlannedGame, hardware: Hardware, journal: Journal) -> RunEnd:
        from controller.service.evening.evening_programme import (  # noqa: PLC0415 - see above
            EveningProgramme,
            continued_at,
        )
        from controller.service.runs.table_run import TableRun  # noqa: PLC0415 - see above

        clock, book = self._state.clock, self._sessions.book
        events = EventLog(clock)
        events.listen(self._events.take)
        events.listen(self.gate.on_event)
        events.listen(self._note_put_away)
        programme = EveningProgramme(game, self._run.plan, self._round_begins, self._round_over)
        events.emit(EventName.RUN_STARTED, events_version=EVENTS_VERSION)
        run = TableRun(
            self._job(game),
            hardware,
            journal,
            events,
            clock=clock,
            record=self._sessions.record_line,
        )
        self._run.daemon, self._run.programme, self._run.game = run.daemon, programme, game
        self._state.keep(RUN_CHOICE, game.choice.model_dump(mode="json"))
        run.daemon.watch_lifts(self._events.changed)
        self._events.begin_run(hardware, journal)
        programme.attach(run.daemon.run_state)
        self._sessions.use_settlements(run.entries or ())
        if book is not None:
            if run.entries is None:
                programme.begin_session(book.id, game)
            else:
                programme.continue_session(book.id)
            hand = continued_at(run.entries, book.rounds + 1)
            if hand is not None:
                continued = await self._sessions.continuation(game, hand)
                if continued is not None:
                    programme.continue_match(continued)
            if book.chosen is not None:
                programme.choose(self._run.plan(book.chosen))
        if self._begins_paused:
            self._begins_paused = False
            run.daemon.pause()
        run.resume()
        end = await run.play(programme, self._interrupt)
        if programme.next is not None and not self.stopping.is_set():
            self._run.wanted = programme.next
        return end

    def _round_begins(self, game: PlannedGame, session: str, hand: int | None) -> int:
        self._run.game = game
        self._events.changed()
        return self._sessions.round_begins(game, session, hand)

    def _round_over(self) -> None:
        self._sessions.round_over()
        self._events.changed()

    def _job(self, game: PlannedGame) -> RunJob:
        from controller.service.runs.table_run import RunJob  # noqa: PLC0415 - see above

        settings = self._settings
        return RunJob(
            self._run.table,
            game.config,
            replace(game.orders),
            rounds=0,
            until_ready=False,
            seed=settings.seed,
            pace=None,
            ports=dict(settings.ports),
            reveal=False,
            journal=settings.journal,
            journal_copy=settings.journal_copy,
            put_away_reason=self._put_away_reason,
            audit_anchor=self._state.audit_anchor,
        )
