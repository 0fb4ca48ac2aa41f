"""The programme of an evening: sessions of open length, with the game that people choose.

The module also has the values that a resumed run needs of an earlier one: the match to continue,
and the settlements of hands that its journal confirms.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from config.validation.game_parameters import parameters_of
from controller.events import Event, EventName
from controller.run.journal.replay import ReplayError, differences
from controller.run.rounds.programme import RoundOrder
from controller.service.evening.evening_store import EveningStore
from controller.service.evening.game_choices import PlannedGame
from controller.service.status import GameChoice
from rules.errors import RulesError
from rules.play import Match
from rules.records.record import evening

if TYPE_CHECKING:
    from controller.run.journal import Entry
    from controller.run.run_state import RunState


ACTIVITY = "programme"
"""Name of the journal's intents that record by which choice each round is played."""
CONTINUED = "continued"
"""Key of such an intent whose round continues the match of an earlier run."""
RoundBegins = Callable[[PlannedGame, str, int | None], int]
"""Notes the beginning of a round of a session: its game and its hand, None for the next one."""


@dataclass(frozen=True)
class Continuation:
    """The rounds that earlier runs have played by the same choice, and the match after them.

    `match` is None if the table does not follow the play.
    """

    number: int
    match: Match | None


class EveningProgramme:
    """The programme of one run, whose games all use the tiles of `game`.

    While no session is active, the table waits with the next set below. A changed choice applies to
    the sets that are shuffled after the change; a new session applies its choice at once.
    `plan` validates a choice. `round_begins` is called with the game and the session of each round,
    also of a replayed one; it returns the number of the hand. `round_over` is called at its end.
    """

    def __init__(
        self,
        game: PlannedGame,
        plan: Callable[[GameChoice], PlannedGame],
        round_begins: RoundBegins,
        round_over: Callable[[], None],
    ) -> None:
        self.now = game
        """The game of the present or last round."""
        self.next: PlannedGame | None = None
        """The game that applies from the next shuffle; None if it is the present one."""
        self.session: str | None = None
        """The id of the active session."""
        self.in_round = False
        """Whether a round has begun and is not over."""
        self._tiles_of = game
        self._plan = plan
        self._round_begins = round_begins
        self._round_over = round_over
        self._shuffled: dict[int, PlannedGame] = {}
        """The game for which each set was shuffled, if it is not the present one."""
        self._changed = asyncio.Event()
        self._number = 0
        self._is_new = True
        self._continued: Continuation | None = None
        """What the first round continues; None once it has begun, and for a new match."""
        self._run_state: RunState | None = None

    def attach(self, run_state: RunState) -> None:
        """Use the run's journal; call it before the run begins."""
        self._run_state = run_state

    # Commands

    def begin_session(self, session: str, game: PlannedGame) -> None:
        """Begin a session; its game applies to the sets that are shuffled already as well."""
        self.session, self.next = session, game
        self._shuffled.clear()
        self._is_new, self._number, self._continued = True, 0, None
        self._changed.set()

    def continue_session(self, session: str) -> None:
        """Continue a session whose run is resumed from its journal."""
        self.session = session
        self._changed.set()

    def continue_match(self, continued: Continuation) -> None:
        """Continue the match of an earlier run in the first round of this one."""
        self._is_new, self._number, self._continued = False, continued.number, continued

    def end_session(self) -> None:
        """End the session; the table waits before the next round."""
        self.session = None
        self._shuffled.clear()

    def choose(self, game: PlannedGame) -> None:
        """Choose the game that applies from the next shuffle."""
        self.next = game
        self._changed.set()

    # The run

    @property
    def changes_tiles(self) -> bool:
        """Whether the chosen game needs other tiles than those on the table."""
        return self.next is not None and not self.next.uses_tiles_of(self._tiles_of)

    def shuffles(self, tile_set: int) -> None:
        """Bind the set that is shuffled now to the chosen game."""
        if self.next is not None and not self.changes_tiles:
            self._shuffled[tile_set] = self.next

    async def next_round(self, tile_set: int) -> RoundOrder | None:
        """Wait for a session; None if its game needs other tiles."""
        assert self._run_state is not None
        entry = self._run_state.replay.ahead(ACTIVITY)
        if entry is not None:
            facts: dict[str, Any] = dict(entry.intent)
            async with self._run_state.intent(ACTIVITY, facts):
                game = self._plan(choice_of(facts["choice"]))
                # The choice names the house rules that differ from those of the game's file.
                now = game.orders.house_rules
                if (then := facts.get("house", now)) != now:
                    raise ReplayError(
                        entry, f"played with other house rules: {differences(then, now)}"
                    )
            hand = self._round_begins(game, str(facts["session"]), int(facts["hand"]))
            name = hand_name(str(facts["session"]), hand)
            return self._order(game, int(facts["number"]), name, new=bool(facts["new"]))
        while self.session is None:
            self._changed.clear()
            await self._changed.wait()
        if self.changes_tiles:
            return None
        game = self._chosen(tile_set)
        new = self._is_new or game.choice != self.now.choice
        number = 0 if new else self._number
        choice = game.choice.model_dump(mode="json")
        hand = self._round_begins(game, self.session, None)
        facts = {"session": self.session, "hand": hand, "choice": choice, "number": number}
        facts["house"] = game.orders.house_rules
        if self._continued is not None and not new:
            facts[CONTINUED] = True
        async with self._run_state.intent(ACTIVITY, {**facts, "new": new}):
            pass
        return self._order(game, number, hand_name(self.session, hand), new=new)

    def _chosen(self, tile_set: int) -> PlannedGame:
        """The game for which a set was shuffled, or the session's game for its first round."""
        if self._is_new and self.next is not None:
            return self.next
        return self._shuffled.pop(tile_set, self.now)

    def _order(self, game: PlannedGame, number: int, hand: str, *, new: bool) -> RoundOrder:
        self.now, self._is_new, self._number, self.in_round = game, False, number + 1, True
        if self.next is not None and self.next.choice == game.choice:
            self.next = None
        continued, self._continued = self._continued, None
        match = None if continued is None or new else continued.match
        return RoundOrder(game.orders, number, new_match=new, match=match, hand=hand)

    def takes_in(self) -> bool:
        """Note the end of the round; its tiles stay if the chosen game needs others."""
        self.in_round = False
        self._round_over()
        return not (self.session is not None and self.changes_tiles)


