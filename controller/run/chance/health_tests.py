"""Health tests of an entropy source by NIST SP 800-90B, 4.4: repetition count, adaptive proportion.

Both find a source that has failed: one that repeats a value, or prefers one. They say nothing about
small defects. The cut-offs follow from the min-entropy that is stated for a sample, and from the
accepted probability of a false alarm:

    >>> HealthLimits(min_entropy=2.0, false_alarm=2.0**-20).repetition_cutoff
    11
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from rules.errors import WallwrightError

WINDOW = 512
"""Samples in a window of the adaptive proportion test, for samples with more than two values."""
STARTUP_SAMPLES = 1024
"""Samples that are tested, and not used, before the first use of a source."""


class EntropyFailureError(WallwrightError):
    """The source of entropy failed a health test, or cannot be read; the message has the figures.

    Nothing is drawn from this source any more.
    """


@dataclass(frozen=True)
class HealthLimits:
    """The stated min-entropy of a source, the accepted rate of false alarms, and the cut-offs.

    `min_entropy` is in bits for each sample. `false_alarm` is the accepted probability with which a
    test fails at one sample (repetition count) or in one window (adaptive proportion) of a source
    with that min-entropy. The formulas are the standard's. In the second one the standard does not
    allow for the first sample of a window, which always equals itself, so the real probability is
    higher: 4 times with the limits below.
    """

    min_entropy: float
    false_alarm: float

    @cached_property
    def repetition_cutoff(self) -> int:
        """Equal samples in a row at which the repetition count test fails."""
        return 1 + math.ceil(-math.log2(self.false_alarm) / self.min_entropy)

    @cached_property
    def proportion_cutoff(self) -> int:
        """Samples of a window, equal to its first one, at which adaptive proportion fails."""
        return 1 + _critical_binomial(WINDOW, 2.0**-self.min_entropy, self.false_alarm)


LIMITS = HealthLimits(min_entropy=6.0, false_alarm=2.0**-30)
"""The limits for bytes of the operating system. A byte of its generator has almost 8 bits; 6 bits
are stated, so that no sound source is refused."""


class HealthTests:
    """Both tests of one stream of bytes; a byte is a sample. Once failed, they stay failed."""

    def __init__(self, limits: HealthLimits = LIMITS) -> None:
        self._limits = limits
        self._last: int | None = None
        self._repeated = 0
        self._first = 0
        self._seen = 0
        self._equal = 0
        self._failure = ""

    def check(self, samples: bytes) -> None:
        """Test the next samples of the stream. Raises EntropyFailureError."""
        for sample in samples:
            if not self._failure:
                self._failure = self._repetition(sample) or self._proportion(sample)
        if self._failure:
            raise EntropyFailureError(self._failure)

    def _repetition(self, sample: int) -> str:
        self._repeated = self._repeated + 1 if sample == self._last else 1
        self._last = sample
        if self._repeated < self._limits.repetition_cutoff:
            return ""
        return (
            f"repetition count: the byte {sample} came {self._repeated} times in a row; fewer than"
            f" {self._limits.repetition_cutoff} are expected"
        )

    def _proportion(self, sample: int) -> str:
        if not self._seen:
            self._first, self._equal = sample, 0
        self._equal += sample == self._first
        self._seen = (self._seen + 1) % WINDOW
        if self._equal < self._limits.proportion_cutoff:
            return ""
        return (
            f"adaptive proportion: the byte {sample} came {self._equal} times within {WINDOW}"
            f" samples; fewer than {self._limits.proportion_cutoff} are expected"
        )


def _critical_binomial(trials: int, probability: float, tail: float) -> int:
    """The least number k with P(X > k) of at most `tail`, for a binomial X."""
    above, number = 0.0, trials
    while number > 0:
        above += math.exp(
            math.lgamma(trials + 1)
            - math.lgamma(number + 1)
            - math.lgamma(trials - number + 1)
            + number * math.log(probability)
            + (trials - number) * math.log1p(-probability)
        )
        if above > tail:
            return number
        number -= 1
    return 0
