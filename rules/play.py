"""What every game's play has in common: actions, whose turn, legality as a view, settlement.

A `Play` is an immutable value that begins where a `Setup` is ready. `action in play.legal_actions`
asks; `play.apply(action)` gives the next value and leaves this one as it was; an action that is not
legal raises `IllegalAction` with a sentence and changes nothing. Tiles that nobody has seen are
`None`: a play with hidden hands follows what is public.

Chance and choice are inputs here too: a player is a function from a play to an action, and a
random player gets the function that picks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Protocol, Self, TypeVar

from rules.errors import RulesError
from rules.geometry import Place, Seat
from rules.setup import Setup
from rules.steps import Facts
from rules.tiles import Face

Amount = int | Fraction
"""Money in the unit that the game is played for; a commission may be a fraction of it."""
HOUSE: Seat = -1
"""Who takes a commission: no player."""

Tiles = Mapping[Place, Face | None]
"""What lies at each place of a set-up; a place that is missing, or None, is unknown."""


class IllegalAction(RulesError):
    """An action that the rules do not allow now; the sentence says why, and what would be."""


class Action(Protocol):
    """One player's act: a frozen value with a text (`str`) that the game's `parse` reads back."""

    @property
    def seat(self) -> Seat: ...


A = TypeVar("A", bound=Action)


class LegalActions(Collection[A], Generic[A]):
    """A play's legal actions as a view: membership is asked of the rules, not of a list.

    `why_not(action)` is the sentence against an action, or None if it is legal; `each()` makes
    them all.
    """

    __slots__ = ("_each", "_why_not")

    def __init__(self, why_not: Callable[[A], str | None], each: Callable[[], Iterable[A]]) -> None:
        self._why_not = why_not
        self._each = each

    def __contains__(self, action: object) -> bool:
        return self._why_not(action) is None  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[A]:
        return iter(self._each())

    def __len__(self) -> int:
        return sum(1 for _ in self._each())

    def require(self, action: A) -> A:
        """The action itself. Raises IllegalAction with the sentence against it."""
        sentence = self._why_not(action)
        if sentence is not None:
            raise IllegalAction(sentence)
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
        """The play after this action. Raises IllegalAction; this value stays."""


class Match(Protocol):
    """What passes from hand to hand: scores, the next dealer, his figure, whether it is over."""

    @property
    def dealer(self) -> Seat: ...

    @property
    def scores(self) -> Sequence[Amount]: ...

    @property
    def over(self) -> bool: ...

    def after(self, play: Any) -> Self:
        """The match after a finished hand."""


@dataclass(frozen=True)
class Rules:
    """How one game is played: `start` begins a play, `parse` reads an action's text.

    `sensible` is a player good enough to drive a simulation; `match` begins a match.
    """

    game: str
    start: Callable[..., Any]
    """`start(setup, tiles={}, match=None)`: a play from a finished set-up."""
    parse: Callable[[Seat, str], Any]
    sensible: Callable[[Any, Seat], Any]
    match: Callable[..., Any]


def random_action(play: Play[A], pick: Callable[[Sequence[A]], A]) -> A:
    """A random player: `pick` chooses among all legal actions."""
    return pick(tuple(iter(play.legal_actions)))


def tiles_of(setup: Setup, tiles: Tiles, seat: Seat) -> tuple[Face | None, ...]:
    """A seat's dealt tiles as faces, None where nobody knows."""
    return tuple(tiles.get(place) for place in setup.hands.get(seat, ()))


def plain(amount: Amount) -> int | float:
    """An amount as a JSON number."""
    return int(amount) if amount == int(amount) else float(amount)


def _named(seat: Seat) -> Seat | str:
    return "house" if seat == HOUSE else seat
