"""A source that fails is found, and a sound one is not, at the stated rates."""

from __future__ import annotations

import math
from random import Random

import pytest

from controller.run.chance.source import (
    LIMITS,
    WINDOW,
    EntropyFailureError,
    HealthLimits,
    HealthTests,
)
from tests.quick import tries


@pytest.mark.parametrize(
    ("min_entropy", "cutoff"), [(0.5, 410), (1.0, 311), (2.0, 177), (4.0, 62), (8.0, 13)]
)
def test_the_cut_offs_of_adaptive_proportion_are_those_of_the_standard(
    min_entropy: float, cutoff: int
) -> None:
    """The examples of SP 800-90B, 4.4.2: a window of 512 and a false alarm of 2**-20."""
    assert HealthLimits(min_entropy, 2.0**-20).proportion_cutoff == cutoff


def test_the_cut_off_of_the_repetition_count_is_that_of_the_standard() -> None:
    assert HealthLimits(2.0, 2.0**-20).repetition_cutoff == 11
    assert LIMITS.repetition_cutoff == 6
    assert LIMITS.proportion_cutoff == 31


def test_a_byte_that_repeats_is_found_at_the_cut_off() -> None:
    tests = HealthTests()
    tests.check(b"\x07" * (LIMITS.repetition_cutoff - 1) + b"\x08")
    with pytest.raises(EntropyFailureError, match="the byte 7 came 6 times in a row"):
        tests.check(b"\x07" * LIMITS.repetition_cutoff)


def test_a_byte_that_comes_too_often_is_found_within_its_window() -> None:
    often = b"".join(bytes([9, 10 + number % 200]) for number in range(WINDOW // 2))
    with pytest.raises(EntropyFailureError, match="the byte 9 came 31 times within 512"):
        HealthTests().check(often)


def test_the_tests_go_on_between_two_reads_and_stay_failed() -> None:
    tests = HealthTests()
    for _ in range(LIMITS.repetition_cutoff - 1):
        tests.check(b"\x07")
    with pytest.raises(EntropyFailureError, match="7"):
        tests.check(b"\x07")
    with pytest.raises(EntropyFailureError, match="7"):
        tests.check(Random(1).randbytes(100))


def alarms_in_a_window(limits: HealthLimits) -> float:
    """The exact probability that 511 samples equal the first one often enough for an alarm."""
    p, least = 2.0**-limits.min_entropy, limits.proportion_cutoff - 1
    tail = range(least, least + 200)
    return sum(math.comb(511, k) * p**k * (1 - p) ** (511 - k) for k in tail)


def test_false_alarms_are_as_frequent_as_stated() -> None:
    """Bytes with 64 equal values have exactly 6 bits; the rates are then those of the theory."""
    limits = HealthLimits(6.0, 2.0**-6)
    assert (limits.repetition_cutoff, limits.proportion_cutoff) == (2, 16)
    draw, windows = Random(5), tries(400, quick=200)
    repeated = proportional = 0
    for _ in range(windows):
        samples = bytes(draw.choices(range(64), k=WINDOW))
        proportional += _fails(limits, samples, "adaptive proportion")
        repeated += sum(map(int.__eq__, samples, samples[1:]))
    expected = windows * alarms_in_a_window(limits)
    assert abs(proportional - expected) < 3 * math.sqrt(expected)
    expected = windows * 511 / 64
    assert abs(repeated - expected) < 3 * math.sqrt(expected)


def test_the_real_rate_of_adaptive_proportion_is_at_most_four_times_the_accepted_one() -> None:
    assert 1 < alarms_in_a_window(LIMITS) / LIMITS.false_alarm < 4


def _fails(limits: HealthLimits, samples: bytes, test: str) -> bool:
    """Whether this test fails within these samples; the repetition count is switched off."""
    patient = HealthLimits(limits.min_entropy, limits.false_alarm)
    patient.__dict__["repetition_cutoff"] = 10**9
    try:
        HealthTests(patient).check(samples)
    except EntropyFailureError as failure:
        return test in str(failure)
    return False
