"""The tests of streams give the published values, pass ideal sources, and find bad ones."""

from __future__ import annotations

import math
from itertools import permutations
from random import Random
from typing import Any

import numpy as np
import pytest

from controller.run.chance import bit_tests, laboratory
from controller.run.chance.bit_tests import (
    StreamTest,
    TooFewSamplesError,
    chi_square,
    holm,
)
from controller.run.chance.laboratory import (
    FALSE_ALARMS,
    SIGNIFICANCE,
    examine_source,
)
from controller.run.chance.records import SeedStream
from controller.run.chance.source import OperatingSystemChance
from firmware_bridge.sim.host_computer import SeededChance
from tests.quick import tries

PI = np.array(
    list(
        map(
            int,
            "1100100100001111110110101010001000100001011010001100"
            "001000110100110001001100011001100010100010111000",
        )
    )
)
"""The first 100 binary digits of pi, the example of SP 800-22."""


@pytest.mark.parametrize(
    ("test", "p"),
    [
        (bit_tests.frequency(PI), 0.109599),
        (bit_tests.block_frequency(PI, 10), 0.706438),
        (bit_tests.runs(PI), 0.500798),
        (bit_tests.cumulative_sums(PI), 0.219194),
        (bit_tests.cumulative_sums(PI, backward=True), 0.114866),
        (bit_tests.serial(np.array([0, 0, 1, 1, 0, 1, 1, 1, 0, 1]), 3)[0], 0.808792),
        (bit_tests.serial(np.array([0, 0, 1, 1, 0, 1, 1, 1, 0, 1]), 3)[1], 0.670320),
    ],
    ids=lambda value: value.name if isinstance(value, StreamTest) else "",
)
def test_the_published_examples_give_the_published_p_values(test: StreamTest, p: float) -> None:
    assert test.p == pytest.approx(p, abs=5e-7)


def test_the_correction_of_holm_is_that_of_its_definition() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06))
    assert holm([]) == ()


def test_too_few_samples_are_refused() -> None:
    with pytest.raises(TooFewSamplesError, match=r"expects 3\.0 samples"):
        chi_square("few", "", [3, 3], [0.5, 0.5])


def test_the_moments_of_the_permutation_tests_are_those_of_all_permutations() -> None:
    """With every permutation of six tiles once, each statistic is exactly its expectation."""
    orders = np.array(list(permutations(range(6))))
    assert laboratory.kept_neighbours(orders).statistic == pytest.approx(0, abs=1e-9)
    assert laboratory.ascents(orders).statistic == pytest.approx(0, abs=1e-9)
    assert laboratory.positions(orders).statistic == pytest.approx(0, abs=1e-9)
    assert laboratory.patterns(orders).statistic == pytest.approx(0, abs=1e-9)
    kept = (orders[:, 1:] == orders[:, :-1] + 1).sum(axis=1)
    rises = (orders[:, 1:] > orders[:, :-1]).sum(axis=1)
    assert kept.var() == pytest.approx(laboratory._kept_variance(6))
    assert rises.var() == pytest.approx(7 / 12)


def test_r1_r3_this_computers_source_and_its_choices_pass() -> None:
    """An ideal source fails at 99.9999 % with a probability of 1 in a million."""
    report = examine_source(OperatingSystemChance("test"), 1000, 32)
    assert not report.first.certain
    assert len(report.first.tests) == 22


class Stuck:
    """A source whose shares differ in their first byte only."""

    def share(self, context: str) -> bytes:
        return bytes([int(context.split()[1]) & 255]) + bytes(31)


def test_shares_that_hardly_differ_are_found() -> None:
    assert examine_source(Stuck(), 1000, 32).failed


def _orders(rows: int, size: int, seed: int) -> Any:
    draw = Random(seed)
    return np.array([draw.sample(range(size), size) for _ in range(rows)])


def _dice(count: int, seed: int) -> Any:
    return np.array(Random(seed).choices(range(1, 7), k=count))


def _drawn_with_a_remainder(count: int) -> Any:
    """Faces from four bits with a remainder: 1 to 4 come with 3/16, 5 and 6 with 2/16."""
    stream = SeedStream(bytes(32), "faces")
    return np.array([(byte & 15) % 6 + 1 for byte in stream.take(count)])


def _swapped_naively(rows: int, size: int) -> Any:
    """Every place is exchanged with any place, a common mistake: not every order is as likely."""
    draw, orders = Random(3), []
    for _ in range(rows):
        order = list(range(size))
        for place in range(size):
            other = draw.randrange(size)
            order[place], order[other] = order[other], order[place]
        orders.append(order)
    return np.array(orders)


