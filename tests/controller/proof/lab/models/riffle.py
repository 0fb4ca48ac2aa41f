"""The riffle shuffle after Gilbert, Shannon and Reeds: exact laws after a number of riffles.

The deck is cut binomially and its two parts are interleaved, all interleavings equally likely. k
riffles have the law of one shuffle of a = 2^k parts. The probability of an order depends only on
its number r of rising sequences: C(a + n - r, n) / a^n (Bayer and Diaconis, 1992).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb, factorial

import numpy as np
from numpy.random import Generator

from controller.proof.lab.statistic import Orders, places_of


def rising_sequences(order: tuple[int, ...]) -> int:
    """The number of rising sequences: 1, and 1 more for each tile v + 1 that lies before tile v."""
    place = {tile: at for at, tile in enumerate(order)}
    return 1 + sum(place[tile + 1] < place[tile] for tile in range(len(order) - 1))


@cache
def eulerian(tiles: int) -> tuple[int, ...]:
    """The number of orders of `tiles` tiles with r rising sequences, for r from 1 to `tiles`."""
    counts = [1]
    for n in range(2, tiles + 1):
        before = [0, *counts, 0]
        counts = [r * before[r] + (n - r + 1) * before[r - 1] for r in range(1, n + 1)]
    return tuple(counts)


def probability(tiles: int, riffles: int, rising: int) -> Fraction:
    """The probability of each single order with `rising` rising sequences."""
    parts: int = 2**riffles
    return Fraction(comb(parts + tiles - rising, tiles), parts**tiles)


def total_variation(tiles: int, riffles: int) -> Fraction:
    """The total variation distance from uniform, from 0 (uniform) to 1."""
    parts, orders = 2**riffles, factorial(tiles)
    every: int = parts**tiles
    apart = sum(
        count * abs(comb(parts + tiles - rising, tiles) * orders - every)
        for rising, count in enumerate(eulerian(tiles), 1)
    )
    return Fraction(apart, 2 * orders * every)


def separation(tiles: int, riffles: int) -> Fraction:
    """The separation distance from uniform: 1 - n! times the least probability of an order."""
    return 1 - factorial(tiles) * probability(tiles, riffles, tiles)


def mean_rising_sequences(tiles: int, riffles: int) -> Fraction:
    """The mean number of rising sequences; (n + 1) / 2 after a uniform shuffle."""
    parts: int = 2**riffles
    every: int = parts**tiles
    powers: int = sum(number**tiles for number in range(1, parts))
    return parts - Fraction((tiles + 1) * powers, every)


def top_tile_total_variation(tiles: int, riffles: int) -> Fraction:
    """The total variation distance between the place of the top tile and a uniform place.

    Each place has a part drawn at random; the top tile comes out at the first place of the lowest
    part that was drawn at all.
    """
    parts: int = 2**riffles
    every: int = parts**tiles
    apart = 0
    for place in range(tiles):
        after = tiles - 1 - place
        here = sum(
            (parts - part) ** place * (parts - part + 1) ** after for part in range(1, parts + 1)
        )
        apart += abs(here * tiles - every)
    return Fraction(apart, 2 * tiles * every)


def best_guessing_score(tiles: int) -> Fraction:
    """The mean number of right guesses of an optimal player after one riffle.

    The player guesses each tile before it is turned up, and sees it afterwards. As long as the
    tiles come in their old order, the next of them is the likeliest. The first other tile shows the
    cut, and from then on the player guesses the part of which more tiles are left.
    """
    total = 0
    for seen in range(tiles):
        left = tiles - seen - 1
        total += 2**left + seen + 1
        total += sum(_right_guesses(cut, left - cut) for cut in range(1, left + 1))
    return Fraction(total, 2**tiles)


@cache
def _right_guesses(one: int, other: int) -> int:
    """Right guesses in all interleavings of two parts together, if their sizes are known."""
    if not one or not other:
        return one + other
    # Of the interleavings, C(one + other - 1, most - 1) begin with a tile of the larger part.
    first = comb(one + other - 1, max(one, other) - 1)
    return first + _right_guesses(one - 1, other) + _right_guesses(one, other - 1)


def riffles(chance: Generator, cycles: int, tiles: int, times: int) -> Orders:
    """Orders after a number of riffles by the model of Gilbert, Shannon and Reeds."""
    parts = chance.integers(0, 2**times, (cycles, tiles))
    # The places of a part receive its tiles in their old order.
    return places_of(np.argsort(parts, axis=1, kind="stable"))
