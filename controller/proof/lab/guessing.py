"""The guessing score with complete feedback: how many tiles a player guesses who sees each one.

A player guesses each tile before it is turned up, and sees it afterwards. After a perfect shuffle
every order is equally likely, and the guess with k tiles left is right with probability 1 / k,
whatever the player's rule is, as long as the player guesses a tile that has not come out yet. Mean
and deviation are therefore exact for both players below.
"""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from controller.proof.lab.position import PARTS, counts_by_groups, in_parts
from controller.proof.lab.statistic import (
    Description,
    FailureLevel,
    Orders,
    StatisticResult,
    judge_mean,
)


def guessing_mean(tiles: int) -> Fraction:
    """The mean number of right guesses: the harmonic number H(n)."""
    return sum((Fraction(1, left) for left in range(1, tiles + 1)), Fraction(0))


def guessing_variance(tiles: int) -> Fraction:
    """The variance of the number of right guesses."""
    return sum((Fraction(left - 1, left**2) for left in range(1, tiles + 1)), Fraction(0))


def guessing_standard_deviation(tiles: int) -> float:
    """The standard deviation of the number of right guesses."""
    return sqrt(guessing_variance(tiles))


BY_RULE = Description(
    "guessing_by_rule",
    "Guessing score of a player who remembers the drop order",
    "right guesses a cycle",
    "additional right guesses a cycle",
    "old order that a player can use who saw the tiles go in",
)
BY_RECORD = Description(
    "guessing_by_record",
    "Guessing score of a player who has watched earlier cycles",
    "right guesses a cycle",
    "additional right guesses a cycle",
    "any habit of the machine that an observer can learn from the first half of the cycles",
)
PRIOR = 20.0
"""The weight of the assumption of a perfect shuffle, as a number of tiles seen."""


def guessing_by_rule(orders: Orders, threshold: FailureLevel) -> StatisticResult:
    """The score of the player who guesses the nearest tile in the direction of the last step."""
    return _judge(BY_RULE, scores_by_rule(orders), orders.shape[1], threshold)


def guessing_by_record(orders: Orders, threshold: FailureLevel) -> StatisticResult:
    """The score in the second half of the cycles of a player who has watched the first half."""
    half = len(orders) // 2
    scores = scores_by_record(orders[:half], orders[half:])
    return _judge(BY_RECORD, scores, orders.shape[1], threshold)


def scores_by_rule(orders: Orders) -> NDArray[np.int64]:
    """The right guesses in each cycle.

    The player first guesses tile 0, then always the nearest tile that is left in the direction, up
    or down, of the last step. This is the best known rule for a shelf shuffler.
    """
    cycles, tiles = orders.shape
    rows = np.arange(cycles)
    # Column t + 1 has the nearest tiles above and below tile t that are left; -1 and n are ends.
    above = np.tile(np.arange(tiles + 2), (cycles, 1))
    below = above - 2
    higher, lower = np.zeros(cycles, dtype=np.int64), np.full(cycles, -1)
    upwards = np.ones(cycles, dtype=np.bool_)
    last = lower
    scores = np.zeros(cycles, dtype=np.int64)
    for place in range(tiles):
        tile = orders[:, place]
        goes_up = (upwards & (higher < tiles)) | (lower < 0)
        scores += np.where(goes_up, higher, lower) == tile
        upwards, last = tile > last, tile
        higher, lower = above[rows, tile + 1], below[rows, tile + 1]
        above[rows, lower + 1] = higher
        below[rows, higher + 1] = lower
    return scores


def scores_by_record(watched: Orders, orders: Orders) -> NDArray[np.int64]:
    """The right guesses in each of `orders` of a player who has watched the cycles `watched`.

    The player learns how often each eighth of the tiles came to each eighth of the places, and
    which difference the numbers of two tiles in a row had, and guesses the likeliest tile.
    """
    cycles, tiles = orders.shape
    eighths = in_parts(tiles, PARTS)
    hazards = _learned_hazards(watched, eighths)
    steps = _learned_steps(watched)
    rows, numbers = np.arange(cycles), np.arange(tiles)
    left = np.ones((cycles, tiles))
    scores = np.zeros(cycles, dtype=np.int64)
    last: NDArray[np.int64] | None = None
    for place in range(tiles):
        weights = left * hazards[eighths, place]
        if last is not None:
            weights *= steps[numbers[None, :] - last[:, None] + tiles - 1]
        tile = orders[:, place]
        scores += np.argmax(weights, axis=1) == tile
        left[rows, tile] = 0.0
        last = tile
    return scores


def _learned_hazards(watched: Orders, eighths: Any) -> NDArray[np.float64]:
    """For each eighth of the tiles and each place: the learned chance to come out there.

    The chance is that of a tile that has not come out at an earlier place.
    """
    counts = counts_by_groups(watched, eighths, eighths)
    sizes = np.bincount(eighths)
    expected = len(watched) * np.outer(sizes, sizes) / watched.shape[1]
    by_place = ((counts + PRIOR) / (expected + PRIOR))[:, eighths]
    later = np.cumsum(by_place[:, ::-1], axis=1)[:, ::-1]
    hazards: NDArray[np.float64] = by_place / later
    return hazards


def _learned_steps(watched: Orders) -> NDArray[np.float64]:
    """How much more often than by chance each difference between two tiles in a row came."""
    cycles, tiles = watched.shape
    steps = np.diff(watched, axis=1) + tiles - 1
    counts = np.bincount(steps.ravel(), minlength=2 * tiles - 1)
    # Of all ordered pairs of tiles, n - |d| have the difference d; each is as likely as another.
    expected = cycles * (tiles - np.abs(np.arange(1 - tiles, tiles))) / tiles
    ratios: NDArray[np.float64] = (counts + PRIOR) / (expected + PRIOR)
    return ratios


def _judge(
    about: Description, scores: NDArray[np.int64], tiles: int, threshold: FailureLevel
) -> StatisticResult:
    mean, deviation = float(guessing_mean(tiles)), guessing_standard_deviation(tiles)
    return judge_mean(about, scores, mean, deviation, threshold)