def _never_home(rows: int, size: int) -> Any:
    """The method of Sattolo: no tile stays at its place."""
    draw, orders = Random(4), []
    for _ in range(rows):
        order = list(range(size))
        for last in range(size - 1, 0, -1):
            other = draw.randrange(last)
            order[last], order[other] = order[other], order[last]
        orders.append(order)
    return np.array(orders)


def _half_kept(rows: int, size: int) -> Any:
    """The last third of each permutation is that of the permutation before."""
    draw = Random(5)
    orders = [draw.sample(range(size), size)]
    for _ in range(rows - 1):
        keep = orders[-1][size * 2 // 3 :]
        rest = [tile for tile in range(size) if tile not in keep]
        orders.append(draw.sample(rest, len(rest)) + keep)
    return np.array(orders)


def _sticky(count: int) -> Any:
    """One face in ten repeats the one before it."""
    draw = Random(6)
    faces = [draw.randint(1, 6)]
    while len(faces) < count:
        faces.append(faces[-1] if draw.random() < 0.1 else draw.randint(1, 6))
    return np.array(faces)


@pytest.mark.parametrize(
    ("test", "sample"),
    [
        (laboratory.face_frequency, _drawn_with_a_remainder(20_000)),
        (laboratory.poker, _sticky(40_000)),
        (laboratory.face_pairs, _sticky(40_000)),
        (laboratory.face_overlaps, _sticky(40_000)),
        (laboratory.face_runs, _sticky(40_000)),
        (laboratory.serial_correlation, _sticky(40_000)),
        (laboratory.coupon_collector, _drawn_with_a_remainder(100_000)),
        (laboratory.positions, _never_home(1000, 32)),
        (laboratory.few_tiles, _never_home(1000, 5)),
        (laboratory.patterns, _swapped_naively(4000, 4)),
        (laboratory.positions, _swapped_naively(4000, 8)),
        (laboratory.repeated_places, _half_kept(300, 30)),
        (laboratory.ascents, np.sort(_orders(50, 32, 1).reshape(50, 8, 4)).reshape(50, 32)),
        (laboratory.kept_neighbours, np.roll(np.tile(np.arange(32), (20, 1)), 5, axis=1)),
    ],
)
def test_r3_each_test_finds_a_sample_that_is_bad_in_its_way(test: Any, sample: Any) -> None:
    assert test(sample).p < SIGNIFICANCE / 100


@pytest.mark.parametrize(
    ("test", "make"),
    [
        *((test, "bits") for test in (bit_tests.frequency, bit_tests.block_frequency)),
        *((test, "bits") for test in (bit_tests.runs, bit_tests.cumulative_sums)),
        (lambda bits: bit_tests.serial(bits)[0], "bits"),
        (lambda bits: bit_tests.serial(bits)[1], "bits"),
        *(
            (test, "dice")
            for test in (
                laboratory.face_frequency,
                laboratory.face_pairs,
                laboratory.face_overlaps,
                laboratory.poker,
                laboratory.coupon_collector,
                laboratory.face_runs,
                laboratory.serial_correlation,
            )
        ),
        *(
            (test, "orders")
            for test in (
                laboratory.positions,
                laboratory.patterns,
                laboratory.ascents,
                laboratory.kept_neighbours,
                laboratory.repeated_places,
            )
        ),
        (laboratory.few_tiles, "few"),
    ],
)
@pytest.mark.slow
@pytest.mark.evidence
def test_each_test_fails_an_ideal_sample_as_often_as_stated(test: Any, make: str) -> None:
    """At 1 % and at 10 %, within 3.5 standard errors."""
    repeats = tries(300, quick=100, evidence=4000)
    draw = np.random.default_rng(11)
    values = []
    for _ in range(repeats):
        sample = {
            "bits": lambda: draw.integers(0, 2, 8192).astype(np.uint8),
            "dice": lambda: draw.integers(1, 7, 12_000),
            "few": lambda: draw.permuted(np.tile(np.arange(5), (1000, 1)), axis=1),
            "orders": lambda: draw.permuted(np.tile(np.arange(16), (200, 1)), axis=1),
        }[make]()
        values.append(test(sample).p)
    for level in (0.01, 0.1):
        found = sum(value < level for value in values)
        expected = repeats * level
        assert abs(found - expected) < 3.5 * math.sqrt(expected * (1 - level)) + 1


@pytest.mark.slow
@pytest.mark.evidence
def test_r1_a_whole_laboratory_fails_an_ideal_source_in_at_most_one_of_9_900() -> None:
    """With the shares of a seeded source, drawn as a table does."""
    repeats = tries(6, quick=2, evidence=1000)
    failed = sum(
        bool(examine_source(SeededChance(seed, "laboratory"), 1000, 16).failed)
        for seed in range(repeats)
    )
    assert failed <= repeats * FALSE_ALARMS + 1
