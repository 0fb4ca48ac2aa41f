"""Draws cycles with a source as a table does, and runs every test on them.

The sample is what a table uses: the machine's shares, and the permutations and dice that are drawn
from each share by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from controller.chance.records import ChoiceRequest, CycleDraw, permutation
from controller.chance.source import ChanceSource
from controller.chance.tests_of_streams.bit_tests import stream_tests
from controller.chance.tests_of_streams.chi_square import StreamTest, holm
from controller.chance.tests_of_streams.choice_tests import dice_tests, permutation_tests

DEVICE = "laboratory"
SIGNIFICANCE = 0.01
"""All tests together fail an ideal source with at most this probability: 99 % confidence."""
DICE = 40
"""Dice drawn in each cycle."""
LEAST_CYCLES = 1000


@dataclass(frozen=True)
class StreamReport:
    """The results of one laboratory: all tests, and their corrected p values in the same order."""

    cycles: int
    tiles: int
    tests: tuple[StreamTest, ...]
    corrected: tuple[float, ...]

    @property
    def failed(self) -> tuple[StreamTest, ...]:
        """The tests that an ideal source fails too rarely to believe."""
        return tuple(
            test for test, p in zip(self.tests, self.corrected, strict=True) if p < SIGNIFICANCE
        )

    def facts(self) -> dict[str, object]:
        """The report as JSON values."""
        return {
            "cycles": self.cycles,
            "tiles": self.tiles,
            "significance": SIGNIFICANCE,
            "passed": not self.failed,
            "tests": [
                {
                    "name": test.name,
                    "question": test.question,
                    "statistic": test.statistic,
                    "p": test.p,
                    "corrected_p": p,
                }
                for test, p in zip(self.tests, self.corrected, strict=True)
            ],
        }


def examine_source(
    source: ChanceSource,
    cycles: int,
    tiles: int,
    progress: Callable[[int], None] = lambda done: None,
) -> StreamReport:
    """Draw `cycles` shares, a permutation of `tiles` and dice from each, and test all of them.

    `progress` is called with the number of cycles drawn. Raises TooFewSamplesError, and
    EntropyFailureError if the source fails.
    """
    requests = (
        permutation("permutation of set 0", tiles),
        ChoiceRequest("dice", "dice", 6, DICE),
    )
    shares = bytearray()
    orders: list[tuple[int, ...]] = []
    faces: list[int] = []
    for cycle in range(1, cycles + 1):
        share = source.share(f"cycle {cycle}")
        order, dice, _ = CycleDraw(DEVICE, cycle, share).draw(requests)
        shares += share
        orders.append(order.value)
        faces += dice.value
        progress(cycle)
    tests = (
        *stream_tests(bytes(shares)),
        *permutation_tests(np.array(orders)),
        *dice_tests(np.array(faces)),
    )
    return StreamReport(cycles, tiles, tests, holm([test.p for test in tests]))
