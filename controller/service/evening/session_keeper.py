"""Keeps the present session: begins it, feeds it with events, stores it, and restores it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from controller.events import Event, EventName
from controller.service.evening.evening_programme import settlements_of
from controller.service.evening.evening_store import EveningStore
from controller.service.evening.game_choices import PlannedGame
from controller.service.evening.session_book import SessionBook
from controller.service.evening.store_thread import StoreThread
from controller.service.status import GameChoice, HandResult

if TYPE_CHECKING:
    from controller.run.journal import Entry

SESSION = "session"
"""Name of the fact in the store that names the session in progress."""


class SessionKeeper:
    """The present session of one table, or none.

    `on_round` is called when a round is over, `on_stored` when its result is on disk, `on_end` when
    the session is over.
    """

    def __init__(
        self,
        store: EveningStore,
        thread: StoreThread,
        on_round: Callable[[], None],
        on_end: Callable[[], None],
        on_stored: Callable[[], None] = lambda: None,
    ) -> None:
        self.book: SessionBook | None = None
        """The book of the session in progress."""
        self._ended: SessionBook | None = None
        """The book of the last session, whose last hand can be revealed after its end."""
        self._sessions: int = store.fact("sessions") or 0
        """Number of sessions so far."""
        self._thread = thread
        self._on_round = on_round
        self._on_end = on_end
        self._on_stored = on_stored

    def begin(self, game: PlannedGame, names: dict[int, str]) -> SessionBook:
        """Begin a session; its id is the next number."""
        number = self._sessions = self._sessions + 1
        self._thread.write(lambda store: store.put_fact("sessions", number))
        book = self.book = SessionBook(f"s{number}", game, names, self._write)
        self._keep()
        return book

    def end_after_round(self) -> None:
        """End the session when the present round is over."""
        assert self.book is not None
        self.book.ending = True
        self._keep()

    def choose(self, choice: GameChoice | None) -> None:
        """Keep the game that people have chosen for the next shuffle; None if none is chosen."""
        if self.book is not None and self.book.chosen != choice:
            self.book.chosen = choice
            self._keep()

    def end(self) -> None:
        """End the session now."""
        assert self.book is not None
        self.book.end()
        self._ended, self.book = self.book, None
        self._keep()
        self._on_end()

    async def restore(self, plan: Callable[[GameChoice], PlannedGame]) -> SessionBook | None:
        """Continue the session of an earlier start; returns its book, None if there is none."""
        kept = await self._thread.read(lambda store: store.fact(SESSION))
        if kept is None:
            return None
        session = kept["id"]
        found = await self._thread.read(lambda store: store.session(session))
        if found is None:
            return None
        rows = await self._thread.read(lambda store: store.results(session, 0, -1))
        self.book = SessionBook(
            session,
            plan(GameChoice.model_validate(found["choice"])),
            {int(seat): name for seat, name in found["names"].items()},
            self._write,
            started=kept["started"],
            results=tuple(HandResult.model_validate(row) for row in rows),
        )
        # Releases before these two keys existed have written neither of them.
        self.book.ending = kept.get("ending", False)
        chosen = kept.get("chosen")
        self.book.chosen = None if chosen is None else GameChoice.model_validate(chosen)
        return self.book

    def use_settlements(self, entries: Iterable[Entry]) -> None:
        """Use the settlements that a journal has of the session's hands."""
        if self.book is not None:
            self.book.settled = settlements_of(entries, self.book.id)

    # The run

    def update(self, event: Event) -> None:
        """Take an event of the table. A hand that is settled is stored before its tiles go."""
        if self.book is None:
            if event["event"] == EventName.CHANCE_REVEALED and self._ended is not None:
                self._ended.update(event)
            return
        self.book.update(event)
        if event["event"] in (EventName.SETTLED, EventName.HAND_ABANDONED):
            self.round_over()

    def record_line(self, line: str) -> None:
        """Take a line of the record of the play."""
        if self.book is not None:
            self.book.record_line(line)

    def round_begins(self, game: PlannedGame, session: str, hand: int | None) -> int:
        """Begin the record of a round; returns the number of its hand."""
        if self.book is None or self.book.id != session:
            return hand or 0
        if hand is None:
            self.book.change_game(game)
        if self.book.chosen == game.choice:
            self.choose(None)
        return self.book.begin_round(hand)

    def round_over(self) -> None:
        """Store the round that is over; ends the session if that was its last one."""
        if self.book is None:
            return
        if self.book.end_round() is not None:
            self._on_round()
        if self.book.ending:
            self.end()

    def _write(
        self, work: Callable[[EveningStore], None], done: Callable[[], None] = lambda: None
    ) -> None:
        """Run a write of the book."""

        def stored() -> None:
            done()
            self._on_stored()

        self._thread.write(work, stored)

    def _keep(self) -> None:
        book = self.book
        value: dict[str, object] | None = None
        if book is not None:
            chosen = None if book.chosen is None else book.chosen.model_dump(mode="json")
            value = {
                "id": book.id,
                "started": book.started,
                "ending": book.ending,
                "chosen": chosen,
            }
        self._thread.write(lambda store: store.put_fact(SESSION, value))
