"""Common interface of every game's play: actions, turn, legal actions, settlement.

A `Play` is an immutable value that begins where a `Setup` is ready. `action in play.legal_actions`
checks an action. `play.apply(action)` returns the next value and does not change this one; for an
illegal action it raises `IllegalActionError` with a sentence.

Unseen tiles are `None`: a play with hidden hands follows public information only. `Rules` has the
functions that such a play needs at a table: which tiles the table hands out, which tiles lie before
each seat, what the players announce.

Random outcomes and choices are inputs here too. A player is a function from a play to an action; a
random player receives the function that picks.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Protocol, Self, TypeVar, overload

from rules.dice import Dice
from rules.errors import IllegalOutcomeError, RulesError
from rules.geometry import Place, Seat
from rules.open_tiles import OpenTiles, show_nothing
from rules.setup import Setup
from rules.steps import Facts, Outcome, Packet, Replace, Step, Throw
from rules.tiles import Face

Amount = int | Fraction
"""Money in units of the stake; a commission can be a fraction of the unit."""
HOUSE: Seat = -1
"""The payee of a commission in place of a player's seat."""

Tiles = Mapping[Place, Face | None]
"""The tile at each place of a set-up; a missing place, or None, is an unknown tile."""


class IllegalActionError(RulesError):
    """Raised for an illegal action; the message gives the reason and what is legal."""


class Action(Protocol):
    """A player's action: a frozen value with a text (`str`) that the game's `parse` reads back."""

    @property
    def seat(self) -> Seat: ...


A = TypeVar("A", bound=Action)
P = TypeVar("P")


class LegalActions(Sequence[A], Generic[A]):
    """A play's legal actions as a sequence; `in` checks the rules, not the list.

    `why_not(action)` returns the objection to an action, or None if it is legal. `each()`
    returns the actions as a tuple, or as an iterator that makes them one by one on demand. A game
    can accept an action that it does not list: another form of a listed action, or one of so many
    that the list would be too long.
    """

    __slots__ = ("_each", "_listed", "_why_not")

    def __init__(self, why_not: Callable[[A], str | None], each: Callable[[], Iterable[A]]) -> None:
        self._why_not = why_not
        self._each = each
        self._listed: tuple[A, ...] | None = None

    def _all(self) -> tuple[A, ...]:
        if self._listed is None:
            self._listed = tuple(self._each())
        return self._listed

    def _one(self, number: int) -> A:
        return self._all()[number]

    def __contains__(self, action: object) -> bool:
        return self._why_not(action) is None  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[A]:
        if self._listed is None:
            each = self._each()
            if not isinstance(each, tuple):
                return self._making(each)
            self._listed = each
        return iter(self._listed)

    def _making(self, each: Iterable[A]) -> Iterator[A]:
        made = []
        for action in each:
            made.append(action)
            yield action
        self._listed = tuple(made)

    def __len__(self) -> int:
        return len(self._all())

    @overload
    def __getitem__(self, number: int) -> A: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[A]: ...
    def __getitem__(self, number: int | slice) -> A | Sequence[A]:
        if isinstance(number, slice):
            return self._all()[number]
        return self._one(number)

    def __repr__(self) -> str:
        return f"<{len(self)} legal actions: {', '.join(map(str, self))}>"

    def require(self, action: A) -> A:
        """Returns the action. Raises IllegalActionError if it is not legal."""
        # An action that was picked from the list is legal and is not checked again.
        for listed in self._listed or ():
            if listed is action:
                return action
        sentence = self._why_not(action)
        if sentence is not None:
            raise IllegalActionError(sentence)
        return action


@dataclass(frozen=True, slots=True)
class Payment:
    """One seat pays another seat, or the house, an amount for a reason."""

    source: Seat
    to: Seat
    amount: Amount
    why: str

    def facts(self) -> Facts:
        return {
            "from": _named(self.source),
            "to": _named(self.to),
            "amount": plain(self.amount),
            "why": self.why,
        }


@dataclass(frozen=True, slots=True)
class Settlement:
    """How a hand ended: its name, its class, the payments, and the reasons with rules (W25 ...)."""

    name: str
    multiplier: int = 1
    payments: tuple[Payment, ...] = ()
    reasons: tuple[str, ...] = ()
    winner: Seat | None = None

    def balance(self) -> dict[Seat, Amount]:
        """The gain of each seat; the sum of all gains is zero."""
        gains: dict[Seat, Amount] = {}
        for payment in self.payments:
            gains[payment.source] = gains.get(payment.source, 0) - payment.amount
            gains[payment.to] = gains.get(payment.to, 0) + payment.amount
        return gains


