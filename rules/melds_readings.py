"""Every reading of a winning hand: which tiles form which set, and where each wild tile stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from rules.melds_counts import HONOURS, KINDS, SUIT, Counts, Kind, face_of
from rules.melds_tables import HONOURS_SHORT, SUIT_SHORT


@dataclass(frozen=True, slots=True)
class Group:
    """A run, a triplet or a pair, concealed.

    `kinds` is what it reads, in order; `wild` are those of them that a wild tile stands for.
    """

    kinds: tuple[Kind, ...]
    wild: tuple[Kind, ...] = ()

    @property
    def is_pair(self) -> bool:
        return len(self.kinds) == 2

    @property
    def is_run(self) -> bool:
        return self.kinds[0] != self.kinds[-1]

    @property
    def is_triplet(self) -> bool:
        return len(self.kinds) == 3 and not self.is_run

    @property
    def natural(self) -> tuple[Kind, ...]:
        """The tiles in it that are not wild, in order."""
        left = list(self.kinds)
        for kind in self.wild:
            left.remove(kind)
        return tuple(left)

    def __str__(self) -> str:
        wild = list(self.wild)
        texts = []
        for kind in reversed(self.kinds):
            stands = kind in wild
            if stands:
                wild.remove(kind)
            texts.append(face_of(kind) + "*" * stands)
        return " ".join(reversed(texts))


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
        """What the wild tiles stand for, in order."""
        return tuple(sorted(kind for group in self.groups for kind in group.wild))

    def __str__(self) -> str:
        return ", ".join(map(str, self.groups))


def readings(counts: Counts, wild: int = 0) -> Iterator[Reading]:
    """Every reading as sets and a pair, each once; those with plainer sets come first.

    The hand has any size that sets and a pair can have; wild tiles stand for any kind, even for
    a fifth tile of one.
    """
    for groups in _ways(counts, wild, need_pair=True, lead=-1, order=0):
        pair = next(group for group in groups if group.is_pair)
        yield Reading(tuple(group for group in groups if group is not pair), pair)


def groups_with(counts: Counts, kind: Kind, wild: int = 0) -> Iterator[Group]:
    """Every group that one tile of that kind stands in, in some reading of the hand.

    The tile is there (it was just won) and is not wild.
    """
    for group in _holding(kind):
        rest = counts.less(group.natural)
        if rest is not None and short_of(rest, pair=not group.is_pair).fits(wild - len(group.wild)):
            yield group


def sets_within(counts: Counts, wild: int = 0) -> Iterator[tuple[Group, Counts]]:
    """Every run or triplet that can be taken out of a hand, and the tiles then left."""
    for group in _every():
        if not group.is_pair and len(group.wild) <= wild:
            rest = counts.less(group.natural)
            if rest is not None:
                yield group, rest


@dataclass(frozen=True, slots=True)
class Missing:
    """How many wild tiles a hand is short of; three more are another set."""

    tiles: int

    def fits(self, wild: int) -> bool:
        """Whether so many wild tiles fill it, none left over."""
        return wild >= self.tiles and (wild - self.tiles) % 3 == 0


def short_of(counts: Counts, *, pair: bool) -> Missing:
    """How many wild tiles these tiles need to be sets alone, or sets and a pair."""
    each = (
        SUIT_SHORT[counts[0]],
        SUIT_SHORT[counts[1]],
        SUIT_SHORT[counts[2]],
        HONOURS_SHORT[counts[3]],
    )
    sets = sum(suit[0] for suit in each)
    return Missing(sets + min(suit[1] - suit[0] for suit in each) if pair else sets)


def _ways(
    counts: Counts, wild: int, *, need_pair: bool, lead: Kind, order: int
) -> Iterator[tuple[Group, ...]]:
    """All groups of the rest.

    The lowest tile leads the next group; groups that the same kind leads come in a fixed order, so
    that no reading is told twice.
    """
    kind = next(counts.kinds(), KINDS)
    if kind == KINDS and not wild:
        if not need_pair:
            yield ()
        return
    first = order if kind == lead else 0
    for at, group in enumerate(_led_by(kind)[first:], first):
        if group.is_pair and not need_pair:
            continue
        rest = counts.less(group.natural)
        left = wild - len(group.wild)
        still = need_pair and not group.is_pair
        if rest is None or not short_of(rest, pair=still).fits(left):
            continue
        for others in _ways(rest, left, need_pair=still, lead=kind, order=at):
            yield (group, *others)


@cache
def _led_by(kind: Kind) -> tuple[Group, ...]:
    """The groups whose lowest tile that is not wild has this kind; for KINDS, the all wild ones."""
    return tuple(
        group for group in _every() if (group.natural[0] if group.natural else KINDS) == kind
    )


@cache
def _holding(kind: Kind) -> tuple[Group, ...]:
    return tuple(group for group in _every() if kind in group.natural)


@cache
def _every() -> tuple[Group, ...]:
    """Every group there can be, those with fewer wild tiles first."""
    shapes = [(kind,) * 3 for kind in range(KINDS)]
    shapes += [(kind, kind + 1, kind + 2) for kind in range(HONOURS) if kind % SUIT <= SUIT - 3]
    pairs = [(kind,) * 2 for kind in range(KINDS)]
    return tuple(
        sorted(
            {
                Group(shape, tuple(kind for place, kind in enumerate(shape) if mask >> place & 1))
                for shape in (*shapes, *pairs)
                for mask in range(1 << len(shape))
            },
            key=lambda group: (len(group.wild), -len(group.kinds), group.kinds, group.wild),
        )
    )
