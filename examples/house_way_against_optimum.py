"""Pai gow: compares the results of a house way of setting four tiles with the best split.

python examples/house_way_against_optimum.py
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

from rules import tile_set
from rules.games.pai_gow import Parameters
from rules.games.pai_gow.house_ways import find_house_way
from rules.games.pai_gow.optimum import commission_of, opposition, optimum

HANDS = 200


def main() -> None:
    """Set random hands in both ways, and compute the result against every hand of the banker."""
    chance, house = Random(11), Parameters()
    way = find_house_way("canberra")
    opposite = opposition(way, house, "player")
    commission = commission_of(house, "player")
    differ, by_way, at_best = 0, Fraction(0), Fraction(0)
    for _ in range(HANDS):
        tiles = chance.sample(tile_set("pai_gow_32").faces, 4)
        usual, best = way.set(tiles, house.ranking), optimum(tiles)
        differ += usual != best
        by_way += opposite.odds(usual).expected(commission)
        at_best += opposite.odds(best).expected(commission)
    print(f"of {HANDS} hands the house way sets {differ} differently from the optimum")
    print(f"mean result for a stake of 1: {float(by_way / HANDS):+.4f} the house way,", end=" ")
    print(f"{float(at_best / HANDS):+.4f} the optimum")


if __name__ == "__main__":
    main()
