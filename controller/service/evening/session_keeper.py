"""Keeps the present session: begins it, feeds it with events, stores it, and restores it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from controller.events import Event, EventName
from controller.service.evening.evening_programme import (
    Continuation,
    choice_of,
    continuation_of,
    hand_of,
    settlements_of,
)
from controller.service.evening.evening_store import EveningStore
from controller.service.evening.game_choices import ChoiceRefusedError, PlannedGame
from controller.service.evening.session_book import SessionBook
from controller.service.evening.store_thread import StoreThread
from controller.service.status import GameChoice, HandResult

if TYPE_CHECKING:
    from controller.run.journal import Entry
    from controller.upkeep.update.slots import SessionLock

SESSION = "session"
"""Name of the fact in the store that names the session in progress."""


class SessionKeeper:
    """The present session of one table, or none. `on_stored` is called when a result is on disk."""

    def __init__(
        self,
        store: EveningStore,
        thread: StoreThread,
        on_stored: Callable[[], None] = lambda: None,
    ) -> None:
        self.on_round: Callable[[], None] = lambda: None
        """Called when a round is over."""
        self.on_end: Callable[[], None] = lambda: None
        """Called when the session is over."""
        self.session_lock: SessionLock | None = None
        """Held while a session is in progress, so that no update is installed; None if the program
        is in no slot."""
        self.book: SessionBook | None = None
        """The book of the session in progress."""
        self._ended: SessionBook | None = None
        """The book of the last session with a hand, which can be revealed and reported after it."""
        self._sessions: int = store.fact("sessions") or 0
        """Number of sessions so far."""
        self._thread = thread
        self._on_stored = on_stored

    def begin(self, game: PlannedGame, names: dict[int, str]) -> SessionBook:
        """Begin a session; its id is the next number."""
        number = self._sessions = self._sessions + 1
        self._thread.write(lambda store: store.put_fact("sessions", number))
        book = self.book = SessionBook(f"s{number}", game, names, self._write)
        self._keep()
        self.hold_updates()
        return book

    def hold_updates(self) -> bool:
        """Let no update be installed until the session ends; False if one is being installed."""
        return self.session_lock is None or self.session_lock.hold()

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
        if self.book.rounds:
            self._ended = self.book
        self.book = None
        self._keep()
        if self.session_lock is not None:
            self.session_lock.release()
        self.on_end()

    async def restore(self, plan: Callable[[GameChoice], PlannedGame]) -> SessionBook | None:
        """Continue the session of an earlier start; returns its book, None if there is none."""
        kept = await self._thread.read(lambda store: store.fact(SESSION))
        if kept is None:
            # The result of its last hand can still be reported.
            last = await self._thread.read(lambda store: store.last_played())
            with suppress(ChoiceRefusedError):
                self._ended = None if last is None else await self._stored(last, "", plan)
            return None
        self.book = await self._stored(kept["id"], kept["started"], plan)
        if self.book is None:
            return None
        # Releases before these two keys existed have written neither of them.
        self.book.ending = kept.get("ending", False)
        chosen = kept.get("chosen")
        self.book.chosen = None if chosen is None else choice_of(chosen)
        self.hold_updates()
        return self.book

    async def _stored(
        self, session: str, started: str, plan: Callable[[GameChoice], PlannedGame]
    ) -> SessionBook | None:
        """The book of a session in the store, None if it is not there."""
        found = await self._thread.read(lambda store: store.session(session))
        if found is None:
            return None
        rows = await self._thread.read(lambda store: store.results(session, 0, -1))
        return SessionBook(
            session,
            plan(choice_of(found["choice"])),
            {int(seat): name for seat, name in found["names"].items()},
            self._write,
            started=started,
            results=tuple(HandResult.model_validate(row) for row in rows),
            moves=[(hands, tuple(moves)) for hands, moves in found.get("moves", ())],
        )

    @property
    def last_book(self) -> SessionBook | None:
        """The book of the session in progress, or else of the last one with a hand."""
        return self.book or self._ended

    def book_of(self, session: str) -> SessionBook | None:
        """The book of this session, if it is in progress or the last one with a hand."""
        books = (book for book in (self.book, self._ended) if book is not None)
        return next((book for book in books if book.id == session), None)

    def use_settlements(self, entries: Iterable[Entry]) -> None:
        """Use the settlements that a journal has of the session's hands."""
        if self.book is not None:
            self.book.settled = settlements_of(entries, self.book.id)

    async def continuation(self, game: PlannedGame, hand: int) -> Continuation | None:
        """The continuation for a hand of the session, from the stored hands before it."""
        assert self.book is not None
        return await self._thread.read(partial(continuation_of, game, self.book.id, hand))

    def in_words(self, sentence: str) -> str:
        """A sentence with names and winds in place of the seats' numbers, if they are known."""
        return sentence if self.book is None else self.book.in_words(sentence)

    def event_in_words(self, event: Event, sentence: str) -> str:
        """The sentence of an event with names and winds: of its hand, if it reports a result."""
        if event["event"] != EventName.RESULT_REPORTED:
            return self.in_words(sentence)
        session, hand = hand_of(str(event["hand"]))
        book = self.book_of(session)
        return sentence if book is None else book.in_words(sentence, hand)

    # The run

    def update(self, event: Event) -> None:
        """Take an event of the table. A hand that is settled is stored before its tiles go."""
        if event["event"] == EventName.RESULT_REPORTED:
            book = self.book_of(hand_of(str(event["hand"]))[0])
            if book is not None:
                book.update(event)
            return
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
            self.on_round()
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
