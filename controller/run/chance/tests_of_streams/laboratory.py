"""Draws cycles with a source as a table does, and runs every test on them.

The sample is what a table uses: the machine's shares, and the permutations and dice that are drawn
from each share by name.

A test that fails is repeated with a second, independent sample, and counts if it fails again. An
ideal source fails any test of one sample with a probability of at most `SIGNIFICANCE`, and both
with at most the square of it. A test whose corrected p value is at most `CERTAIN` counts at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from controller.run.chance.records import ChoiceRequest, CycleDraw, permutation
from controller.run.chance.source import ChanceSource
from controller.run.chance.tests_of_streams.bit_tests import StreamTest, holm, stream_tests
from controller.run.chance.tests_of_streams.choice_tests import FEW, dice_tests, permutation_tests

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
