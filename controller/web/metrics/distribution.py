"""A histogram: how many values are in each class, and their sum."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass


@dataclass(frozen=True)
class Distribution:
    """The counts of one moment: one for each limit, and one for the values above the last limit.

    The counts are not cumulative.
    """

    limits: tuple[float, ...]
    classes: tuple[int, ...]
    total: float


class Histogram:
    """Takes values, and counts them in the classes with these upper limits."""

    def __init__(self, limits: tuple[float, ...]) -> None:
        self._limits = limits
        self._classes = [0] * (len(limits) + 1)
        self._total = 0.0

    def add(self, value: float) -> None:
        """Add one value."""
        self._classes[bisect_left(self._limits, value)] += 1
        self._total += value

    @property
    def distribution(self) -> Distribution:
        """The counts so far."""
        return Distribution(self._limits, tuple(self._classes), self._total)
