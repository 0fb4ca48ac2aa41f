"""Both probability tables, compared with an enumeration that uses no code of the rules.

In this file a tile is a pair of numbers, and a hand is compared with the named hands from the
highest to the lowest. The best high hand is the best of all six pairs of tiles: the other half is
never better.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from rules.games.pai_gow.optimum import RankRow, high_hand_table, two_tile_table
from rules.games.pai_gow.ranking import Ranking

Tile = tuple[int, int]

TWICE = [(6, 6), (1, 1), (4, 4), (1, 3), (5, 5), (3, 3), (2, 2), (5, 6), (4, 6), (1, 6), (1, 5)]
ONCE = [(3, 6), (4, 5), (3, 5), (2, 6), (3, 4), (2, 5), (1, 4), (2, 3), (2, 4), (1, 2)]
WOODPILE = TWICE + TWICE + ONCE
NAMES = ["Teen", "Day", "Yun", "Gor", "Mooy", "Chong", "Bon", "Foo", "Ping", "Tit", "Look"]
MIXED = {9: "nines", 8: "eights", 7: "sevens", 5: "fives"}


def name_of(one: Tile, other: Tile) -> str:
    """The name of two tiles."""
    sums = sorted((sum(one), sum(other)))
    if {one, other} == {(2, 4), (1, 2)}:
        return "Gee Joon"
    if one == other:
        return f"pair of {NAMES[TWICE.index(one)]}"
    if one in ONCE and other in ONCE and sums[0] == sums[1]:
        return f"mixed pair of {MIXED[sums[0]]}"
    for royal, title in (((6, 6), "Teen"), ((1, 1), "Day")):
        if royal in (one, other):
            partner = other if one == royal else one
            if sum(partner) in (8, 9):
                return f"{title} {'Gong' if sum(partner) == 8 else 'Wong'}"
    wild = [tile for tile in (one, other) if tile in ((2, 4), (1, 2))]
    if not wild:
        return str(sum(sums) % 10)
    rest = other if one == wild[0] else one
    return str(max((sum(rest) + 3) % 10, (sum(rest) + 6) % 10))


DOWN = ["Gee Joon", *(f"pair of {name}" for name in NAMES)]
DOWN += [f"mixed pair of {name}" for name in MIXED.values()]
DOWN += ["Teen Wong", "Day Wong", "Teen Gong", "Day Gong", *"9876543210"]


def counted(rows: tuple[RankRow, ...]) -> dict[str, int]:
    return {row.name: row.count for row in rows}


def test_the_counts_of_the_496_two_tile_hands_agree_with_the_enumeration() -> None:
    table = two_tile_table()
    assert counted(table) == Counter(name_of(*half) for half in combinations(WOODPILE, 2))
    assert [row.name for row in table] == DOWN
    assert sum(row.count for row in table) == table[0].hands == 496


@pytest.mark.slow
def test_the_counts_of_the_best_high_hands_of_all_35960_hands_agree_with_the_enumeration() -> None:
    best: Counter[str] = Counter()
    for four in combinations(WOODPILE, 4):
        names = [name_of(*half) for half in combinations(four, 2)]
        best[min(names, key=DOWN.index)] += 1
    table = high_hand_table()
    assert counted(table) == best
    assert [row.name for row in table] == [name for name in DOWN if name in best]
    assert sum(best.values()) == table[0].hands == table[-1].at_least == 35_960


def test_the_weakest_best_high_hand_is_a_3() -> None:
    assert high_hand_table()[-1].name == "3"


def test_the_tables_do_not_depend_on_the_rank_of_a_single_gee_joon_tile() -> None:
    assert two_tile_table(Ranking("both_lowest")) == two_tile_table()
    assert sum(row.probability for row in high_hand_table()) == 1
