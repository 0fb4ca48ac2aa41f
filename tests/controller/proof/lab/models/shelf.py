"""The shelf shuffler of m shelves: exact laws after one pass, after Diaconis, Fulman and Holmes.

Tiles are taken from the bottom one by one. Each goes to a random shelf, and there on top of the
tiles or below them, all 2m possibilities equally likely. The shelves are then stacked. The
probability of an order depends only on its number of interior valleys (Annals of Applied
Probability 23, 2013). A pass of m shelves followed by one of l shelves has the law of one pass of
2ml shelves.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import comb, factorial

import numpy as np
from numpy.random import Generator

from controller.proof.lab.statistic import Orders


def valleys(order: tuple[int, ...]) -> int:
    """The number of places whose tile has a lower number than both tiles beside it."""
    beside = zip(order, order[1:], order[2:], strict=False)
    return sum(before > tile < after for before, tile, after in beside)


@cache
def orders_by_valleys(tiles: int) -> tuple[int, ...]:
    """The number of orders of `tiles` tiles with v interior valleys, for v from 0."""
    counts = [1]
    for n in range(1, tiles):
        most = n // 2  # interior valleys of n + 1 tiles
        before = [*counts, 0]
        counts = [
            (2 * v + 2) * before[v] + (n + 1 - 2 * v) * (before[v - 1] if v else 0)
            for v in range(min(most + 1, len(before)))
        ]
    return tuple(counts)


def probability(tiles: int, shelves: int, valley_count: int) -> Fraction:
    """The probability of each single order with that number of interior valleys."""
    return Fraction(_choices(tiles, shelves)[valley_count], _all_choices(tiles, shelves))


def total_variation(tiles: int, shelves: int) -> Fraction:
    """The total variation distance from uniform, from 0 (uniform) to 1."""
    orders, every = factorial(tiles), _all_choices(tiles, shelves)
    apart = sum(
        count * abs(choices * orders - every)
        for count, choices in zip(orders_by_valleys(tiles), _choices(tiles, shelves), strict=True)
    )
    return Fraction(apart, 2 * orders * every)


def separation(tiles: int, shelves: int) -> Fraction:
    """The separation distance from uniform: 1 - n! times the least probability of an order."""
    least = min(_choices(tiles, shelves))
    return 1 - Fraction(factorial(tiles) * least, _all_choices(tiles, shelves))


def largest_deviation(tiles: int, shelves: int) -> Fraction:
    """The L-infinity distance: the largest of |n! times the probability of an order - 1|."""
    orders, every = factorial(tiles), _all_choices(tiles, shelves)
    most = max(abs(orders * choices - every) for choices in _choices(tiles, shelves))
    return Fraction(most, every)


def passes_as_one(shelves: Sequence[int]) -> int:
    """The number of shelves whose one pass has the law of these passes in a row."""
    total = shelves[0]
    for each in shelves[1:]:
        total *= 2 * each
    return total


def fewest_shelves(tiles: int, distance: Fraction, step: int = 1) -> int:
    """The least multiple of `step` shelves whose total variation distance is below `distance`."""
    low, high = 0, step
    while total_variation(tiles, high) >= distance:
        low, high = high, 2 * high
    while high - low > step:
        middle = (low + high) // 2 // step * step
        if total_variation(tiles, middle) < distance:
            high = middle
        else:
            low = middle
    return high


def stacked(slots: Sequence[int], shelves: int) -> tuple[int, ...]:
    """The order that follows from the slot of each tile, listed from the top tile to the bottom.

    Slot 2s is the upper end of shelf s, slot 2s + 1 its lower end.
    """
    out: list[int] = []
    for shelf in range(shelves):
        # The bottom tile is placed first, so that the tiles on top lie in their old order.
        out += [tile for tile, slot in enumerate(slots) if slot == 2 * shelf]
        out += [tile for tile, slot in reversed(list(enumerate(slots))) if slot == 2 * shelf + 1]
    return tuple(out)


def _all_choices(tiles: int, shelves: int) -> int:
    """Twice the number of ways to choose a slot for each tile."""
    result: int = 2 * (2 * shelves) ** tiles
    return result


@cache
def _choices(tiles: int, shelves: int) -> tuple[int, ...]:
    """Of `_all_choices`, those that lead to one given order, by its number of interior valleys."""
    above = [comb(tiles + shelves - a - 1, tiles) for a in range(min(shelves, tiles))]
    return tuple(
        4 ** (v + 1) * sum(above[a] * comb(tiles - 1 - 2 * v, a - v) for a in range(v, len(above)))
        for v in range(len(orders_by_valleys(tiles)))
    )


def shelf_passes(chance: Generator, cycles: int, tiles: int, shelves: int) -> Orders:
    """Orders after one pass of a shelf shuffler."""
    slots = chance.integers(0, 2 * shelves, (cycles, tiles))
    numbers = np.arange(tiles)
    # Within a slot the tiles lie in their old order at an upper end, reversed at a lower end.
    within = np.where(slots % 2 == 0, numbers, tiles - 1 - numbers)
    return np.argsort(slots * tiles + within, axis=1, kind="stable")