def choice_of(facts: dict[str, Any]) -> GameChoice:
    """A stored choice; one of version 0.2 without followed hands asked for no result."""
    follow = {} if "follow" in facts or facts.get("follow_play") else {"follow": "none"}
    return GameChoice.model_validate({**facts, **follow})


def hand_name(session: str, hand: int) -> str:
    """The name of a session's hand in the reports of its result."""
    return f"{session}/{hand}"


def hand_of(name: str) -> tuple[str, int]:
    """The session and the number of the hand with this name; 0 for a hand without a session."""
    session, _, hand = name.rpartition("/")
    return session, int(hand) if session else 0


def continuation_of(
    game: PlannedGame, session: str, hand: int, store: EveningStore
) -> Continuation | None:
    """The continuation for a hand of a session, from the stored hands before it, or None.

    A match is computed from the records of all hands of the session, which takes time: call this
    function in the store's thread. If a record is missing, a new match begins.
    """
    lines, number = list[str](), 0
    for earlier in range(1, hand):
        found = store.hand(session, earlier)
        if found is None:
            return None
        lines += found[0]
        same = found[2] is not None and choice_of(found[2]) == game.choice
        number = number + 1 if same else 0
    if not number or not game.orders.has_match:
        return Continuation(number, None) if number else None
    try:
        played = list(evening(lines, parameters_of))
    except RulesError:
        return None
    if len(played) < number or played[-1].game != game.orders.game.name:
        return None
    return Continuation(number, played[-1].match)


def continued_at(entries: Iterable[Entry] | None, following: int) -> int | None:
    """The hand at which a run continues a match that earlier runs have played; None if at none.

    A run without `entries` to resume continues at the hand `following`.
    """
    if entries is None:
        return following
    mine = (entry.intent for entry in entries if entry.activity == ACTIVITY)
    return next((int(str(each["hand"])) for each in mine if CONTINUED in each), None)


def settlements_of(entries: Iterable[Entry], session: str) -> dict[int, Event]:
    """The settlement of each hand of a session that the journal confirms, by hand.

    A settlement is in the form of the event `settled`.
    """
    found: dict[int, Event] = {}
    hand: int | None = None
    for entry in entries:
        if entry.activity == ACTIVITY:
            mine = entry.intent.get("session") == session
            hand = int(str(entry.intent["hand"])) if mine else None
        elif entry.activity == "play" and entry.intent.get("do") == "settle" and entry.confirmed:
            outcome: Any = entry.outcome
            if hand is not None:
                found[hand] = {"t": entry.at, "event": EventName.SETTLED.value, **outcome}
    return found
