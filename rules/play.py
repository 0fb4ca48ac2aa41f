"""Common interface of every game's play: actions, turn, legal actions, settlement.

A `Play` is an immutable value that begins where a `Setup` is ready. `action in play.legal_actions`
checks an action; `play.apply(action)` returns the next value and does
not change this one; an illegal action raises `IllegalActionError` with a sentence. Unseen tiles are
`None`: a play with hidden hands follows public information only. `Rules` adds what such a play
needs
from a table and its players: tiles to hand out, tiles before each seat, announcements.

Random outcomes and choices are inputs here too: a player is a function from a play to an action,
and a
random player gets the function that picks.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Protocol, Self, TypeVar, overload

from rules.dice import Dice
from rules.errors import IllegalOutcomeError, RulesError
from rules.geometry import Place, Seat
from rules.setup import Setup
from rules.steps import Facts, Outcome, Packet, Replace, Step, Throw
from rules.tiles import Face

Amount = int | Fraction
"""Money in the unit that the game is played for; a commission may be a fraction of it."""
HOUSE: Seat = -1
"""Who takes a commission: no player."""

Tiles = Mapping[Place, Face | None]
"""What lies at each place of a set-up; a place that is missing, or None, is unknown."""


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

    `why_not(action)` is the sentence against an action, or None if it is legal; `each()` gives
    them, as a tuple, or one after the other and no further than they are asked for. A game may
    accept an action that it does not list: one that says the same in other words, or that would
    make the list too long.
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
        """The action itself. Raises IllegalAction with the sentence against it."""
        # One that was picked from the list needs no second look.
        for listed in self._listed or ():
            if listed is action:
                return action
        sentence = self._why_not(action)
        if sentence is not None:
            raise IllegalActionError(sentence)
        return action


@dataclass(frozen=True, slots=True)
class Payment:
    """One seat pays another (or the house) an amount, and why."""

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
    """How a hand ended: what it is called, its class, who pays whom, and every reason (W25 ...)."""

    name: str
    multiplier: int = 1
    payments: tuple[Payment, ...] = ()
    reasons: tuple[str, ...] = ()
    winner: Seat | None = None

    def balance(self) -> dict[Seat, Amount]:
        """What each seat has gained; all gains together are zero."""
        gains: dict[Seat, Amount] = {}
        for payment in self.payments:
            gains[payment.source] = gains.get(payment.source, 0) - payment.amount
            gains[payment.to] = gains.get(payment.to, 0) + payment.amount
        return gains


class Play(Protocol[A]):
    """A game in progress.

    `to_act` are the seats that may act now: one on its turn, several while a discard may be
    claimed. `settlement` is there once the hand is over.
    """

    @property
    def to_act(self) -> tuple[Seat, ...]: ...

    @property
    def legal_actions(self) -> LegalActions[A]: ...

    @property
    def settlement(self) -> Settlement | None: ...

    def apply(self, action: A) -> Self:
        """Returns the play after an action; this value is unchanged. Raises IllegalActionError."""


class Match(Protocol):
    """State between hands: scores, the next dealer and the dealer's figure, whether it is over."""

    @property
    def dealer(self) -> Seat: ...

    @property
    def scores(self) -> Sequence[Amount]: ...

    @property
    def over(self) -> bool: ...

    def after(self, play: Any) -> Self:
        """The match after a finished hand."""


Handed = tuple[Packet | Replace, ...]
"""Tiles that a table hands out, in order: draws as packets, tiles from the replacement end."""
Held = tuple[tuple[Face | None, ...], ...]
"""What lies before each seat, None for a tile that nobody has seen."""


@dataclass(frozen=True, slots=True)
class Reseated:
    """What was settled before a hand: `match` is the match after it.

    Where seats were drawn, the player of each seat sits at `moves[seat]` from now on, and his score
    goes with him. `moves` is empty where all players keep their seats and only the dealer was
    settled.
    """

    moves: tuple[Seat, ...]
    match: Any

    def facts(self) -> Facts:
        return {"moves": list(self.moves), "dealer": self.match.dealer}


Drawing = Generator[Step, Outcome, Reseated]
"""A script of throws and choices that settle who sits where, and who deals, before a hand."""


def drawn(drawing: Drawing, outcomes: Iterable[Outcome]) -> Reseated:
    """The seats that these outcomes draw.

    Raises IllegalOutcome for an outcome that cannot be, and for too few or too many of them.
    """
    step = next(drawing)
    given = list(outcomes)
    for number, outcome in enumerate(given, 1):
        try:
            step = drawing.send(step.check(outcome))
        except StopIteration as end:
            if number < len(given):
                raise IllegalOutcomeError(
                    f"Seats are drawn after {number} outcomes; {len(given)} were given."
                ) from None
            reseated: Reseated = end.value
            return reseated
    raise IllegalOutcomeError(f"Seats are not drawn yet: {step.facts()} has no outcome.")