class Play(Protocol[A]):
    """A game in progress.

    `to_act` are the seats that can act now: one seat on its turn, several while a discard can be
    claimed. `settlement` is None until the hand is over.
    """

    @property
    def to_act(self) -> tuple[Seat, ...]: ...

    @property
    def legal_actions(self) -> LegalActions[A]: ...

    @property
    def settlement(self) -> Settlement | None: ...

    def apply(self, action: A) -> Self:
        """Returns the play after an action; this value is unchanged. Raises IllegalActionError."""


class Finished(Protocol):
    """The part of a finished hand that every match needs: a followed play, or a reported result.

    A match that needs more extends it.
    """

    @property
    def settlement(self) -> Settlement | None: ...


class Match(Protocol):
    """State between hands: scores, the next dealer and the dealer's figure, whether it is over."""

    @property
    def dealer(self) -> Seat: ...

    @property
    def scores(self) -> Sequence[Amount]: ...

    @property
    def over(self) -> bool: ...

    def after(self, play: Any) -> Self:
        """Returns the match after a finished hand (`Finished`, or what the match needs of it)."""


Handed = tuple[Packet | Replace, ...]
"""Tiles that a table hands out, in order: draws (`Packet`) and replacement tiles (`Replace`)."""
Held = tuple[tuple[Face | None, ...], ...]
"""The tiles before each seat; None is a tile that the play has not seen."""


@dataclass(frozen=True, slots=True)
class Reseated:
    """The result of a draw for seats or the dealer before a hand; `match` is the match after it.

    If seats were drawn, the player of each seat moves to `moves[seat]` and keeps his score. `moves`
    is empty if all players keep their seats and only the dealer was settled.
    """

    moves: tuple[Seat, ...]
    match: Any

    def facts(self) -> Facts:
        return {"moves": list(self.moves), "dealer": self.match.dealer}


Drawing = Generator[Step, Outcome, Reseated]
"""A script of throws and choices that settle the seats and the dealer before a hand."""


def drawn(drawing: Drawing, outcomes: Iterable[Outcome]) -> Reseated:
    """The result of a draw with these outcomes.

    Raises IllegalOutcomeError for an impossible outcome, and for too few or too many of them.
    """
    step = next(drawing)
    given = list(outcomes)
    for number, outcome in enumerate(given, 1):
        try:
            step = drawing.send(step.check(outcome))
        except StopIteration as end:
            if number < len(given):
                raise IllegalOutcomeError(
                    f"The draw for seats takes {number} outcomes; got {len(given)}. Leave out the"
                    " last ones."
                ) from None
            reseated: Reseated = end.value
            return reseated
    raise IllegalOutcomeError(
        f"The draw for seats needs more outcomes than {len(given)}; give the outcome of"
        f" {step.facts()}."
    )


def hand_over_nothing(setup: Setup, before: Any, after: Any) -> Handed:
    """Returns no tiles: in this game the table hands out none after the play has begun."""
    return ()


def announce_unchanged(full_play: Any, play: Any, action: Any) -> Any:
    """Returns the action itself, because it shows nothing that only its player sees."""
    return action


def refuse_catch_up(full_play: Any, play: Any, seat: Seat) -> Any:
    """Raises RulesError: in this game the table never waits for a seat that the full play skips."""
    raise RulesError(
        f"The public play expects an action of seat {seat}, but the full play does not. Begin both "
        "from the same set-up, and apply every action to both."
    )


def expect_no_throw(play: Any) -> Throw | None:
    """Returns None, because no dice are thrown in the play."""
    return None


def refuse_throw(play: Any, dice: Dice) -> Any:
    """Raises RulesError: no dice are thrown in the play."""
    raise RulesError(f"No throw is due now, but the dice show {dice}; take the throw back.")


def allow_any_answer(setup: Setup, tiles: Tiles) -> None:
    """Returns None: the pending choice does not depend on tiles that only the players see."""


def settle_nothing(match: Any) -> None:
    """Returns None: the seats and the dealer follow from the hands before the next one."""


def show_all(play: P, seat: Seat) -> P:
    """Returns the play itself, because every seat sees the same of it."""
    return play


def refuse_draw(match: Any) -> Any:
    """Raises RulesError: the game has no draw for seats."""
    raise RulesError("This game draws neither seats nor a first dealer; name the dealer instead.")


