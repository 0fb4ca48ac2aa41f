"""Every reading of a winning hand: which tiles form which set, and what each wild tile replaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from rules.melds.counts import DIGIT, HONOURS, KINDS, SUIT, Counts, Kind, face_of
from rules.melds.tables import HONOURS_SHORT, SUIT_SHORT


@dataclass(frozen=True, slots=True)
class Group:
    """A concealed run, triplet or pair.

    `kinds` are its tiles as they are read, in order. `wild` are those of them that a wild tile
    replaces; `natural` are the others, in order.
    """

    kinds: tuple[Kind, ...]
    wild: tuple[Kind, ...] = ()
    natural: tuple[Kind, ...] = field(init=False, repr=False, compare=False)
    is_pair: bool = field(init=False, repr=False, compare=False)
    is_run: bool = field(init=False, repr=False, compare=False)
    _text: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Only some hundreds of groups exist, each made once, but every search reads their fields.
        natural = list(self.kinds)
        for kind in self.wild:
            natural.remove(kind)
        object.__setattr__(self, "natural", tuple(natural))
        object.__setattr__(self, "is_pair", len(self.kinds) == 2)
        object.__setattr__(self, "is_run", self.kinds[0] != self.kinds[-1])
        object.__setattr__(self, "_text", _written(self.kinds, self.wild))

    @property
    def is_triplet(self) -> bool:
        return len(self.kinds) == 3 and not self.is_run

    def __str__(self) -> str:
        return self._text


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a hand: its sets in order, and its pair."""

    sets: tuple[Group, ...]
    pair: Group

    @property
    def groups(self) -> tuple[Group, ...]:
        """The sets, then the pair."""
        return (*self.sets, self.pair)

    @property
    def wild(self) -> tuple[Kind, ...]:
        """The kinds that the wild tiles replace, in order."""
        return tuple(sorted(kind for group in self.groups for kind in group.wild))

    def __str__(self) -> str:
        return ", ".join(map(str, self.groups))


def readings(
    counts: Counts, wild: int = 0, only: Callable[[Group], bool] | None = None
) -> Iterator[Reading]:
    """Every reading of the hand as sets and a pair, each once.

    Readings whose first groups have fewer wild tiles come first. A wild tile replaces any kind,
    even a fifth tile of one kind. With `only`, the readings in which every group passes `only`, in
    the same order.
    """
    led_by = _led_by if only is None else _passing(only)
    for groups in _ways(counts, wild, led_by, need_pair=True, lead=-1, order=0):
        for at, group in enumerate(groups):
            if group.is_pair:
                yield Reading(groups[:at] + groups[at + 1 :], group)


def groups_with(counts: Counts, kind: Kind, wild: int = 0) -> Iterator[Group]:
    """Every group that contains a tile of that kind in some reading of the hand.

    The hand contains the tile (it was just won), and the tile is not wild.
    """
    at = kind // SUIT
    suit = counts[at]
    others = short_of(counts, without=at)
    for part in _holding(kind):
        left = wild - part.wilds
        if left < 0:
            break  # every later part has at least as many wild tiles
        rest = part.taken_from(suit)
        if rest >= 0 and others.fits(left, at, rest, need_pair=not part.group.is_pair):
            yield part.group


def sets_within(counts: Counts, wild: int = 0) -> Iterator[tuple[Group, Counts]]:
    """Every run or triplet that can be taken out of a hand, and the counts that remain."""
    for part in _every():
        if part.wilds > wild:
            break  # every later part has at least as many wild tiles
        if not part.group.is_pair:
            rest = part.taken_from(counts[part.suit])
            if rest >= 0:
                yield part.group, counts.with_suit(part.suit, rest)


class ShortReading(NamedTuple):
    """The number of wild tiles that three of the four suits need, apart from the fourth suit.

    `sets`: wild tiles needed to form sets only. `pair`: additional wild tiles needed for one of
    these suits to contain the pair.
    """

    sets: int
    pair: int

    def fits(self, wild: int, at: int, suit: int, *, need_pair: bool) -> bool:
        """Whether exactly `wild` wild tiles complete the hand if suit `at` has this number.

        Three additional wild tiles form another set; one or two cannot be used.
        """
        sets, pair = _SHORT[at][suit]
        short = self.sets + sets
        if need_pair:
            short += min(self.pair, pair - sets)
        return wild >= short and (wild - short) % 3 == 0


def short_of(counts: Counts, *, without: int) -> ShortReading:
    """The number of wild tiles that all suits except one need."""
    total, least = 0, _NO_PAIR
    for at, suit in enumerate(counts):
        if at != without:
            sets, pair = _SHORT[at][suit]
            total += sets
            least = min(least, pair - sets)
    return ShortReading(total, least)


