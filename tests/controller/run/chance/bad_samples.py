"""Samples of an ideal source, and of sources and drawing methods with one known defect each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator

from controller.run.chance.laboratory import DICE, FEW, Sample

Method = Callable[[Generator, int, int], Any]
"""Draws a number of permutations of a number of tiles, one in each row."""
Source = Callable[[Generator, int, int], Sample]
"""Draws a sample of a number of cycles, with a set of a number of tiles."""


def every_order(chance: Generator, rows: int, size: int) -> Any:
    """Permutations that are all equally likely."""
    return chance.permuted(np.tile(np.arange(size), (rows, 1)), axis=1)


def permuted_by(method: Method) -> Source:
    """A source without a defect, whose permutations are drawn by `method`."""

    def sample(chance: Generator, cycles: int, tiles: int) -> Sample:
        orders, few = method(chance, cycles, tiles), method(chance, cycles, FEW)
        return Sample(chance.bytes(32 * cycles), orders, few, chance.integers(1, 7, DICE * cycles))

    return sample


ideal: Source = permuted_by(every_order)


def exchanging(partner: Callable[[Generator, int, int, int], Any], *, until: int = 1) -> Method:
    """Permutations by exchanges, from the last place down to the place `until`.

    `partner` draws the place with which each row exchanges a place: it gets the number of rows, the
    number of tiles, and the place.
    """

    def method(chance: Generator, rows: int, size: int) -> Any:
        orders, row = np.tile(np.arange(size), (rows, 1)), np.arange(rows)
        for place in range(size - 1, until - 1, -1):
            other = partner(chance, rows, size, place)
            kept = orders[:, place].copy()
            orders[:, place] = orders[row, other]
            orders[row, other] = kept
        return orders

    return method


fisher_yates = exchanging(lambda chance, rows, size, place: chance.integers(0, place + 1, rows))
sattolo = exchanging(lambda chance, rows, size, place: chance.integers(0, place, rows))
naive = exchanging(lambda chance, rows, size, place: chance.integers(0, size, rows), until=0)
too_early = exchanging(
    lambda chance, rows, size, place: chance.integers(0, place + 1, rows), until=2
)
remainders = exchanging(
    lambda chance, rows, size, place: chance.integers(0, 256, rows) % (place + 1)
)


def biased_bits(excess: float) -> Source:
    """Each bit of the shares is a one with the probability 1/2 + `excess`."""

    def sample(chance: Generator, cycles: int, tiles: int) -> Sample:
        bits = chance.random(256 * cycles) < 0.5 + excess
        return replace(ideal(chance, cycles, tiles), shares=np.packbits(bits).tobytes())

    return sample


def biased_top_bits(excess: float) -> Source:
    """The highest bit of each byte of the shares is a one with the probability 1/2 + `excess`."""

    def sample(chance: Generator, cycles: int, tiles: int) -> Sample:
        bits = chance.integers(0, 2, (32 * cycles, 8), dtype=np.uint8)
        bits[:, 0] = chance.random(32 * cycles) < 0.5 + excess
        return replace(ideal(chance, cycles, tiles), shares=np.packbits(bits).tobytes())

    return sample


def repeated_share(chance: Generator, cycles: int, tiles: int) -> Sample:
    """One share of all cycles is that of another cycle."""
    sample = ideal(chance, cycles, tiles)
    one, other = 32 * chance.choice(cycles, 2, replace=False)
    shares = bytearray(sample.shares)
    shares[one : one + 32] = shares[other : other + 32]
    return replace(sample, shares=bytes(shares))


def loaded_dice(excess: float) -> Source:
    """The six comes more often than once in six throws by the relative `excess`."""

    def sample(chance: Generator, cycles: int, tiles: int) -> Sample:
        six = (1 + excess) / 6
        faces = chance.choice(6, DICE * cycles, p=[(1 - six) / 5] * 5 + [six]) + 1
        return replace(ideal(chance, cycles, tiles), faces=faces)

    return sample


def sticking_dice(share: float) -> Source:
    """In a share of the throws the face is that of the throw before."""

    def sample(chance: Generator, cycles: int, tiles: int) -> Sample:
        throws = DICE * cycles
        thrown = np.where(chance.random(throws) >= share, np.arange(throws), 0)
        faces = chance.integers(1, 7, throws)[np.maximum.accumulate(thrown)]
        return replace(ideal(chance, cycles, tiles), faces=faces)

    return sample


def dice_by_remainder(values: int) -> Source:
    """A face is the remainder, by 6, of a number below `values`."""

    def sample(chance: Generator, cycles: int, tiles: int) -> Sample:
        faces = chance.integers(0, values, DICE * cycles) % 6 + 1
        return replace(ideal(chance, cycles, tiles), faces=faces)

    return sample
