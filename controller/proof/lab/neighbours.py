"""Statistics of neighbours: adjacency retained, rising sequences, clustering, longest kept block.

A kept block is a run of tiles that come out one after the other exactly as they went in. The exact
law of the longest one: an order whose kept blocks divide the tiles into b blocks arranges these b
blocks without keeping two together, which d(b) orders of b things do (1, 1, 3, 11, 53, ...). The
number of divisions of n tiles into b blocks of at most L tiles is counted by inclusion and
exclusion.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import comb, expm1, factorial, log1p, sqrt

import numpy as np
from numpy.typing import NDArray

from controller.proof.lab.statistic import (
    POWER,
    Description,
    FailureLevel,
    Orders,
    StatisticResult,
    judge_mean,
    places_of,
)

ADJACENCY = Description(
    "adjacency_retained",
    "Neighbours kept together",
    "pairs a cycle",
    "additional pairs a cycle",
    "tiles that went in one after the other and come out side by side, in either direction",
)
RISING = Description(
    "rising_sequences",
    "Rising sequences",
    "sequences a cycle",
    "additional sequences a cycle",
    "parts of the old order that were only interleaved, as by a riffle; too many sequences mean a"
    " reversed order",
)
CLUSTERING = Description(
    "set_clustering",
    "Tiles of a set side by side",
    "pairs a cycle",
    "additional pairs a cycle",
    "sets of the last hand, pushed in together, whose tiles stay together in any order",
)


def adjacency_retained(orders: Orders, threshold: FailureLevel) -> StatisticResult:
    """Count the pairs of places side by side whose tiles went in one after the other."""
    pairs = np.sum(np.abs(np.diff(orders, axis=1)) == 1, axis=1)
    n = orders.shape[1]
    mean = 2 * (n - 1) / n
    # Pairs of kept pairs: two that share a tile can be kept in 2 ways, two others in 4 ways.
    products = 4 * (n - 2) ** 2 / (n * (n - 1))
    return judge_mean(ADJACENCY, pairs, mean, sqrt(products + mean - mean**2), threshold)


def rising_sequences(orders: Orders, threshold: FailureLevel) -> StatisticResult:
    """Count the rising sequences of each cycle."""
    rising = 1 + np.sum(np.diff(places_of(orders), axis=1) < 0, axis=1)
    n = orders.shape[1]
    return judge_mean(RISING, rising, (n + 1) / 2, sqrt((n + 1) / 12), threshold)


def set_clustering(
    orders: Orders, sets: Sequence[object], threshold: FailureLevel
) -> StatisticResult:
    """Count the pairs of places side by side whose tiles are of one set.

    `sets` gives the set of each tile in drop order; None is a tile of no set. At least one set must
    have two tiles.
    """
    # Each tile of no set becomes a set of its own.
    named = [("alone", number) if each is None else each for number, each in enumerate(sets)]
    numbers = {each: number for number, each in enumerate(dict.fromkeys(named))}
    groups = np.array([numbers[each] for each in named])[orders]
    pairs = np.sum(groups[:, 1:] == groups[:, :-1], axis=1)
    mean, deviation = like_neighbours(list(Counter(named).values()))
    return judge_mean(CLUSTERING, pairs, mean, deviation, threshold)


def like_neighbours(sizes: Sequence[int]) -> tuple[float, float]:
    """Mean and standard deviation of the pairs of neighbours of one kind in a random row.

    `sizes` are the numbers of tiles of each kind. Derived from the chances that two, three and two
    separate pairs of places hold tiles of one kind each.
    """
    n = sum(sizes)
    twos = [g * (g - 1) for g in sizes]
    threes = sum(g * (g - 1) * (g - 2) for g in sizes)
    fours = sum(g * (g - 1) * (g - 2) * (g - 3) for g in sizes)
    mean = sum(twos) / n
    shared = threes / (n * (n - 1) * (n - 2)) if n > 2 else 0.0
    apart = sum(twos) ** 2 - sum(two**2 for two in twos) + fours
    separate = apart / (n * (n - 1) * (n - 2) * (n - 3)) if n > 3 else 0.0
    squares = mean + 2 * (n - 2) * shared + (n - 2) * (n - 3) * separate
    return mean, sqrt(squares - mean**2)


LONGEST = Description(
    "longest_kept_block",
    "Longest kept block",
    "tiles, longest block of all cycles",
    "share of the cycles with a block that fails",
    "a part of the walls that sometimes comes out unmixed",
)


def longest_kept_block(orders: Orders, threshold: FailureLevel) -> StatisticResult:
    """Judge the longest block of all cycles by its exact law."""
    cycles, tiles = orders.shape
    longest = longest_blocks(orders)
    observed = int(longest.max())
    failing = next(
        length for length in range(2, tiles + 2) if _any(length, tiles, cycles) <= threshold.level
    )
    # Blocks of 20 tiles have a probability below 1e-22 in 1,000 cycles of 144 tiles.
    beyond = [_any(length, tiles, cycles) for length in range(1, min(tiles, 20) + 1)]
    mean = sum(beyond)
    squares = sum((2 * length - 1) * chance for length, chance in enumerate(beyond, 1))
    return StatisticResult(
        LONGEST.name,
        LONGEST.title,
        LONGEST.unit,
        observed,
        mean,
        sqrt(squares - mean**2),
        _any(observed, tiles, cycles),
        float(np.mean(longest >= failing)),
        f"share of the cycles with a block of at least {failing} tiles",
        1 - (1 - POWER) ** (1 / cycles),
        LONGEST.finds,
    )


def longest_blocks(orders: Orders) -> NDArray[np.int64]:
    """The length of the longest kept block of each cycle, at least 1."""
    kept = np.diff(orders, axis=1) == 1
    longest = np.ones(len(orders), dtype=np.int64)
    length = longest.copy()
    for column in kept.T:
        length = np.where(column, length + 1, 1)
        np.maximum(longest, length, out=longest)
    return longest


@cache
def chance_of_block(length: int, tiles: int) -> Fraction:
    """The probability of a kept block of at least `length` tiles after a perfect shuffle."""
    most = length - 1
    without = sum(
        _divisions(tiles, blocks, most) * _nothing_kept(blocks) for blocks in range(1, tiles + 1)
    )
    return 1 - Fraction(without, factorial(tiles))


def _any(length: int, tiles: int, cycles: int) -> float:
    """The probability that one of several cycles has a block of at least `length` tiles."""
    chance = float(chance_of_block(length, tiles))
    return 1.0 if chance >= 1 else -expm1(cycles * log1p(-chance))


def _divisions(tiles: int, blocks: int, most: int) -> int:
    """The number of divisions of a row of tiles into blocks of 1 to `most` tiles."""
    if most < 1:
        return 0
    return sum(
        (-1) ** over * comb(blocks, over) * comb(tiles - over * most - 1, blocks - 1)
        for over in range(min(blocks, (tiles - blocks) // most) + 1)
    )


@cache
def _nothing_kept(blocks: int) -> int:
    """The number of orders in which no thing is followed by the next one."""
    if blocks < 3:
        return 1
    return (blocks - 1) * _nothing_kept(blocks - 1) + (blocks - 2) * _nothing_kept(blocks - 2)
