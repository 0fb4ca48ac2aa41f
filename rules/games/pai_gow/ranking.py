"""The ranking of two-tile hands in pai gow (4.1, 4.2), as a total order.

From the top: Gee Joon, the eleven identical pairs, the four mixed pairs, Wong (a Teen or a Day with
a nine), Gong (a Teen or a Day with an eight), and the numbers 9 to 0; of equal numbers the stronger
single tile decides. Values of `Rank` compare with `<` and `==`; equal ranks are a copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache, lru_cache
from itertools import combinations_with_replacement
from typing import Literal

from rules.errors import NotationError, RulesError
from rules.tiles import PAI_GOW_PAIRS, Face, tile_set

Half = tuple[Face, Face]
"""Two tiles that are played together: the low hand or the high hand."""
GeeJoonSingle = Literal["split", "both_lowest"]
TEEN, DAY = "6-6", "1-1"
GEE_JOON = ("4-2", "2-1")
NAMES: Mapping[Face, str] = dict(
    zip(
        PAI_GOW_PAIRS,
        ("Teen", "Day", "Yun", "Gor", "Mooy", "Chong", "Bon", "Foo", "Ping", "Tit", "Look"),
        strict=True,
    )
)
"""The names of the tiles that occur twice, strongest first (4.1)."""
MIXED: Mapping[int, Half] = {
    9: ("6-3", "5-4"),
    8: ("5-3", "6-2"),
    7: ("4-3", "5-2"),
    5: ("4-1", "3-2"),
}
"""The mixed pairs by the pips of their tiles, strongest first (4.1: 13 to 16)."""


class RankKind(IntEnum):
    """The kinds of a two-tile hand, weakest first (4.2)."""

    NUMBER = 0
    GONG = 1
    WONG = 2
    PAIR = 3
    GEE_JOON = 4


@dataclass(frozen=True, order=True, slots=True)
class Rank:
    """The rank of two tiles.

    `points` are the points of a number. `tile` is the place, in the order of single tiles, of the
    tile that decides between equal kinds and points: the stronger tile of a number, the Teen or Day
    of a Wong or Gong, the tile of a pair. `name` is the rank as a text without the deciding tile of
    a number: "pair of Yun", "Day Wong", "7".
    """

    kind: RankKind
    points: int
    tile: int
    name: str = field(compare=False)

    @property
    def is_zero(self) -> bool:
        return self.kind == RankKind.NUMBER and self.points == 0

    @property
    def is_pair(self) -> bool:
        """Whether it is Gee Joon, an identical pair or a mixed pair."""
        return self.kind >= RankKind.PAIR

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Ranking:
    """The ranking of one house.

    `gee_joon_single`: the place of a Gee Joon tile among single tiles: 4-2 between the sevens and
    the fives and 2-1 last, or both last (4.2). `zeros_alike`: two hands of 0 are equal, regardless
    of their tiles (PG-19).
    """

    gee_joon_single: GeeJoonSingle = "split"
    zeros_alike: bool = True

    def rank(self, half: Half) -> Rank:
        """The rank of these two tiles, in any order.

        Raises RulesError for tiles that the set does not have, or does not have twice.
        """
        try:
            return _ranks(self)[half]
        except KeyError:
            raise RulesError(
                f"{' '.join(half)} are not two tiles of one pai gow set; write them as 6-6 5-4."
            ) from None

    def single(self, face: Face) -> int:
        """The place of a single tile; the strongest has the highest number."""
        return _singles(self.gee_joon_single)[tile_set("pai_gow_32").require(face)]


def pips(face: Face) -> int:
    """The sum of the dots of both ends."""
    high, _, low = face.partition("-")
    return int(high) + int(low)


def points(half: Half) -> int:
    """The points of two tiles, without tens; the Gee Joon tiles count 3 or 6 (4.2, PG-20)."""
    first, second = ((3, 6) if face in GEE_JOON else (pips(face),) for face in half)
    return max((one + other) % 10 for one in first for other in second)


@cache
def _singles(gee_joon_single: GeeJoonSingle) -> Mapping[Face, int]:
    """The place of each face among single tiles; the tiles of a mixed pair share a place.

    If both Gee Joon tiles are last, they share a place too. This changes no result: in a number the
    other tile is always the stronger one.
    """
    rows: list[tuple[Face, ...]] = [(face,) for face in PAI_GOW_PAIRS]
    rows += [MIXED[9], MIXED[8], MIXED[7]]
    six, three = GEE_JOON
    split: list[tuple[Face, ...]] = [(six,), MIXED[5], (three,)]
    rows += split if gee_joon_single == "split" else [MIXED[5], GEE_JOON]
    return {face: place for place, row in enumerate(reversed(rows), 1) for face in row}


@cache
def _ranks(ranking: Ranking) -> Mapping[Half, Rank]:
    """The rank of every two tiles of the set, in both orders."""
    faces = tile_set("pai_gow_32").faces
    ranks: dict[Half, Rank] = {}
    for one, other in combinations_with_replacement(dict.fromkeys(faces), 2):
        if one != other or faces.count(one) == 2:
            ranks[one, other] = ranks[other, one] = _rank(ranking, (one, other))
    return ranks


def _rank(ranking: Ranking, half: Half) -> Rank:
    places = _singles(ranking.gee_joon_single)
    top, other = sorted(half, key=lambda face: -places[face])
    if set(half) == set(GEE_JOON):
        return Rank(RankKind.GEE_JOON, 0, 0, "Gee Joon")
    if top == other:
        return Rank(RankKind.PAIR, 0, places[top], f"pair of {NAMES[top]}")
    for value, mixed in MIXED.items():
        if set(half) == set(mixed):
            return Rank(RankKind.PAIR, 0, places[top], f"mixed pair of {_PLURALS[value]}")
    number = points(half)
    if top in (TEEN, DAY) and other not in GEE_JOON:
        if pips(other) == 9:
            return Rank(RankKind.WONG, 0, places[top], f"{NAMES[top]} Wong")
        if pips(other) == 8:
            return Rank(RankKind.GONG, 0, places[top], f"{NAMES[top]} Gong")
    decides = 0 if number == 0 and ranking.zeros_alike else places[top]
    return Rank(RankKind.NUMBER, number, decides, str(number))


_PLURALS = {9: "nines", 8: "eights", 7: "sevens", 5: "fives"}
WAYS = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
"""The three ways to divide four tiles into two pairs, as indices."""
_REMEMBERED = 1 << 14
"""Hands whose splits are remembered; the tiles of one set form 8,130 different hands."""


@dataclass(frozen=True, slots=True)
class Split:
    """Four tiles as a high and a low hand.

    Each half has its tiles in the order of the tile set. The high hand cannot be the weaker one
    (4.2; `is_legal`). The text of a split is its high hand, a slash and its low hand:
    `6-6 5-4 / 1-1 3-1`.
    """

    high: Half
    low: Half

    def __post_init__(self) -> None:
        object.__setattr__(self, "high", _in_order(self.high))
        object.__setattr__(self, "low", _in_order(self.low))

    @property
    def tiles(self) -> tuple[Face, ...]:
        return self.high + self.low

    def exchanged(self) -> Split:
        """The split with its two hands exchanged."""
        return Split(self.low, self.high)

    def __str__(self) -> str:
        return f"{' '.join(self.high)} / {' '.join(self.low)}"


def splits(tiles: Iterable[Face], ranking: Ranking) -> tuple[Split, ...]:
    """Every different split of four tiles (one to three), each with its stronger half high.

    Of halves of equal rank, the half with the stronger tile is high.
    """
    return _splits(tuple(tiles), ranking)


def settings(tiles: Iterable[Face], ranking: Ranking) -> tuple[Split, ...]:
    """Every legal way to set four tiles: all splits; those with equal halves in both orders."""
    return _settings(tuple(tiles), ranking)


@lru_cache(_REMEMBERED)
def _splits(four: tuple[Face, ...], ranking: Ranking) -> tuple[Split, ...]:
    found: dict[Split, None] = {}
    for (a, b), (c, d) in WAYS:
        split = Split((four[a], four[b]), (four[c], four[d]))
        if _strength(split.high, ranking) < _strength(split.low, ranking):
            split = split.exchanged()
        found[split] = None
    return tuple(found)


@lru_cache(_REMEMBERED)
def _settings(four: tuple[Face, ...], ranking: Ranking) -> tuple[Split, ...]:
    each = []
    for split in _splits(four, ranking):
        each.append(split)
        if is_legal(split.exchanged(), ranking) and split.exchanged() != split:
            each.append(split.exchanged())
    return tuple(each)


def is_legal(split: Split, ranking: Ranking) -> bool:
    """Whether the high hand is not weaker than the low hand (4.2)."""
    return ranking.rank(split.high) >= ranking.rank(split.low)


def parse_split(text: str) -> Split:
    """Parses the text of a split.

    Raises NotationError for any other text, and for a tile that the set does not have.
    """
    halves = [tuple(half.split()) for half in text.split("/")]
    match halves:
        case [(a, b), (c, d)] if all(face in tile_set("pai_gow_32") for face in (a, b, c, d)):
            return Split((a, b), (c, d))
    raise NotationError(
        f"'{text}' is not a split; write the high hand, a slash and the low hand, as"
        " 6-6 5-4 / 1-1 3-1."
    )


def _in_order(half: Half) -> Half:
    one, other = half
    return half if _place(one) <= _place(other) else (other, one)


@cache
def _place(face: Face) -> int:
    pile = tile_set("pai_gow_32")
    return pile.faces.index(pile.require(face))


def _strength(half: Half, ranking: Ranking) -> tuple[object, ...]:
    return ranking.rank(half), max(ranking.single(face) for face in half), half
