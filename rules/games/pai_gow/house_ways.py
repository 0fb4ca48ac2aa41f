"""House ways: published rules for setting four tiles, and `set_hand`, which applies one.

A house way is a list of rules; the first one that applies is played. `ways` defines the rules. If a
published text leaves a choice open, the docstring of the house way states our interpretation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from rules.errors import RulesError
from rules.games.pai_gow.ranking import Half, Ranking, Split
from rules.games.pai_gow.ways import (
    Balance,
    Exactly,
    FourTiles,
    KeepPair,
    PartInto,
    PartWith,
    PlayStrong,
    Rule,
    TwoPairs,
)
from rules.tiles import Face, tile_set

_HIGH_THREE = "3:H6"
"""The lowest low hand that most houses prefer to a better high hand: a three with 3-3 or a stronger
tile."""


@dataclass(frozen=True)
class HouseWay:
    """The way of one house: its name, its publication, and its rules in order."""

    name: str
    source: str
    rules: tuple[Rule, ...]

    def set(self, tiles: Iterable[Face], ranking: Ranking) -> Split:
        """The split of four tiles, in any order, that this house plays."""
        return _set(self, tuple(sorted(tiles)), ranking)


def set_hand(
    tiles: Iterable[Face], house_way: str = "canberra", ranking: Ranking | None = None
) -> tuple[Half, Half]:
    """The high hand and the low hand of four tiles as that house sets them.

    Raises RulesError for tiles that are not four of one set, and for an unknown house way.
    """
    four = require_four(tiles)
    split = find_house_way(house_way).set(four, ranking or Ranking())
    return split.high, split.low


def find_house_way(name: str) -> HouseWay:
    """The house way of that name. Raises RulesError for an unknown name."""
    if name not in HOUSE_WAYS:
        raise RulesError(f"There is no house way '{name}'; choose one of {', '.join(HOUSE_WAYS)}.")
    return HOUSE_WAYS[name]


def require_four(tiles: Iterable[Face]) -> tuple[Face, ...]:
    """Returns the tiles. Raises RulesError if they are not four tiles of one set."""
    four, faces = tuple(tiles), tile_set("pai_gow_32").faces
    if len(four) != 4:
        raise RulesError(f"A pai gow hand has 4 tiles, not {len(four)}: {' '.join(four)}.")
    for face in four:
        if four.count(face) > faces.count(face):
            raise RulesError(
                f"The hand has '{face}' {four.count(face)} times, but a pai gow set has it"
                f" {faces.count(face)} times; read the tiles again."
            )
    return four


@cache
def _set(way: HouseWay, tiles: tuple[Face, ...], ranking: Ranking) -> Split:
    hand = FourTiles(tiles, ranking)
    found = (rule.choose(hand) for rule in way.rules)
    return next(split for split in found if split is not None)


CALIFORNIA = HouseWay(
    "california",
    "California Attorney General, sheet on pai gow tiles",
    rules=(
        TwoPairs(),
        KeepPair(),
        PlayStrong(("wong", "gong", "high nine")),
        Balance(),
    ),
)
"""The order of the California sheet. Pairs, including Gee Joon, are never parted. Next come Wong,
Gong and the high nine (a Teen or a Day with a seven). Otherwise the best low hand is played.
"""

FOXWOODS = HouseWay(
    "foxwoods",
    "Foxwoods, booklet of the training centre, February 1997",
    rules=(
        TwoPairs(),
        PartWith("gee", "6 4, 6 5, 6 6"),
        PartWith("2/12", "9 11"),
        PartInto("2/12", (("6", "8"),)),
        PartWith("9", "2 10, 2 12, 10 12, 10 10"),
        PartWith("8", "2 10, 2 11, 2 12, 10 10, 10 11, 10 12, 11 12, 9 11"),
        PartWith("7", "2 10, 2 11, 2 12, 10 10, 10 11, 10 12, 11 12"),
        KeepPair(),
        Exactly("2/12 9 8 11", high="wong"),
        Exactly("2/12 9 7 11", high="wong"),
        Exactly("2/12 8 7 4", high="gong"),
        Exactly("2/12 L8 7 5", high="gong"),
        PlayStrong(("high nine", "gong", "wong")),
        Balance(floor=_HIGH_THREE, boost="7", top_goes_high=("8", "9")),
    ),
)
"""A way with pair parting that American houses used as their model. Pairs of 4, 5, 6, 10 and 11 are
kept. Gee Joon, Teen, Day, nines, eights and sevens are parted if the other two tiles allow two good
hands. Next a high nine is preferred to a Gong, and a Gong to a Wong. Otherwise the best low hand is
played; if that is weak, the best high hand.

