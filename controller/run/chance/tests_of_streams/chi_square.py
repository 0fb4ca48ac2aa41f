"""The result of a statistical test, and the chi-square test of counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from rules.errors import WallwrightError


class TooFewSamplesError(WallwrightError, ValueError):
    """A test got fewer samples than its approximation permits; the message has both numbers."""


@dataclass(frozen=True)
class StreamTest:
    """One test: its name, its statistic, and its p value.

    The p value is the probability that an ideal source gives a result as extreme as this one or
    more so. `question` says in words what the test finds.
    """

    name: str
    question: str
    statistic: float
    p: float


def chi_square(
    name: str, question: str, counts: Any, probabilities: Any, *, freedom: int | None = None
) -> StreamTest:
    """Compare counts with the probabilities of an ideal source.

    `freedom` is the number of degrees of freedom; by default the number of counts minus one. Raises
    TooFewSamplesError if a count is expected fewer than five times.
    """
    seen = np.asarray(counts, dtype=float)
    expected = np.asarray(probabilities, dtype=float) * seen.sum()
    if expected.min() < 5.0:
        raise TooFewSamplesError(
            f"The test '{name}' expects {expected.min():.1f} samples in its rarest class and needs"
            " 5; draw more."
        )
    statistic = float(((seen - expected) ** 2 / expected).sum())
    degrees = seen.size - 1 if freedom is None else freedom
    return StreamTest(name, question, statistic, float(special.chdtrc(degrees, statistic)))


def two_sided(name: str, question: str, z: float) -> StreamTest:
    """The test of a value that is normal with mean 0 and standard deviation 1."""
    return StreamTest(name, question, z, math.erfc(abs(z) / math.sqrt(2.0)))


def holm(values: Sequence[float]) -> tuple[float, ...]:
    """The p values corrected for their number by the method of Holm.

    The smallest of m values is multiplied by m, the next one by m - 1, and so on. An ideal source
    then fails any of the tests at 1 % with a probability of at most 1 %.
    """
    corrected = [0.0] * len(values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=lambda each: values[each])):
        largest = max(largest, min(1.0, values[index] * (len(values) - rank)))
        corrected[index] = largest
    return tuple(corrected)