def keep_discards_apart(parameters: object) -> bool:
    """Returns False: discards lie before the players, or the game has no discards."""
    return False


@dataclass(frozen=True)
class Rules(Generic[P, A]):
    """How one game is played: `start` begins a play, `parse` parses an action's text.

    `P` is the class of the game's play and `A` that of its actions; `AnyRules` are the rules of a
    game of which only the name is known.

    `sensible` is a player that is good enough to drive a simulation.

    The other fields are for a table that sees no faces. Such a table follows a play with hidden
    hands (`play`). A player who sees tiles, or a simulation, follows a play of the same set-up in
    which all tiles are known (`full_play`). `rules.playing.hidden_play` advances the two together.
    """

    game: str
    start: Callable[..., P]
    """`start(setup, tiles={}, match=None)`: a play from a finished set-up."""
    parse: Callable[[Seat, str], A]
    sensible: Callable[[P, Seat], A]
    match: Callable[[Any, int, Seat], Match]
    """`match(parameters, players, dealer)`: a match before its first hand."""
    held: Callable[[P], Held]
    """`held(play)`: the concealed tiles, the sets laid down and the flores of each seat, as far as
    they were seen. Tiles in the middle of the table belong to no seat."""
    view: Callable[[P, Seat], P] = show_all
    """`view(play, seat)`: the play as one seat sees it; tiles that only other seats see are
    unknown."""
    hands_over: Callable[[Setup, P, P], Handed] = hand_over_nothing
    """`hands_over(setup, before, after)`: the tiles that the table hands out because of the action
    that led from the play `before` to the play `after`."""
    announced: Callable[[P, P, A], A] = announce_unchanged
    """`announced(full_play, play, action)`: an action of the full play in the form in which the
    table receives it: a tile drawn unseen has no face, a win shows the tiles that the table has not
    seen."""
    catch_up: Callable[[P, P, Seat], A] = refuse_catch_up
    """`catch_up(full_play, play, seat)`: the action of a seat for which only the table waits: it
    passes a tile that it could not claim, or shows the tiles that it still holds."""
    throw: Callable[[P], Throw | None] = expect_no_throw
    """`throw(play)`: the throw that comes next unless a seat acts first; None if no throw is
    due."""
    thrown: Callable[[P, Dice], A] = refuse_throw
    """`thrown(play, dice)`: that throw as an action."""
    open_tiles: Callable[[P, Sequence[tuple[A, P]]], OpenTiles] = show_nothing
    """`open_tiles(begun, taken)`: what every person at the table sees after the actions `taken`,
    each with the play after it; `begun` is the play before the first one."""
    mixes_discards: Callable[[Any], bool] = keep_discards_apart
    """`mixes_discards(parameters)`: whether the discards lie mixed in the middle in this house, so
    that players see neither their order nor who discarded them (`rules.open_tiles.mixed`)."""
    declarations: tuple[str, ...] = ()
    """Verbs of legal actions that `legal_actions` does not list, such as a win that shows tiles."""
    answers: Callable[[Setup, Tiles], Outcome] = allow_any_answer
    """`answers(setup, tiles)`: the answer that these tiles require to the choice for which the
    set-up waits; None if the answer is free."""
    before_hand: Callable[[Any], Drawing | None] = settle_nothing
    """`before_hand(match)`: the script of throws and choices before the next hand (seats drawn, the
    bank offered); None if there are none."""
    to_draw: Callable[[Any], Any] = refuse_draw
    """`to_draw(match)`: the match whose seats or first dealer are to be drawn before its first
    hand, by `before_hand`. Raises RulesError for a game without such a draw."""


AnyRules = Rules[Any, Any]
"""The rules of a game of which only the name is known."""


def random_action(play: Play[A], pick: Callable[[Sequence[A]], A]) -> A:
    """The action of a random player: `pick` chooses among all legal actions."""
    return pick(play.legal_actions)


def tiles_of(setup: Setup, tiles: Tiles, seat: Seat) -> tuple[Face | None, ...]:
    """The faces of a seat's dealt tiles; None for an unknown tile."""
    return tuple(tiles.get(place) for place in setup.hands.get(seat, ()))


def plain(amount: Amount) -> int | float:
    """An amount as a JSON number."""
    return int(amount) if amount == int(amount) else float(amount)


def _named(seat: Seat) -> Seat | str:
    return "house" if seat == HOUSE else seat
