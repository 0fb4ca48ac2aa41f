"""The laboratory of the source passes an ideal one at the stated rate, and finds bad ones."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from controller.run.chance import laboratory
from controller.run.chance.laboratory import (
    FALSE_ALARMS,
    SIGNIFICANCE,
    Results,
    examine_samples,
)
from tests.controller.run.chance.bad_samples import (
    Source,
    biased_bits,
    biased_top_bits,
    dice_by_remainder,
    fisher_yates,
    ideal,
    loaded_dice,
    naive,
    permuted_by,
    remainders,
    repeated_share,
    sattolo,
    sticking_dice,
    too_early,
)
from tests.quick import tries

CYCLES, TILES = 2000, 136
"""The defaults of `wallwright lab chance`."""
BAD: dict[str, Source] = {
    "each bit biased by 0.5 %": biased_bits(0.005),
    "one bit of each byte biased by 3 %": biased_top_bits(0.03),
    "one share of all comes twice": repeated_share,
    "a loaded die: the six 6 % too often": loaded_dice(0.06),
    "a stuck die: 3 % of the throws repeat the face before": sticking_dice(0.03),
    "dice by the remainder of 4 bits": dice_by_remainder(16),
    "permutations by the remainder of a byte": permuted_by(remainders),
    "an exchange with a lower place only (Sattolo)": permuted_by(sattolo),
    "an exchange with any place": permuted_by(naive),
    "the last exchange left out": permuted_by(too_early),
}
"""Bad sources and methods that the default number of cycles finds with 99 %.

docs/regulate/CHANCE.md lists them.
"""


def found(source: Source, seed: int) -> bool:
    draw = partial(source, np.random.default_rng(seed), CYCLES, TILES)
    first, second = examine_samples(draw)
    return bool(first.certain or second.failed)


@pytest.mark.slow
@pytest.mark.evidence
@pytest.mark.parametrize("name", BAD)
def test_R3_a_bad_source_is_found_with_the_stated_power(name: str) -> None:
    repeats = tries(5, quick=2, evidence=200)
    missed = sum(not found(BAD[name], seed) for seed in range(repeats))
    assert missed <= repeats * 0.01 + 3 * math.sqrt(repeats * 0.01)


def test_the_exact_method_of_fisher_and_yates_passes() -> None:
    assert not found(permuted_by(fisher_yates), 1)


def test_a_byte_by_remainder_changes_dice_by_less_than_these_tests_find() -> None:
    """Faces differ by 1.6 % at most: docs/regulate/CHANCE.md names this limit."""
    source = dice_by_remainder(256)
    assert sum(found(source, seed) for seed in range(5)) < 5


@pytest.mark.slow
@pytest.mark.evidence
def test_R1_one_sample_of_an_ideal_source_fails_at_the_stated_rate() -> None:
    """Not more often than in 1 %, and not much more rarely: many tests are not independent."""
    repeats = tries(100, quick=50, evidence=4000)
    chance = np.random.default_rng(12)
    failed = sum(bool(Results.of(ideal(chance, 1000, 16).tests()).failed) for _ in range(repeats))
    spread = 3.5 * math.sqrt(repeats * SIGNIFICANCE)
    assert repeats * SIGNIFICANCE * 0.6 - spread <= failed <= repeats * SIGNIFICANCE + spread


@pytest.mark.slow
@pytest.mark.evidence
def test_R1_two_samples_fail_as_often_as_the_square_of_the_rate_of_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With 20 % instead of 1 %, so that some of the laboratories fail."""
    monkeypatch.setattr(laboratory, "SIGNIFICANCE", 0.2)
    repeats = tries(60, quick=20, evidence=2000)
    chance = np.random.default_rng(13)
    results = [examine_samples(partial(ideal, chance, 1000, 16)) for _ in range(repeats)]
    repeated = sum(bool(second.tests) for _, second in results)
    failed = sum(bool(second.failed) for _, second in results)
    assert repeated <= repeats * 0.2 + 3.5 * math.sqrt(repeats * 0.2 * 0.8)
    assert failed <= repeats * 0.04 + 3.5 * math.sqrt(repeats * 0.04) + 1


def test_the_stated_rate_is_that_of_two_samples_and_of_a_certain_failure() -> None:
    assert pytest.approx(1 / 9901, rel=1e-3) == FALSE_ALARMS


def test_a_failure_that_the_second_sample_does_not_repeat_is_none() -> None:
    """The first sample has dice that are loaded so little that its failure is not certain."""
    chance = np.random.default_rng(14)
    samples = iter((loaded_dice(0.045)(chance, 2000, 16), ideal(chance, 2000, 16)))
    first, second = examine_samples(lambda: next(samples))
    assert [test.name for test in first.failed] == ["dice: faces"]
    assert [test.name for test in second.tests] == ["dice: faces"]
    assert (first.certain, second.failed) == ((), ())


def test_a_failure_that_is_certain_needs_no_second_sample() -> None:
    chance = np.random.default_rng(15)
    samples = iter((repeated_share(chance, 1000, 16),))
    first, second = examine_samples(lambda: next(samples))
    assert [test.name for test in first.certain] == ["repeated bytes"]
    assert second.tests == ()
