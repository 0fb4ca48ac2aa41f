"""Perfect shuffles pass at the stated rate, and bad drums are found with the stated power."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from numpy.random import Generator

from controller.proof.lab.examination import examine, statistics_of
from controller.proof.lab.statistic import (
    FALSE_ALARMS,
    POWER,
    FailureLevel,
    Orders,
    cycles_needed,
    uniform,
)
from tests.controller.proof.lab.models.bad_drums import (
    kept_blocks,
    kept_order,
    last_in_first_out,
    stuck_side,
)
from tests.controller.proof.lab.models.riffle import riffles
from tests.quick import EVIDENCE_ONLY, tries

TILES = 32
PLACES = [(place // 8, place % 2) for place in range(TILES)]
STATISTICS = {
    statistic(uniform(np.random.default_rng(0), 30, TILES), FailureLevel(0.01)).name: statistic
    for statistic in statistics_of(TILES, PLACES)
}
Drum = Callable[[Generator, int, int], Orders]


def riffled(chance: Generator, cycles: int, tiles: int) -> Orders:
    return riffles(chance, cycles, tiles, 6)


def blocks(share: float, length: int) -> Drum:
    return partial(_kept_blocks, share, length)


def _kept_blocks(share: float, length: int, chance: Generator, cycles: int, tiles: int) -> Orders:
    return kept_blocks(chance, cycles, tiles, share, length)


def _drum(function: Callable[..., Orders], strength: float) -> Drum:
    return lambda chance, cycles, tiles: function(chance, cycles, tiles, strength)


DEFECTS: dict[str, Drum] = {
    "position_places": _drum(last_in_first_out, 0.35),
    "position_regions": _drum(stuck_side, 0.25),
    "adjacency_retained": blocks(0.4, 4),
    "rising_sequences": riffled,
    "displacement": _drum(kept_order, 0.35),
    "order_correlation": _drum(last_in_first_out, 0.15),
    "drop_order_side_row": _drum(stuck_side, 0.25),
    "set_clustering": blocks(0.5, 4),
    "guessing_by_rule": riffled,
    "guessing_by_record": riffled,
}
"""For each statistic a defect that it finds."""


@pytest.mark.evidence
@pytest.mark.parametrize("name", DEFECTS)
def test_a_bad_drum_is_found_with_the_stated_power(name: str) -> None:
    statistic, drum = STATISTICS[name], DEFECTS[name]
    threshold = FailureLevel.among(len(STATISTICS))
    chance = np.random.default_rng(21)
    needed = cycles_for(name, chance)
    # A laboratory that lets a player guess takes a hundred times as long as another one.
    few = 8 if name.startswith("guessing") else 15
    laboratories = tries(few, quick=few, evidence=1000)
    found = sum(
        statistic(drum(chance, needed, TILES), threshold).p_value <= threshold.level
        for _ in range(laboratories)
    )
    # 99 % are expected; three standard errors, and 1 % for the error of the estimated effect.
    least = laboratories * (POWER - 0.01) - 3 * (laboratories * POWER * (1 - POWER)) ** 0.5
    assert found >= least, f"{found} of {laboratories} laboratories of {needed} cycles"


@pytest.mark.parametrize("name", ["adjacency_retained", "position_regions"])
def test_an_eighth_of_the_cycles_misses_the_same_defect_more_often(name: str) -> None:
    """The stated number is not larger than necessary by much."""
    statistic, drum = STATISTICS[name], DEFECTS[name]
    threshold = FailureLevel.among(len(STATISTICS))
    chance = np.random.default_rng(22)
    few = cycles_for(name, chance) // 8
    found = sum(
        statistic(drum(chance, few, TILES), threshold).p_value <= threshold.level for _ in range(40)
    )
    assert found <= 30, f"{found} of 40 laboratories of {few} cycles"


def cycles_for(name: str, chance: Generator) -> int:
    """The stated number of cycles that find the defect of this statistic.

    The player who learns guesses better after more cycles, so his effect is measured with numbers
    of cycles that grow until one of them is enough.
    """
    statistic, drum = STATISTICS[name], DEFECTS[name]
    threshold = FailureLevel.among(len(STATISTICS))
    if name != "guessing_by_record":
        large = statistic(drum(chance, 6000, TILES), threshold)
        return max(30, cycles_needed(large, 6000, abs(large.effect)))
    cycles = 30
    while True:
        repeated = tries(20, quick=20, evidence=40)
        results = [statistic(drum(chance, cycles, TILES), threshold) for _ in range(repeated)]
        effect = float(np.mean([each.effect for each in results]))
        if effect > 0 and cycles_needed(results[0], cycles, effect) <= cycles:
            return cycles
        cycles = cycles * 3 // 2


def test_a_rare_kept_block_is_found_with_the_stated_power() -> None:
    statistic = STATISTICS["longest_kept_block"]
    threshold = FailureLevel.among(len(STATISTICS))
    chance, cycles = np.random.default_rng(23), 150
    share = statistic(uniform(chance, cycles, TILES), threshold).detectable
    found = sum(
        statistic(kept_blocks(chance, cycles, TILES, share, 7), threshold).p_value
        <= threshold.level
        for _ in range(200)
    )
    assert found >= 192


@pytest.mark.parametrize(
    "drum",
    [
        _drum(kept_order, 0.5),
        _drum(stuck_side, 0.35),
        _drum(last_in_first_out, 0.3),
        blocks(0.3, 7),
    ],
    ids=["kept order", "one side stuck", "last in, first out", "kept blocks"],
)
def test_each_bad_drum_fails_the_laboratory(drum: Drum) -> None:
    chance = np.random.default_rng(24)
    assert all(examine(drum(chance, 200, TILES), PLACES).failed for _ in range(10))


@pytest.mark.parametrize(
    ("cycles", "laboratories"),
    [
        pytest.param(40, 60, id="60 laboratories"),
        pytest.param(200, 1000, id="1,000 laboratories", marks=[pytest.mark.slow, EVIDENCE_ONLY]),
    ],
)
@pytest.mark.evidence
def test_perfect_shuffles_pass_at_the_stated_false_alarm_rate(
    cycles: int, laboratories: int
) -> None:
    chance = np.random.default_rng(25)
    failed = sum(
        bool(examine(uniform(chance, cycles, TILES), PLACES).failed) for _ in range(laboratories)
    )
    spread = (laboratories * FALSE_ALARMS * (1 - FALSE_ALARMS)) ** 0.5
    assert failed <= laboratories * FALSE_ALARMS + 3 * spread, f"{failed} of {laboratories}"