def hands_nothing_over(setup: Setup, before: Any, after: Any) -> Handed:
    """Nothing: once the play has begun nobody gets another tile."""
    return ()


def says_it_as_it_is(truth: Any, play: Any, action: Any) -> Any:
    """The action itself: it shows nothing that only its player sees."""
    return action


def has_nothing_to_add(truth: Any, play: Any, seat: Seat) -> Any:
    """Nobody is asked more than he knows; raises RulesError with the seat."""
    raise RulesError(
        f"Seat {seat} is asked what it cannot answer: the table and the player follow different"
        " plays; begin both from the same set-up and tell the table every action."
    )


def waits_for_no_throw(play: Any) -> Throw | None:
    """None: no dice are thrown in the play."""
    return None


def throws_nothing(play: Any, dice: Dice) -> Any:
    """No throw belongs to this play; raises RulesError with the dice."""
    raise RulesError(f"Nobody throws dice now, yet there is a throw of {dice}; take it back.")


def any_answer_is_true(setup: Setup, tiles: Tiles) -> None:
    """None: the pending choice does not depend on tiles that only the players see."""


def settles_nothing(match: Any) -> None:
    """None: seats and dealer of the next hand follow from the hands before it."""


def all_lies_open(play: P, seat: Seat) -> P:
    """The play itself: no seat sees more of it than another."""
    return play


def draws_no_seats(match: Any) -> Any:
    """Raises RulesError: the game has no draw for seats."""
    raise RulesError("This game draws neither seats nor a first dealer; name the dealer instead.")


@dataclass(frozen=True)
class Rules(Generic[P, A]):
    """How one game is played: `start` begins a play, `parse` reads an action's text.

    `P` is the game's play and `A` its action; `AnyRules` are the rules of a game that is known by
    its name alone.

    `sensible` is a player good enough to drive a simulation.

    The rest is for a table that sees no faces. It follows a play with hidden hands; whoever sees
    the tiles has a play of the same set-up with all of them, here called the truth.
    `rules.hidden_play` leads the two together.
    """

    game: str
    start: Callable[..., P]
    """`start(setup, tiles={}, match=None)`: a play from a finished set-up."""
    parse: Callable[[Seat, str], A]
    sensible: Callable[[P, Seat], A]
    match: Callable[[Any, int, Seat], Match]
    """`match(parameters, players, dealer)`: a match before its first hand."""
    held: Callable[[P], Held]
    """`held(play)`: concealed tiles, sets laid down and flores of each seat, as far as seen.

    What lies in the middle is nobody's."""
    view: Callable[[P, Seat], P] = all_lies_open
    """`view(play, seat)`: the play as one seat sees it, with tiles that only others see unknown."""
    hands_over: Callable[[Setup, P, P], Handed] = hands_nothing_over
    """`hands_over(setup, before, after)`: what the table hands out because of the one action that
    led from one play to the next."""
    tells: Callable[[P, P, A], A] = says_it_as_it_is
    """`tells(truth, play, action)`: the action of a player who sees the truth, as the table hears
    it: a tile drawn unseen has no face, a win shows what the table has not seen."""
    follows: Callable[[P, P, Seat], A] = has_nothing_to_add
    """`follows(truth, play, seat)`: what a seat says where only the table has to ask: that it
    passes what it could not have claimed, which tiles it still held."""
    throw: Callable[[P], Throw | None] = waits_for_no_throw
    """`throw(play)`: the throw that comes next unless somebody speaks first, None for none."""
    thrown: Callable[[P, Dice], A] = throws_nothing
    """`thrown(play, dice)`: that throw as an action."""
    answers: Callable[[Setup, Tiles], Outcome] = any_answer_is_true
    """`answers(setup, tiles)`: what people who see these tiles have to answer to the choice that
    the set-up waits for; None where they may choose."""
    before_hand: Callable[[Any], Drawing | None] = settles_nothing
    """`before_hand(match)`: what is thrown and chosen before the next hand (seats drawn, the bank
    offered), None if nothing is."""
    to_draw: Callable[[Any], Any] = draws_no_seats
    """`to_draw(match)`: the match whose seats or first dealer are to be drawn before its first
    hand, by `before_hand`. Raises RulesError for a game without such a draw."""


AnyRules = Rules[Any, Any]
"""The rules of a game that is known by its name alone."""


def random_action(play: Play[A], pick: Callable[[Sequence[A]], A]) -> A:
    """A random player: `pick` chooses among all legal actions."""
    return pick(play.legal_actions)


def tiles_of(setup: Setup, tiles: Tiles, seat: Seat) -> tuple[Face | None, ...]:
    """A seat's dealt tiles as faces, None where nobody knows."""
    return tuple(tiles.get(place) for place in setup.hands.get(seat, ()))


def plain(amount: Amount) -> int | float:
    """An amount as a JSON number."""
    return int(amount) if amount == int(amount) else float(amount)


def _named(seat: Seat) -> Seat | str:
    return "house" if seat == HOUSE else seat
