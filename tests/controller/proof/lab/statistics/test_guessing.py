from __future__ import annotations

from itertools import permutations
from math import sqrt

import numpy as np
import pytest

from controller.proof.lab.guessing import (
    guessing_mean,
    guessing_standard_deviation,
    guessing_variance,
)
from controller.proof.lab.statistic import uniform

SCORES = {
    28: (3.9272, 1.522),
    32: (4.0585, 1.563),
    52: (4.5380, 1.707),
    136: (5.4935, 1.964),
    144: (5.5505, 1.978),
}


@pytest.mark.parametrize("tiles", SCORES)
def test_mean_and_deviation_of_the_guessing_score(tiles: int) -> None:
    mean, deviation = SCORES[tiles]
    assert round(float(guessing_mean(tiles)), 4) == mean
    assert round(guessing_standard_deviation(tiles), 3) == deviation


def test_the_variance_of_the_guessing_score_equals_a_count_of_all_orders() -> None:
    scores = []
    for order in permutations(range(6)):
        left = list(range(6))
        score = 0
        for tile in order:
            score += tile == left[0]
            left.remove(tile)
        scores.append(score)
    assert np.mean(scores) == pytest.approx(float(guessing_mean(6)))
    assert np.var(scores) == pytest.approx(float(guessing_variance(6)))


def test_sampled_orders_are_uniform() -> None:
    orders = uniform(np.random.default_rng(3), 24_000, 4)
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(counts) == 24
    assert np.sum((counts - 1000) ** 2 / 1000) < 49.7  # chi-square of 23, 0.1 %


def test_colour_changes_of_a_perfect_shuffle() -> None:
    """26 red and 26 black cards: 26 changes of colour with a deviation of 3.6."""
    red = uniform(np.random.default_rng(4), 4000, 52) < 26
    changes = np.sum(red[:, 1:] != red[:, :-1], axis=1)
    assert abs(np.mean(changes) - 26) < 4 * 3.57 / sqrt(4000)
    assert np.std(changes) == pytest.approx(3.57, abs=0.15)
