"""House ways: published rules for setting four tiles, and `set_hand`, which applies one.

A house way is a list of rules; the first that fits is played. `rules/games/pai_gow/ways.py` defines
the rules. Where a published text leaves a choice open, the docstring says what is played here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from rules.errors import RulesError
from rules.games.pai_gow.ranks import Half, Ranking
from rules.games.pai_gow.split import Split
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
"""The weakest low hand that most houses still play for: a three with 3-3 or stronger in it."""


@dataclass(frozen=True)
class HouseWay:
    """One house's way: its name, where it was published, and its rules in order."""

    name: str
    source: str
    rules: tuple[Rule, ...]

    def set(self, tiles: Iterable[Face], ranking: Ranking) -> Split:
        """These four tiles as this house sets them, whatever order they lie in."""
        return _set(self, tuple(sorted(tiles)), ranking)


def set_hand(
    tiles: Iterable[Face], house_way: str = "canberra", ranking: Ranking | None = None
) -> tuple[Half, Half]:
    """Four tiles as that house sets them: the high hand and the low one.

    Raises RulesError for tiles that are not four of one set, or a house way that nobody knows.
    """
    four = require_four(tiles)
    split = find_house_way(house_way).set(four, ranking or Ranking())
    return split.high, split.low


def find_house_way(name: str) -> HouseWay:
    """The house way of that name; raises RulesError with the names that exist."""
    if name not in HOUSE_WAYS:
        raise RulesError(f"There is no house way '{name}'; there are {', '.join(HOUSE_WAYS)}.")
    return HOUSE_WAYS[name]


def require_four(tiles: Iterable[Face]) -> tuple[Face, ...]:
    """The tiles themselves; raises RulesError if they are not four tiles of one set."""
    four, faces = tuple(tiles), tile_set("pai_gow_32").faces
    if len(four) != 4:
        raise RulesError(f"A pai gow hand has 4 tiles, not {len(four)}: {' '.join(four)}.")
    for face in four:
        if four.count(face) > faces.count(face):
            raise RulesError(
                f"{four.count(face)} x '{face}' lie in one hand, a pai gow set has"
                f" {faces.count(face)}; look at the tiles again."
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
"""The order in which the California sheet tells players to look: Gee Joon and every pair, which is
never parted, then Wong, Gong, a Teen or Day with a seven, and otherwise hands as level as they get.
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
"""The way with pair parting that American houses took for their model: pairs of 4, 5, 6, 10 and 11
stay, Gee Joon, Teen, Day, nines, eights and sevens part for the company that makes two good hands;
then high nine before Gong before Wong, then a level hand, or a high one where the low is hopeless.

Left out: the booklet's list of some twenty hands that it sets against its last rule (its C to K),
and its unwritten rule, which the copies that we read show only as pictures.
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
"""Numbers instead of company: a Teen, Day, nine, eight or seven parts where the two hands it makes
are good enough and the low one gains by it. Then the strong hands; then the fullest hands, the low
one first if it is a high three at least, else the high one if it reaches a seven, else the low one;
of the same numbers the stronger tile backs the weaker hand, unless the high hand is an eight or a
nine. The nine hands set by name come first, but for the one that the house restricts to no pair.

Played here: a strong hand over a low hand under a high three gives way to one that has a better low
hand, and only then to the strongest.
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
"""The state's rules print every company in which a pair parts. The strong hands go high nine, Gong,
Wong over a low hand of at least a three with 3-1 in it, else Wong, Gong, high nine. Without them
the low hand is made as good as it gets if that floor is reached, else the high hand if an eight can
be had, else the low one; the stronger of two tiles of like effect lies low while the low hand is a
seven or less.

Played here: over a low hand of eight or nine that tile lies high; the text that we read breaks off.
"""

HOUSE_WAYS: Mapping[str, HouseWay] = {
    way.name: way for way in (CANBERRA, FOXWOODS, NEW_ZEALAND, CALIFORNIA)
}
"""Every house way by its name."""
