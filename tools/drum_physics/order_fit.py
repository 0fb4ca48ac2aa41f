"""Fits the order of the picks: how much more often a tile follows one of its own heap.

The constant is the one with the largest likelihood of all stored picks. Its error is from leaving
out one run at a time (jackknife).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import mean, stdev
from typing import Any

from config.layout.mixing import FittedMixing, excess_of, heaps_of, spread_after
from tools.drum_physics.measures import rank_correlation
from tools.drum_physics.setting import WHOLE_SET, pan_of

ORDER = ("follows",)
"""Names of the constants of the mixing model that are fitted to the order of the picks."""


class PickedRun:
    """The picks of one run as arrays, so that their likelihood is computed quickly."""

    def __init__(self, run: Any, spread: FittedMixing) -> None:
        import numpy as np

        count = run["setting"]["tiles"]
        self._excess = excess_of(
            spread_after(pan_of(run["setting"]), len(run["segregation"]), spread)
        )
        picked, heap = [tile for tile, _, _ in run["picks"]], np.array(heaps_of(count))
        left = np.ones(count, dtype=bool)
        same, other, is_same = [], [], []
        for last, tile in zip([None, *picked], picked, strict=False):
            own = left & (heap == (-1 if last is None else heap[last]))
            same.append(own.sum())
            other.append(left.sum() - own.sum())
            is_same.append(own[tile])
            left[tile] = False
        self._same, self._other, self._is_same = map(np.array, (same, other, is_same))

    def log_likelihood(self, follows: float) -> float:
        """The log probability of the run's order of picks."""
        import numpy as np

        gain = follows * self._excess
        total = self._same * np.exp(gain) + self._other
        return float((gain * self._is_same - np.log(total)).sum())


def fit_order(runs: Sequence[Any], spread: FittedMixing) -> tuple[FittedMixing, list[FittedMixing]]:
    """The constants of `spread` with that of the order, and the fits without one run each."""
    picked = [PickedRun(run, spread) for run in runs if run["picks"]]
    without = [_largest(picked[:at] + picked[at + 1 :], spread) for at in range(len(picked))]
    return _largest(picked, spread), without


def _largest(picked: Sequence[PickedRun], spread: FittedMixing) -> FittedMixing:
    from scipy.optimize import minimize_scalar

    def unlikelihood(follows: float) -> float:
        return -sum(run.log_likelihood(follows) for run in picked)

    found = minimize_scalar(unlikelihood, bounds=(-2.0, 5.0), method="bounded")
    return replace(spread, follows=float(found.x))


def drop_order_correlation(runs: Sequence[Any]) -> tuple[float, float, int]:
    """Mean correlation of the order of falling with that of the picks, its error, and the runs.

    Above 0 is first in, first out. Only runs with a whole set count.
    """
    import numpy as np

    found = [
        rank_correlation(np.array(run["drop_order"]), [tile for tile, _, _ in run["picks"]])
        for run in runs
        if run["picks"] and run["setting"]["tiles"] == WHOLE_SET
    ]
    return mean(found), stdev(found) / len(found) ** 0.5, len(found)
