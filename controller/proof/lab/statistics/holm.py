"""Holm's correction of the p values of several tests, for one false alarm rate of all."""

from __future__ import annotations

from collections.abc import Sequence


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