Not implemented: the booklet's list of some twenty exceptions to its last rule (its C to K), and its
unwritten rule, which the copies that we read show only as pictures.
"""

CANBERRA = HouseWay(
    "canberra",
    "Casino Canberra, rules of pai gow",
    rules=(
        Exactly("12 12 9 11", high="wong"),
        Exactly("H8 H10 11 7", low="7", high="9"),
        Exactly("gee 6 5 2/12", low="7", high="9"),
        Exactly("H8 L8 9 L10", low="7:H8", high="8"),
        Exactly("H6 L6 gee 7", low="3:H6", high="9"),
        Exactly("2/12 9 8 L4", high="gong"),
        Exactly("H6 L6 11 5", high="7:H6"),
        Exactly("H8 L8 9 L4", high="7:H8"),
        TwoPairs(),
        PartInto("2/12", (("6", "8"),)),
        PartInto("9", (("9", "9"),)),
        PartInto("8", (("7", "9"), ("8", "8"))),
        PartInto("7", (("7", "9:2/12"),)),
        KeepPair(),
        Exactly("gee 4 5 any", high="9"),
        PlayStrong(("high nine", "gong", "wong"), _HIGH_THREE, ("wong", "gong", "high nine")),
        Balance(
            floor=_HIGH_THREE,
            boost="7",
            top_goes_high=("0", "8"),
            boosts_by_number=True,
            fullest=True,
        ),
    ),
)
"""Hands that the house names come first, except the one that it restricts to hands without a pair.
A pair of Teen, Day, nines, eights or sevens is parted if the two resulting hands are good enough
and the low hand becomes better. Next come the strong hands. Otherwise only the splits are
considered whose two numbers have the largest sum. Of these the house plays the best low hand if it
is at least a high three; else the best high hand if it is at least a seven; else the best low hand.
Of splits into the same numbers, the stronger tile goes to the low hand, or to the high hand if that
is an eight or a nine.

Our interpretation: a strong hand with a low hand under a high three is played only if no strong
hand has a better low hand; the strongest of them is played then.
"""

NEW_ZEALAND = HouseWay(
    "new_zealand",
    "New Zealand, gazetted rules of casino games, pai gow",
    rules=(
        TwoPairs(),
        PartWith("gee", "6 6, 6 5, 6 4"),
        PartWith("2/12", "9 11, 9 8, 9 7, 9 6, 9 5, 9 4, 8 8, 8 7, 8 6, 8 5, 8 4"),
        PartWith("2/12", "7 7, 7 6, 7 5, 7 4, 6 6, 6 5, 6 4"),
        PartWith("9", "2 12, 2/12 10, 10 10"),
        PartWith("8", "2 12, 2/12 11, 2/12 10, 11 10, 11 9, 10 10"),
        PartWith("7", "2 12, 2/12 11, 2/12 10, 11 10, 10 10"),
        KeepPair(),
        PlayStrong(("high nine", "gong", "wong"), "3:H4", ("wong", "gong", "high nine")),
        Balance(floor="3:H4", boost="8", top_goes_high=("8", "0"), boosts_by_number=True),
    ),
)
"""The state's rules list all pairs of other tiles with which a pair is parted. The order of the
strong hands is high nine, Gong, Wong if the low hand is at least a three with 3-1; otherwise it is
Wong, Gong, high nine. Without a strong hand the best low hand is played if it reaches the same
floor; else the best high hand if it is at least an eight; else the best low hand. Of splits into
the same numbers, the stronger tile goes to the low hand while the low hand is a seven or less.

Our interpretation: with a low hand of eight or nine that tile goes to the high hand; the text that
we read breaks off there.
"""

HOUSE_WAYS: Mapping[str, HouseWay] = {
    way.name: way for way in (CANBERRA, FOXWOODS, NEW_ZEALAND, CALIFORNIA)
}
"""The house ways by their names."""
