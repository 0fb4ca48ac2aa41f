"""What every statistic uses: orders as arrays, the result, p values and power.

A statistic compares observed orders with a perfect shuffle. It has an exact expectation under a
perfect shuffle, a p value, and the size of the effect that this number of cycles finds with 99 %
probability. Statistics are functions of orders only, so they judge simulated and recorded cycles in
the same way. Holm's correction gives the p values of several tests one false alarm rate for all of
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import chi2, ncx2, norm

Orders = NDArray[np.int64]
"""Orders, one in each row: the tile numbers by place, as explained in `controller.proof.lab`."""


def uniform(chance: Generator, cycles: int, tiles: int) -> Orders:
    """Orders of a perfect shuffle."""
    return np.argsort(chance.random((cycles, tiles)), axis=1, kind="stable")


def as_orders(rows: Sequence[Sequence[int]]) -> Orders:
    """Orders of equal length as an array."""
    return np.array(rows, dtype=np.int64)


def places_of(orders: Orders) -> Orders:
    """The place of each tile, by its number: the inverse of each order."""
    places = np.empty_like(orders)
    np.put_along_axis(places, orders, np.arange(orders.shape[1])[None, :], axis=1)
    return places


FALSE_ALARMS = 0.01
"""The probability that a perfect shuffle fails any statistic of a laboratory."""


POWER = 0.99
"""The probability with which an effect of the stated size is found."""


@dataclass(frozen=True)
class StatisticResult:
    """The result of one statistic of a number of cycles.

    `observed`, `expectation` and `standard_error` are in `unit`. `effect` is the estimated size of
    the deviation in `effect_unit`, and `detectable` the least size that this number of cycles finds
    with the probability `POWER`. `finds` names the kind of defect that the statistic finds.
    """

    name: str
    title: str
    unit: str
    observed: float
    expectation: float
    standard_error: float
    p_value: float
    effect: float
    effect_unit: str
    detectable: float
    finds: str

    @property
    def deviation(self) -> float:
        """The distance between observation and expectation in standard errors."""
        return (self.observed - self.expectation) / self.standard_error


@dataclass(frozen=True)
class Description:
    """What a statistic is called, its unit, and the defect that it finds."""

    name: str
    title: str
    unit: str
    effect_unit: str
    finds: str


@dataclass(frozen=True)
class FailureLevel:
    """When a single statistic counts as failed: a p value of at most `level`."""

    level: float

    @classmethod
    def among(cls, statistics: int) -> FailureLevel:
        """The strictest level that Holm's correction applies to one of several statistics."""
        return cls(FALSE_ALARMS / statistics)


def judge_mean(
    about: Description,
    values: NDArray[np.float64] | NDArray[np.int64],
    mean: float,
    standard_deviation: float,
    threshold: FailureLevel,
) -> StatisticResult:
    """Judge a statistic that has one value for each cycle, by the normal law of its mean.

    `mean` and `standard_deviation` are those of one cycle after a perfect shuffle.
    """
    error = standard_deviation / sqrt(len(values))
    observed = float(np.mean(values))
    return StatisticResult(
        about.name,
        about.title,
        about.unit,
        observed,
        mean,
        error,
        float(2 * norm.sf(abs(observed - mean) / error)),
        observed - mean,
        about.effect_unit,
        detectable_shift(standard_deviation, len(values), threshold),
        about.finds,
    )


def judge_shares(
    about: Description,
    observed: float,
    freedom: int,
    cycles: int,
    tiles: int,
    threshold: FailureLevel,
) -> StatisticResult:
    """Judge a chi-square of places; its effect is a mean relative deviation of the chances."""
    excess = max(0.0, observed - freedom) / (cycles * (tiles - 1))
    return StatisticResult(
        about.name,
        about.title,
        about.unit,
        observed,
        freedom,
        sqrt(2 * freedom * (cycles - 1) / cycles),
        float(chi2.sf(observed, freedom)),
        sqrt(excess),
        about.effect_unit,
        detectable_shares(freedom, cycles, tiles, threshold),
        about.finds,
    )


def detectable_shift(standard_deviation: float, cycles: int, threshold: FailureLevel) -> float:
    """The least shift of a mean that this number of cycles finds with the probability `POWER`."""
    far: float = norm.isf(threshold.level / 2) + norm.isf(1 - POWER)
    return float(far * standard_deviation / sqrt(cycles))


def detectable_shares(freedom: int, cycles: int, tiles: int, threshold: FailureLevel) -> float:
    """The least mean relative deviation that a chi-square finds with the probability `POWER`."""
    return sqrt(_centrality(freedom, threshold.level) / (cycles * (tiles - 1)))


@cache
def _centrality(freedom: int, level: float) -> float:
    """The least non-centrality at which a chi-square exceeds its limit with probability `POWER`."""
    limit = chi2.isf(level, freedom)

    def missing(centrality: float) -> float:
        return float(ncx2.sf(limit, freedom, centrality)) - POWER

    return float(brentq(missing, 1e-9, 20 * sqrt(freedom) + 200))


def cycles_needed(result: StatisticResult, cycles: int, effect: float) -> int:
    """The number of cycles that find an effect of this size with the probability `POWER`.

    `result` was computed from `cycles` cycles. Both kinds of effect that this file judges shrink
    with the square root of the number of cycles.
    """
    return int(np.ceil(cycles * (result.detectable / effect) ** 2))


def corrected(p_values: Sequence[float]) -> list[float]:
    """The corrected p values, in the order of the given ones (Holm, 1979).

    The smallest of m values is multiplied by m, the next by m - 1, and so on; none is smaller than
    the one before it. No assumption is made on how the tests depend on each other.
    """
    by_size = sorted(range(len(p_values)), key=lambda number: p_values[number])
    result = [0.0] * len(p_values)
    least = 0.0
    for rank, number in enumerate(by_size):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[number]))
        result[number] = least
    return result
