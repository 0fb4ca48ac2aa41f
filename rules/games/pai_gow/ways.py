"""Building blocks of a house way: rules that choose one of the splits of four tiles.

Houses publish their way as a list of rules; the first one that applies is played. A rule here is a
frozen value whose method `choose` returns a split, or None if the rule does not apply. Tiles are
named by their pips, as houses name them. If two kinds have the same pips, `H` is the identical pair
that ranks higher and `L` the other kind:

    2  5  9  11  12      4  6  7  8  10, each alone or with H or L in front
    2/12 (a Day or a Teen)      gee (4-2 or 2-1)      any

A floor such as `7`, `9:2/12`, `gong` or `3:H6` is the lowest rank of that name: the number 7, a
nine with a Teen or a Day, any Gong, a three whose stronger tile is at least 3-3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations
from typing import Literal, Protocol

from rules.games.pai_gow.ranking import (
    DAY,
    GEE_JOON,
    MIXED,
    TEEN,
    Rank,
    Ranking,
    RankKind,
    Split,
    splits,
)
from rules.tiles import Face, tile_set

TILE_NAMES: Mapping[str, tuple[Face, ...]] = {
    "2": (DAY,),
    "12": (TEEN,),
    "2/12": (DAY, TEEN),
    "11": ("6-5",),
    "H10": ("5-5",),
    "L10": ("6-4",),
    "10": ("5-5", "6-4"),
    "9": MIXED[9],
    "H8": ("4-4",),
    "L8": MIXED[8],
    "8": ("4-4", *MIXED[8]),
    "H7": ("6-1",),
    "L7": MIXED[7],
    "7": ("6-1", *MIXED[7]),
    "H6": ("3-3",),
    "L6": ("5-1",),
    "6": ("3-3", "5-1"),
    "5": MIXED[5],
    "H4": ("3-1",),
    "L4": ("2-2",),
    "4": ("3-1", "2-2"),
    "gee": GEE_JOON,
    "any": tuple(dict.fromkeys(tile_set("pai_gow_32").faces)),
}
Strong = Literal["high nine", "gong", "wong"]


@dataclass(frozen=True)
class FourTiles:
    """Four tiles as input of a house way, with all splits and the ranks of their halves."""

    tiles: tuple[Face, ...]
    ranking: Ranking

    @cached_property
    def splits(self) -> tuple[Split, ...]:
        return splits(self.tiles, self.ranking)

    @cached_property
    def pairless(self) -> tuple[Split, ...]:
        """The splits in which no hand is a pair."""
        return tuple(split for split in self.splits if not self.high(split).is_pair)

    def high(self, split: Split) -> Rank:
        return self.ranking.rank(split.high)

    def low(self, split: Split) -> Rank:
        return self.ranking.rank(split.low)

    def reaches(self, split: Split, low: str = "0", high: str = "0") -> bool:
        """Whether both hands are at least as good as these floors."""
        return self.low(split) >= floor(low, self.ranking) and (
            self.high(split) >= floor(high, self.ranking)
        )


class Rule(Protocol):
    """One rule of a house way."""

    def choose(self, hand: FourTiles) -> Split | None: ...


@dataclass(frozen=True)
class TwoPairs:
    """Play two pairs as the two hands."""

    def choose(self, hand: FourTiles) -> Split | None:
        return _first(split for split in hand.splits if hand.low(split).is_pair)


@dataclass(frozen=True)
class KeepPair:
    """Play a pair as the high hand, if no earlier rule has parted it."""

    def choose(self, hand: FourTiles) -> Split | None:
        return _first(split for split in hand.splits if hand.high(split).is_pair)


@dataclass(frozen=True)
class PartWith:
    """Part a pair if the other two tiles are among `others` ("9 11, 9 8").

    Of the two remaining splits, the one with the better low hand is played.
    """

    pair: str
    others: str

    def choose(self, hand: FourTiles) -> Split | None:
        for split in hand.splits:
            if _is_pair_of(self.pair, hand, split) and any(
                fits(names, split.low) for names in self.others.split(", ")
            ):
                return max(hand.pairless, key=hand.low, default=None)
        return None


@dataclass(frozen=True)
class PartInto:
    """Part a pair if the low hand improves and both hands reach one of `floors` (low, high)."""

    pair: str
    floors: tuple[tuple[str, str], ...]

    def choose(self, hand: FourTiles) -> Split | None:
        for kept in hand.splits:
            if _is_pair_of(self.pair, hand, kept):
                parted = (
                    split
                    for split in hand.pairless
                    if hand.low(split) > hand.low(kept)
                    and any(hand.reaches(split, low, high) for low, high in self.floors)
                )
                return max(parted, key=hand.low, default=None)
        return None


@dataclass(frozen=True)
class Exactly:
    """With exactly these four tiles, play this high or low hand.

    A hand is written like a floor, but is met exactly: "9", "gong", "7:H6" (3-3 is the stronger
    tile).
    """

    tiles: str
    high: str = ""
    low: str = ""

    def choose(self, hand: FourTiles) -> Split | None:
        if not fits(self.tiles, hand.tiles):
            return None
        named = (
            split
            for split in hand.splits
            if _has_name(self.high, hand.high(split), hand.ranking)
            and _has_name(self.low, hand.low(split), hand.ranking)
        )
        return max(named, key=hand.high, default=None)


@dataclass(frozen=True)
class PlayStrong:
    """Play a high nine (a nine with a Teen or a Day), a Gong or a Wong, preferred in that `order`.

    A split with two of them is played first. If no such split has a low hand of at least `floor`,
    the order of preference is `otherwise`. Of equal splits, the one with the stronger tile in the
    high hand (the Teen) is played.
    """

    order: tuple[Strong, ...]
    floor: str = "0"
    otherwise: tuple[Strong, ...] = ()

    def choose(self, hand: FourTiles) -> Split | None:
        strong = [split for split in hand.splits if _strong(hand.high(split), hand.ranking)]
        both = [split for split in strong if _strong(hand.low(split), hand.ranking)]
        if both:
            return max(both, key=hand.high)
        enough = [split for split in strong if hand.reaches(split, low=self.floor)]
        order = self.order if enough or not self.otherwise else self.otherwise
        return max(
            enough or strong,
            key=lambda split: (_preference(order, hand, split), hand.high(split)),
            default=None,
        )


@dataclass(frozen=True)
class Balance:
    """The last rule, for tiles without a pair or a strong hand.

    It plays the best low hand; but if that is under `floor` and a high hand of at least `boost` is
    possible, it plays the best high hand. Of splits into the same two numbers, the strongest tile
    goes to the low hand, or to the high hand if both hands reach `top_goes_high` (low, high). After
    a boost that choice is made only with `boosts_by_number`. `fullest` limits the choice to the
    splits whose two numbers have the largest sum.
    """

    floor: str = "0"
    boost: str = "0"
    top_goes_high: tuple[str, str] = ("10", "10")
    boosts_by_number: bool = False
    fullest: bool = False

    def choose(self, hand: FourTiles) -> Split | None:
        pool = hand.splits
        if self.fullest:
            most = max(_total(hand, split) for split in pool)
            pool = tuple(split for split in pool if _total(hand, split) == most)
        found = max(pool, key=lambda split: (hand.low(split), hand.high(split)))
        highest = max(pool, key=lambda split: (hand.high(split), hand.low(split)))
        if not hand.reaches(found, low=self.floor) and hand.reaches(highest, high=self.boost):
            found = highest
            if not self.boosts_by_number:
                return found
        alike = [split for split in pool if _numbers(hand, split) == _numbers(hand, found)]
        top_half = hand.high if hand.reaches(found, *self.top_goes_high) else hand.low
        return max(alike, key=top_half)


@cache
def floor(name: str, ranking: Ranking) -> Rank:
    """The lowest rank of that name."""
    kinds = {"gong": RankKind.GONG, "wong": RankKind.WONG}
    if name in kinds:
        return Rank(kinds[name], 0, 0, name)
    number, _, tile = name.partition(":")
    least = min(ranking.single(face) for face in TILE_NAMES[tile]) if tile else 0
    return Rank(RankKind.NUMBER, int(number), least, name)


@cache
def fits(names: str, tiles: tuple[Face, ...]) -> bool:
    """Whether these tiles, in any order, are those that `names` lists."""
    named = [TILE_NAMES[name] for name in names.split()]
    if len(named) != len(tiles) or any(set(tiles).isdisjoint(faces) for faces in named):
        return False
    return any(
        all(face in faces for face, faces in zip(order, named, strict=True))
        for order in permutations(tiles)
    )


def _is_pair_of(name: str, hand: FourTiles, split: Split) -> bool:
    return hand.high(split).is_pair and all(face in TILE_NAMES[name] for face in split.high)


def _has_name(name: str, rank: Rank, ranking: Ranking) -> bool:
    """Whether the rank is exactly the named one; an empty name allows any rank."""
    if not name:
        return True
    least = floor(name, ranking)
    return (rank.kind, rank.points) == (least.kind, least.points) and (
        ":" not in name or rank.tile == least.tile
    )


def _strong(rank: Rank, ranking: Ranking) -> Strong | None:
    match rank.kind:
        case RankKind.WONG:
            return "wong"
        case RankKind.GONG:
            return "gong"
        case RankKind.NUMBER if rank >= floor("9:2/12", ranking):
            return "high nine"
    return None


def _preference(order: tuple[Strong, ...], hand: FourTiles, split: Split) -> int:
    found = _strong(hand.high(split), hand.ranking)
    assert found is not None
    return -order.index(found)


def _numbers(hand: FourTiles, split: Split) -> tuple[int, int, int, int]:
    high, low = hand.high(split), hand.low(split)
    return high.kind, high.points, low.kind, low.points


def _total(hand: FourTiles, split: Split) -> int:
    return hand.high(split).points + hand.low(split).points


def _first(found: Iterable[Split]) -> Split | None:
    return next(iter(found), None)
