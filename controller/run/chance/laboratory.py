"""Draws cycles with a source as a table does, and runs every statistical test on them.

The sample is what a table uses: the machine's shares, and the permutations and dice that are drawn
from each share by name. `bit_tests` tests the stream of bits; the tests of drawn dice and
permutations (R1, R3) are in this file: chi-square, poker, runs, coupon collector and others. Their
probabilities are exact; the tests need no simulation. `faces` are the dice in the order of the
draw, `orders` one permutation a row.

A test that fails is repeated with a second, independent sample, and counts if it fails again. An
ideal source fails any test of one sample with a probability of at most `SIGNIFICANCE`, and both
with at most the square of it. A test whose corrected p value is at most `CERTAIN` counts at once.

Needs the packages of the extra `lab`, as `bit_tests` does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy import special

from controller.run.chance.bit_tests import (
    StreamTest,
    chi_square,
    holm,
    stream_tests,
    two_sided,
)
from controller.run.chance.records import ChoiceRequest, CycleDraw, permutation
from controller.run.chance.source import ChanceSource

DEVICE = "laboratory"
SIGNIFICANCE = 0.01
"""All tests of one sample together fail an ideal source with at most this probability."""
CERTAIN = 1e-6
"""A test with this corrected p value or a smaller one is not repeated: a defect that occurs once,
such as a repeated share, may be missing in a second sample."""
FALSE_ALARMS = SIGNIFICANCE**2 + CERTAIN
"""An ideal source fails the laboratory with at most this probability: 1 in 9,900."""
DICE = 40
"""Dice drawn in each cycle."""


@dataclass(frozen=True)
class Sample:
    """What was drawn in a number of cycles: shares, and the choices made of them.

    `orders` and `few` have one permutation a row, of the set's tiles and of `FEW` tiles. `faces`
    are all dice in the order of the draw.
    """

    shares: bytes
    orders: Any
    few: Any
    faces: Any

    def tests(self) -> tuple[StreamTest, ...]:
        """The results of all tests."""
        return (
            *stream_tests(self.shares),
            *permutation_tests(self.orders, self.few),
            *dice_tests(self.faces),
        )


@dataclass(frozen=True)
class Results:
    """Tests of one sample, and their corrected p values in the same order."""

    tests: tuple[StreamTest, ...] = ()
    corrected: tuple[float, ...] = ()

    @classmethod
    def of(cls, tests: tuple[StreamTest, ...]) -> Results:
        """The tests with their correction for this number of tests."""
        return cls(tests, holm([test.p for test in tests]))

    @property
    def failed(self) -> tuple[StreamTest, ...]:
        """The tests that fail in this sample."""
        return tuple(
            test for test, p in zip(self.tests, self.corrected, strict=True) if p < SIGNIFICANCE
        )

    @property
    def certain(self) -> tuple[StreamTest, ...]:
        """The failed tests that need no second sample."""
        return tuple(
            test for test, p in zip(self.tests, self.corrected, strict=True) if p <= CERTAIN
        )

    def facts(self) -> list[dict[str, object]]:
        """The tests as JSON values."""
        return [
            {
                "name": test.name,
                "question": test.question,
                "statistic": test.statistic,
                "p": test.p,
                "corrected_p": p,
            }
            for test, p in zip(self.tests, self.corrected, strict=True)
        ]


@dataclass(frozen=True)
class StreamReport:
    """The results of one laboratory; `second` has the tests that were repeated."""

    cycles: int
    tiles: int
    first: Results
    second: Results

    @property
    def failed(self) -> tuple[StreamTest, ...]:
        """The tests that failed for certain, or in both samples."""
        return (*self.first.certain, *self.second.failed)

    def facts(self) -> dict[str, object]:
        """The report as JSON values."""
        return {
            "cycles": self.cycles,
            "tiles": self.tiles,
            "significance": SIGNIFICANCE,
            "false_alarm_rate": FALSE_ALARMS,
            "passed": not self.failed,
            "failed": [test.name for test in self.failed],
            "tests": self.first.facts(),
            "second_sample": self.second.facts(),
        }


def examine_source(
    source: ChanceSource,
    cycles: int,
    tiles: int,
    progress: Callable[[int], None] = lambda done: None,
) -> StreamReport:
    """Draw `cycles` shares, a permutation of `tiles` and dice from each, and test all of them.

    A second sample of the same size is drawn only if a test has to be repeated. `progress` is
    called with the number of cycles drawn. Raises TooFewSamplesError, and EntropyFailureError if
    the source fails.
    """
    drawn = 0

    def draw() -> Sample:
        nonlocal drawn
        sample = draw_sample(source, cycles, tiles, drawn, progress)
        drawn += cycles
        return sample

    first, second = examine_samples(draw)
    return StreamReport(cycles, tiles, first, second)


def examine_samples(draw: Callable[[], Sample]) -> tuple[Results, Results]:
    """Test a sample, and with a second one those tests that failed, but not for certain.

    Each call of `draw` returns a new sample.
    """
    first = Results.of(draw().tests())
    doubtful = {test.name for test in first.failed} - {test.name for test in first.certain}
    if not doubtful:
        return first, Results()
    again = tuple(test for test in draw().tests() if test.name in doubtful)
    return first, Results.of(again)


def draw_sample(
    source: ChanceSource,
    cycles: int,
    tiles: int,
    drawn: int,
    progress: Callable[[int], None] = lambda done: None,
) -> Sample:
    """Draw `cycles` cycles after the `drawn` ones before. Raises EntropyFailureError."""
    requests = (
        permutation("permutation of set 0", tiles),
        permutation("permutation of few tiles", FEW),
        ChoiceRequest("dice", "dice", 6, DICE),
    )
    shares = bytearray()
    orders = np.empty((cycles, tiles), np.int64)
    few = np.empty((cycles, FEW), np.int64)
    faces = np.empty((cycles, DICE), np.int64)
    for row, cycle in enumerate(range(drawn + 1, drawn + cycles + 1)):
        share = source.share(f"cycle {cycle}")
        order, small, dice, _ = CycleDraw(DEVICE, cycle, share, requests=requests).draw()
        shares += share
        orders[row], few[row], faces[row] = order.value, small.value, dice.value
        progress(cycle)
    return Sample(bytes(shares), orders, few, faces.ravel())


FACES = 6
HAND = 5
"""Dice in a hand of the poker test."""
FEW = 5
"""Tiles of the small permutations, of which every order is counted."""
PATTERN = 4
"""Tiles whose order the permutation test compares."""
LONGEST = 24
"""Throws from which the coupon collector puts all longer waits into one class."""

Numbers = Any
"""An array of numpy with whole numbers."""


def face_frequency(faces: Numbers) -> StreamTest:
    """Whether each face of the dice is equally frequent."""
    counts = np.bincount(faces - 1, minlength=FACES)
    return chi_square("dice: faces", "every face equally often", counts, _even(FACES))


def face_pairs(faces: Numbers) -> StreamTest:
    """Whether each pair of successive faces is equally frequent; the pairs do not overlap."""
    pairs = faces[: faces.size // 2 * 2].reshape(-1, 2) - 1
    counts = np.bincount(pairs[:, 0] * FACES + pairs[:, 1], minlength=FACES**2)
    return chi_square("dice: pairs", "every pair equally often", counts, _even(FACES**2))


def face_overlaps(faces: Numbers) -> StreamTest:
    """Whether overlapping pairs of faces are equally frequent, by Good's difference of sums.

    The sequence is closed to a ring. The sum for pairs minus that for single faces has a chi-square
    distribution with 30 degrees of freedom.
    """
    after = np.roll(faces, -1)
    pairs = np.bincount((faces - 1) * FACES + after - 1, minlength=FACES**2).astype(float)
    single = np.bincount(faces - 1, minlength=FACES).astype(float)
    size = faces.size
    difference = (pairs**2).sum() * FACES**2 / size - (single**2).sum() * FACES / size
    freedom = FACES**2 - FACES
    return StreamTest(
        "dice: overlaps",
        "every pair equally often, overlapping",
        float(difference),
        float(special.chdtrc(freedom, difference)),
    )


def poker(faces: Numbers) -> StreamTest:
    """Whether hands of five dice have as many different faces as they should."""
    hands = np.sort(faces[: faces.size // HAND * HAND].reshape(-1, HAND), axis=1)
    different = 1 + (hands[:, 1:] != hands[:, :-1]).sum(axis=1)
    counts = np.bincount(different, minlength=HAND + 1)[1:]
    expected = [_ways(k) * _stirling(HAND, k) / FACES**HAND for k in range(1, HAND + 1)]
    # One face five times is rare, so it is counted with two faces.
    counts = np.array([counts[0] + counts[1], *counts[2:]])
    return chi_square(
        "dice: poker",
        "hands of five dice with 2, 3, 4 and 5 faces as often as expected",
        counts,
        [expected[0] + expected[1], *expected[2:]],
    )


def coupon_collector(faces: Numbers) -> StreamTest:
    """Whether it takes as many throws as it should until every face has come."""
    waits, seen, length = [], 0, 0
    for face in faces.tolist():
        length += 1
        seen |= 1 << face
        if seen == ((1 << FACES) - 1) << 1:
            waits.append(min(length, LONGEST))
            seen = length = 0
    counts = np.bincount(waits, minlength=LONGEST + 1)[FACES:]
    expected = [
        math.factorial(FACES) / FACES**n * _stirling(n - 1, FACES - 1)
        for n in range(FACES, LONGEST)
    ]
    return chi_square(
        "dice: coupon collector",
        "as many throws until every face has come as expected",
        counts,
        [*expected, 1 - sum(expected)],
    )


def face_runs(faces: Numbers) -> StreamTest:
    """Whether equal faces follow each other as often, and in runs as long, as they should."""
    ends = np.flatnonzero(np.concatenate((faces[1:] != faces[:-1], [True])))
    lengths = np.minimum(np.diff(np.concatenate(([-1], ends))), 4)
    counts = np.bincount(lengths, minlength=5)[1:]
    other = 1 - 1 / FACES
    expected = [other, other / FACES, other / FACES**2, 1 / FACES**3]
    return chi_square("dice: runs", "runs of equal faces as long as expected", counts, expected)


def serial_correlation(faces: Numbers) -> StreamTest:
    """Whether a face depends on the one before it: the correlation of neighbours, standardised."""
    centred = faces - (FACES + 1) / 2
    variance = (FACES**2 - 1) / 12
    z = float((centred[1:] * centred[:-1]).sum() / (variance * math.sqrt(faces.size - 1)))
    return two_sided("dice: serial correlation", "no face depends on the one before it", z)


def positions(orders: Numbers) -> StreamTest:
    """Whether each tile comes to each place equally often.

    Each row and each column of the table of counts has a fixed sum, so the statistic has (n - 1)
    squared degrees of freedom and is multiplied by (n - 1) / n.
    """
    size = orders.shape[1]
    counts = np.bincount((orders + size * np.arange(size)).ravel(), minlength=size**2)
    plain = chi_square(
        "permutations: places",
        "every tile at every place equally often",
        counts,
        _even(size**2),
        freedom=(size - 1) ** 2,
    )
    statistic = plain.statistic * (size - 1) / size
    p = float(special.chdtrc((size - 1) ** 2, statistic))
    return StreamTest(plain.name, plain.question, statistic, p)


def patterns(orders: Numbers) -> StreamTest:
    """Whether every order of four neighbours is equally frequent (the permutation test)."""
    size = orders.shape[1]
    groups = orders[:, : size // PATTERN * PATTERN].reshape(-1, PATTERN)
    ranks = groups.argsort(axis=1).argsort(axis=1)
    codes = (ranks * PATTERN ** np.arange(PATTERN)).sum(axis=1)
    _, counts = np.unique(codes, return_counts=True)
    full = math.factorial(PATTERN)
    counts = np.concatenate((counts, np.zeros(full - counts.size)))
    return chi_square(
        "permutations: patterns",
        "every order of four neighbours equally often",
        counts,
        _even(full),
    )


def few_tiles(orders: Numbers) -> StreamTest:
    """Whether every order of `FEW` tiles is equally frequent; `orders` are permutations of them.

    A defect of the method of drawing changes these orders much more than those of many tiles: an
    exchange that is left out concerns two places, which are few of 136.
    """
    codes = (orders * FEW ** np.arange(FEW)).sum(axis=1)
    _, counts = np.unique(codes, return_counts=True)
    full = math.factorial(FEW)
    counts = np.concatenate((counts, np.zeros(full - counts.size)))
    return chi_square(
        "permutations: few tiles", f"every order of {FEW} tiles equally often", counts, _even(full)
    )


def ascents(orders: Numbers) -> StreamTest:
    """Whether neighbours rise and fall equally often: the number of runs up of each permutation."""
    rows, size = orders.shape
    rises = (orders[:, 1:] > orders[:, :-1]).sum(axis=1)
    z = float((rises - (size - 1) / 2).sum() / math.sqrt(rows * (size + 1) / 12))
    return two_sided("permutations: runs", "as many rising neighbours as expected", z)


def kept_neighbours(orders: Numbers) -> StreamTest:
    """Whether tiles keep their neighbour: the number that is followed by its successor.

    The mean is (n - 1) / n, and the variance is nearly 1.
    """
    rows, size = orders.shape
    kept = (orders[:, 1:] == orders[:, :-1] + 1).sum(axis=1)
    mean = (size - 1) / size
    z = float((kept - mean).sum() / math.sqrt(rows * _kept_variance(size)))
    return two_sided("permutations: neighbours", "as many kept neighbours as expected", z)


def repeated_places(orders: Numbers) -> StreamTest:
    """Whether a permutation depends on the one before it: tiles at the same place in both.

    The number has mean 1 and variance 1 for independent permutations.
    """
    same = (orders[1:] == orders[:-1]).sum(axis=1)
    z = float((same - 1).sum() / math.sqrt(same.size))
    return two_sided("permutations: repeats", "no permutation depends on the one before it", z)


def dice_tests(faces: Numbers) -> tuple[StreamTest, ...]:
    """All tests of dice; they need about 40,000 dice."""
    return (
        face_frequency(faces),
        face_pairs(faces),
        face_overlaps(faces),
        poker(faces),
        coupon_collector(faces),
        face_runs(faces),
        serial_correlation(faces),
    )


def permutation_tests(orders: Numbers, few: Numbers) -> tuple[StreamTest, ...]:
    """All tests of permutations; they need five permutations for each tile.

    `few` are permutations of `FEW` tiles, at least 600.
    """
    return (
        positions(orders),
        patterns(orders),
        ascents(orders),
        kept_neighbours(orders),
        repeated_places(orders),
        few_tiles(few),
    )


def _kept_variance(size: int) -> float:
    """The variance of the number of successions in a permutation of `size` numbers.

    Two successions can share a number, (i, i+1, i+2), or have four different ones. Both kinds of
    pairs have the probability 1 / (n (n - 1)).
    """
    mean = (size - 1) / size
    second = mean + (size - 1) * (size - 2) / (size * (size - 1))
    return second - mean**2


def _even(classes: int) -> Any:
    return np.full(classes, 1 / classes)


def _ways(faces: int) -> int:
    """Ordered choices of so many different faces."""
    return math.perm(FACES, faces)


@cache
def _stirling(elements: int, parts: int) -> int:
    """Partitions of a set into so many parts (Stirling numbers of the second kind)."""
    if elements == parts:
        return 1
    if not 0 < parts < elements:
        return 0
    return parts * _stirling(elements - 1, parts) + _stirling(elements - 1, parts - 1)
