"""The longest kept block: tiles that come out one after the other exactly as they went in.

The exact law: an order whose kept blocks divide the tiles into b blocks arranges these b blocks
without keeping two together, which d(b) orders of b things do (1, 1, 3, 11, 53, ...). The number of
divisions of n tiles into b blocks of at most L tiles is counted by inclusion and exclusion.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb, expm1, factorial, log1p, sqrt

import numpy as np
from numpy.typing import NDArray

from controller.proof.lab.models.samplers import Orders
from controller.proof.lab.statistics.result import POWER, Description, FailureLevel, StatisticResult

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
