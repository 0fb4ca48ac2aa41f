"""Statistics of displacement: how far tiles move, and whether early tiles come out early."""

from __future__ import annotations

from math import sqrt

import numpy as np

from controller.proof.lab.models.samplers import Orders
from controller.proof.lab.statistics.result import (
    Description,
    FailureLevel,
    StatisticResult,
    judge_mean,
)

DISPLACEMENT = Description(
    "displacement",
    "Displacement",
    "places, mean over the tiles",
    "additional places",
    "tiles that stay near their place in the order (too small), or change ends (too large)",
)
CORRELATION = Description(
    "order_correlation",
    "Drop order against place",
    "rank correlation",
    "rank correlation",
    "first in, first out (above 0) and last in, first out (below 0)",
)


def displacement(orders: Orders, threshold: FailureLevel) -> StatisticResult:
    """The mean distance between a tile's number and its place: Spearman's footrule."""
    n = orders.shape[1]
    distances = np.mean(np.abs(orders - np.arange(n)), axis=1)
    deviation = sqrt((n + 1) * (2 * n**2 + 7) / 45) / n
    return judge_mean(DISPLACEMENT, distances, (n**2 - 1) / (3 * n), deviation, threshold)


def order_correlation(orders: Orders, threshold: FailureLevel) -> StatisticResult:
    """Spearman's rank correlation between drop order and place."""
    n = orders.shape[1]
    centred = np.arange(n) - (n - 1) / 2
    products = (orders - (n - 1) / 2) @ centred
    values = products / (n * (n**2 - 1) / 12)
    return judge_mean(CORRELATION, values, 0.0, 1 / sqrt(n - 1), threshold)
