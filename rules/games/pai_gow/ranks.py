"""The ranking of two-tile hands in pai gow (4.1, 4.2), as a total order.

From the top: Gee Joon, the eleven identical pairs, the four mixed pairs, Wong (a Teen or a Day with
a nine), Gong (one of them with an eight), and the numbers 9 to 0, within which the stronger single
tile decides. `Rank`s compare with `<` and `==`; equal ranks are a copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from itertools import combinations_with_replacement
from typing import Literal

from rules.errors import RulesError
from rules.tiles import PAI_GOW_PAIRS, Face, tile_set

Half = tuple[Face, Face]
"""Two tiles that are played together: the low hand or the high one."""
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
"""The tiles that come twice, by their names in the trade, strongest first (4.1)."""
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
    """The worth of two tiles.

    `points` are a number's; `tile` is the place of what decides next in the order of single tiles:
    a number's stronger tile, a Wong's or Gong's Teen or Day, a pair's own tile. `name` is the rank
    without the tile of a number: "pair of Yun", "Day Wong", "7".
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
        """Gee Joon, an identical or a mixed pair."""
        return self.kind >= RankKind.PAIR

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Ranking:
    """The ranking of one house.

    `gee_joon_single`: where a lone Gee Joon tile stands among single tiles, 2-4 between the sevens
    and the fives and 1-2 last, or both last (4.2). `zeros_alike`: two hands of 0 are equal,
    whatever their tiles (PG-19).
    """

    gee_joon_single: GeeJoonSingle = "split"
    zeros_alike: bool = True

    def rank(self, half: Half) -> Rank:
        """The rank of these two tiles, in any order.

        Raises RulesError for tiles that the set has not, or has not twice.
        """
        try:
            return _ranks(self)[half]
        except KeyError:
            raise RulesError(
                f"{' '.join(half)} are no two tiles of one pai gow set; write them as 6-6 5-4."
            ) from None

    def single(self, face: Face) -> int:
        """The place of a single tile, the strongest highest."""
        return _singles(self.gee_joon_single)[tile_set("pai_gow_32").require(face)]


def pips(face: Face) -> int:
    """The dots of both ends."""
    high, _, low = face.partition("-")
    return int(high) + int(low)


def points(half: Half) -> int:
    """The number that two tiles make, tens dropped; Gee Joon's tiles count 3 or 6 (4.2, PG-20)."""
    first, second = ((3, 6) if face in GEE_JOON else (pips(face),) for face in half)
    return max((one + other) % 10 for one in first for other in second)


@cache
def _singles(gee_joon_single: GeeJoonSingle) -> Mapping[Face, int]:
    """Each face's place among single tiles; tiles of a mixed pair share theirs.

    Where both Gee Joon tiles are last they share a place too. No hand can tell: their partner in a
    number is always the stronger tile.
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
