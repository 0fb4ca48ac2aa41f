"""Statistics of neighbours: adjacency retained, rising sequences, and clustering of sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt

import numpy as np

from controller.proof.lab.models.samplers import Orders, places_of
from controller.proof.lab.statistics.result import (
    Description,
    FailureLevel,
    StatisticResult,
    judge_mean,
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