def _ways(
    counts: Counts,
    wild: int,
    led_by: Callable[[Kind], Sequence[ReadingPart]],
    *,
    need_pair: bool,
    lead: Kind,
    order: int,
) -> Iterator[tuple[Group, ...]]:
    """Every way to divide the remaining tiles into groups.

    The lowest tile leads the next group. Groups with the same leading kind are taken in a fixed
    order, from number `order` on, so that no reading is yielded twice.
    """
    kind = counts.lowest
    if kind == KINDS and not wild:
        if not need_pair:
            yield ()
        return
    at = kind // SUIT
    suit = counts[at]
    table = _SHORT[at]
    # The wild tiles that the later suits need; the earlier suits are empty.
    sets, pair = 0, _NO_PAIR
    for after in range(at + 1, len(counts)):
        if counts[after]:
            more, with_pair = _SHORT[after][counts[after]]
            sets += more
            pair = min(pair, with_pair - more)
    parts = led_by(kind)
    for number in range(order if kind == lead else 0, len(parts)):
        group, wilds, _, weight, digits = parts[number]
        left = wild - wilds
        if left < 0:
            break  # every later part has at least as many wild tiles
        if group.is_pair and not need_pair:
            continue
        for place, needed in digits:
            if suit >> place & 7 < needed:
                break
        else:
            rest = suit - weight
            short, with_pair = table[rest]
            still = need_pair and not group.is_pair
            if still:
                short += sets + min(pair, with_pair - short)
            else:
                short += sets
            if left >= short and (left - short) % 3 == 0:
                further = counts.with_suit(at, rest)
                for groups in _ways(
                    further, left, led_by, need_pair=still, lead=kind, order=number
                ):
                    yield (group, *groups)


class ReadingPart(NamedTuple):
    """A group, and the natural tiles that it takes out of its suit.

    `digits` has, for each kind, the bit offset of its digit and a number of tiles. `weight` is the
    same as one number to subtract from the suit.
    """

    group: Group
    wilds: int
    suit: int
    weight: int
    digits: tuple[tuple[int, int], ...]

    def taken_from(self, suit: int) -> int:
        """The suit without the group's natural tiles; -1 if one of them is missing."""
        for place, number in self.digits:
            if suit >> place & 7 < number:
                return -1
        return suit - self.weight


def _part(group: Group) -> ReadingPart:
    places = Counter(DIGIT * (kind % SUIT) for kind in group.natural)
    weight = sum(number << place for place, number in places.items())
    # A group of wild tiles only takes no tile out of any suit.
    return ReadingPart(
        group, len(group.wild), group.kinds[0] // SUIT, weight, tuple(places.items())
    )


@cache
def _led_by(kind: Kind) -> tuple[ReadingPart, ...]:
    """The groups whose lowest natural tile has this kind; for KINDS, those of wild tiles only."""
    return tuple(
        part
        for part in _every()
        if (part.group.natural[0] if part.group.natural else KINDS) == kind
    )


def _passing(only: Callable[[Group], bool]) -> Callable[[Kind], Sequence[ReadingPart]]:
    """`_led_by` limited to the groups that pass `only`."""
    return cache(lambda kind: tuple(part for part in _led_by(kind) if only(part.group)))


@cache
def _holding(kind: Kind) -> tuple[ReadingPart, ...]:
    return tuple(part for part in _every() if kind in part.group.natural)


@cache
def _every() -> tuple[ReadingPart, ...]:
    """Every possible group, those with fewer wild tiles first."""
    shapes = [(kind,) * 3 for kind in range(KINDS)]
    shapes += [(kind, kind + 1, kind + 2) for kind in range(HONOURS) if kind % SUIT <= SUIT - 3]
    pairs = [(kind,) * 2 for kind in range(KINDS)]
    groups = {
        Group(shape, tuple(kind for place, kind in enumerate(shape) if mask >> place & 1))
        for shape in (*shapes, *pairs)
        for mask in range(1 << len(shape))
    }
    return tuple(
        _part(group)
        for group in sorted(
            groups, key=lambda group: (len(group.wild), -len(group.kinds), group.kinds, group.wild)
        )
    )


def _written(kinds: tuple[Kind, ...], wild: tuple[Kind, ...]) -> str:
    """A group's faces, with a star after each wild one; of equal faces, the last ones have it."""
    starred = list(wild)
    texts = []
    for kind in reversed(kinds):
        stands = kind in starred
        if stands:
            starred.remove(kind)
        texts.append(face_of(kind) + "*" * stands)
    return " ".join(reversed(texts))


_SHORT = (SUIT_SHORT, SUIT_SHORT, SUIT_SHORT, HONOURS_SHORT)
_NO_PAIR = 3
"""More wild tiles than any suit needs for a pair."""
