"""Position of a hand of Da San: sets of cards, combinations, hands, the round (D3, D11-D14).

A set of cards is one integer with four bits for each rank, the weakest rank lowest, and one bit for
each suit. The order of ranks is 4 5 ... 10 J Q K A 2 3 (D3). A set of ranks is a mask of the lowest
of the four bits of each rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from rules.games.da_san.setup import SEATS
from rules.geometry import Seat
from rules.tiles import Face
from rules.values import LazyTable

Cards = int
"""A set of cards: bit 4 * rank + suit is one card."""
Ranks = int
"""A set of ranks: bit 4 * rank is one rank."""
RANKS = ("4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "2", "3")
SUITS = "shdc"
FACES: tuple[Face, ...] = tuple(rank + suit for rank in RANKS for suit in SUITS)
ALL: Cards = (1 << len(FACES)) - 1
KING = RANKS.index("K")
SHORTEST_RUN = 3
_EVERY: Ranks = sum(1 << 4 * rank for rank in range(len(RANKS)))
_IN_RUNS: Ranks = _EVERY & (1 << 4 * (KING + 1)) - 1
"""The ranks that can be in a run: all except 3, 2 and A (D12)."""


class Form(NamedTuple):
    """A combination without its suits (D11): `each` cards of each of `length` ranks up to `top`."""

    each: int
    length: int
    top: int

    def beats(self, other: Form) -> bool:
        """Whether it has the same type and size and a higher top (D13, E3)."""
        return self[:2] == other[:2] and self.top > other.top

    @property
    def size(self) -> int:
        """The number of cards."""
        return self.each * self.length

    def __str__(self) -> str:
        if self.length == 1:
            return f"{('single', 'pair', 'three', 'four')[self.each - 1]} {RANKS[self.top]}"
        kind = ("", " of pairs", " of threes", " of fours")[self.each - 1]
        return f"run{kind} {RANKS[self.top - self.length + 1]} to {RANKS[self.top]}"


def cards_of(faces: Iterable[Face]) -> Cards:
    """Faces as a set of cards. Raises KeyError for a face that is not a card."""
    bits = _bits()
    cards = 0
    for face in faces:
        cards |= bits[face]
    return cards


def faces_of(cards: Cards) -> tuple[Face, ...]:
    """A set of cards as faces, the weakest rank first."""
    faces = []
    while cards:
        lowest = cards & -cards
        faces.append(FACES[lowest.bit_length() - 1])
        cards ^= lowest
    return tuple(faces)


def form_of(cards: Cards) -> Form | None:
    """The combination that these cards form, or None; four of a kind is only a four (E4)."""
    if not cards:
        return None
    bottom = ((cards & -cards).bit_length() - 1) // 4
    top = (cards.bit_length() - 1) // 4
    length = top - bottom + 1
    each, rest = divmod(cards.bit_count(), length)
    if rest or each == 0 or (length > 1 and (length < SHORTEST_RUN or top > KING)):
        return None
    span = _EVERY & (1 << 4 * (top + 1)) - (1 << 4 * bottom)
    return Form(each, length, top) if held(cards, each) == span else None


def leads(cards: Cards) -> list[Form]:
    """Every combination in a hand (D11), regardless of suits (D3)."""
    forms: list[Form] = []
    for each in range(1, 5):
        ranks = held(cards, each)
        if not ranks:
            break
        forms += _same(each, ranks)
        forms += _runs(each, ranks & _IN_RUNS)
    return forms


def answers(cards: Cards, best: Form) -> list[Form]:
    """Every combination in a hand that beats another (D13)."""
    each, length, top = best
    ranks = held(cards, each)
    if length == 1:
        return list(_same(each, ranks >> 4 * (top + 1) << 4 * (top + 1)))
    return [
        form for form in _runs(each, ranks & _IN_RUNS) if form.length == length and form.top > top
    ]


def pick(cards: Cards, form: Form) -> Cards:
    """The cards of a hand for a combination, of each rank the first suits."""
    each = form.each << 4
    picked = 0
    for rank in range(form.top - form.length + 1, form.top + 1):
        picked |= _FIRST[each | cards >> 4 * rank & 15] << 4 * rank
    return picked


def held(cards: Cards, each: int) -> Ranks:
    """The ranks of which there are at least `each` cards."""
    spades, hearts = cards & _EVERY, cards >> 1 & _EVERY
    diamonds, clubs = cards >> 2 & _EVERY, cards >> 3 & _EVERY
    either, other = spades | hearts, diamonds | clubs
    if each == 1:
        return either | other
    both, others = spades & hearts, diamonds & clubs
    if each == 2:
        return both | others | either & other
    return both & other | others & either if each == 3 else both & others


def numbers(ranks: Ranks) -> Iterator[int]:
    """The ranks of a mask, the weakest first."""
    while ranks:
        lowest = ranks & -ranks
        yield lowest.bit_length() // 4
        ranks ^= lowest


@cache
def _bits() -> dict[Face, Cards]:
    return {face: 1 << number for number, face in enumerate(FACES)}


def _first(packed: int) -> int:
    """The first suits of a rank: the suits are the low four bits, their number the bits above."""
    count, suits = packed >> 4, packed & 15
    return sum([1 << suit for suit in range(4) if suits >> suit & 1][:count])


_FIRST = LazyTable(_first)


@cache
def _same(each: int, ranks: Ranks) -> tuple[Form, ...]:
    return tuple(Form(each, 1, rank) for rank in numbers(ranks))


@cache
def _runs(each: int, ranks: Ranks) -> tuple[Form, ...]:
    forms = []
    length, tops = SHORTEST_RUN, ranks & ranks << 4 & ranks << 8
    while tops:
        forms += [Form(each, length, top) for top in numbers(tops)]
        tops &= ranks << 4 * length
        length += 1
    return tuple(forms)


_ONE = Form(1, 1, 0)


class Hand(NamedTuple):
    """The known cards of a hand, and the number of its unknown cards."""

    known: Cards = 0
    hidden: int = 0

    @property
    def size(self) -> int:
        """The number of cards."""
        return self.known.bit_count() + self.hidden

    def with_kitty(self, kitty: Hand) -> Hand:
        """The hand with the kitty added to it (D9)."""
        return Hand(self.known | kitty.known, self.hidden + kitty.hidden)

    def without(self, cards: Cards) -> Hand:
        """The hand after these cards were played from it."""
        return Hand(self.known & ~cards, self.hidden - (cards & ~self.known).bit_count())

    def seen(self, cards: Cards) -> Hand:
        """The hand after these of its unknown cards were shown."""
        return Hand(self.known | cards, self.hidden - (cards & ~self.known).bit_count())

    def can_play(self, cards: Cards, unseen: Cards) -> bool:
        """Whether the hand can contain these cards; its unknown cards are among `unseen`."""
        unknown = cards & ~self.known
        return not unknown & ~unseen and unknown.bit_count() <= self.hidden

    def pick(self, form: Form, unseen: Cards) -> Cards:
        """Cards for a combination, known cards first, of each rank the first suits."""
        if not self.hidden:
            return pick(self.known, form)
        picked = 0
        for rank in range(form.top - form.length + 1, form.top + 1):
            for cards in (self.known, unseen):
                suits = cards >> 4 * rank & 15
                while suits and (picked >> 4 * rank & 15).bit_count() < form.each:
                    suit = pick(suits, _ONE)
                    picked |= suit << 4 * rank
                    suits ^= suit
        return picked


@dataclass(frozen=True, slots=True)
class Round:
    """The cards on the table: `best` of seat `by`, all `cards` of the round, `passes` since then.

    `locked` are the seats that cannot play again in this round, in houses with that rule.
    """

    turn: Seat
    by: Seat | None = None
    best: Form | None = None
    cards: Cards = 0
    passes: int = 0
    locked: tuple[Seat, ...] = ()

    def laid(self, form: Form, cards: Cards) -> Round:
        """Returns the round after the seat on turn has played this combination."""
        turn = self._next(self.turn, self.locked)
        return Round(turn, self.turn, form, self.cards | cards, 0, self.locked)

    def passed(self, *, locks: bool) -> Round:
        """Returns the round after a pass.

        After the last pass it is a new round, led by the seat of the highest combination (D14).
        """
        assert self.by is not None
        locked = (*self.locked, self.turn) if locks else ()
        passes = self.passes + 1
        if len(locked) == SEATS - 1 or passes == SEATS - 1:
            return Round(self.by)
        turn = self._next(self.turn, locked)
        return Round(turn, self.by, self.best, self.cards, passes, locked)

    @staticmethod
    def _next(turn: Seat, locked: tuple[Seat, ...]) -> Seat:
        """The next seat counter-clockwise that is not locked; `turn` itself if both others are."""
        after = (turn + 1) % SEATS
        while after in locked:
            after = (after + 1) % SEATS
        return after
