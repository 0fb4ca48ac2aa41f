"""Tests the mixing model of a drum: what the order of the picks keeps of how the set fell in."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import pairwise, permutations
from math import inf, pi, sin, sqrt
from random import Random
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import jnp_zeros, jv

from config.layout.mixing import (
    ENOUGH_EXCESS,
    MODES,
    MixingState,
    PanMotion,
    excess_of,
    guessing_score,
    heaps_of,
    mixing_state,
    needed_seconds,
    order_of_picks,
    pan_motion,
    settled_spread,
    spread_after,
    spread_rate,
)
from config.loader import load_table

PAN = PanMotion(tilt_deg=35.0, rpm=20.0, ribs=4, radius=0.28, fill=0.6)
MIXED = MixingState(excess=0.0, follows=1.0)
ORDERS = 3_000
CRITICAL = 173.6
"""The chi-square value that is exceeded once in a thousand times, for 120 equally likely orders."""


def orders(count: int, state: MixingState, number: int = ORDERS) -> list[list[int]]:
    chance, fallen = Random(1), list(enumerate(heaps_of(count)))
    return [order_of_picks(fallen, state, chance) for _ in range(number)]


def test_a_set_falls_in_as_four_heaps_of_almost_equal_size() -> None:
    assert heaps_of(8) == [0, 0, 1, 1, 2, 2, 3, 3]
    assert heaps_of(3) == [0, 1, 2]
    assert sorted(Counter(heaps_of(137)).values()) == [34, 34, 34, 35]


def test_every_order_of_a_mixed_set_is_equally_frequent() -> None:
    counts = Counter(map(tuple, orders(5, MIXED)))
    expected = ORDERS / 120
    chi_square = sum((counts[each] - expected) ** 2 for each in permutations(range(5))) / expected
    assert chi_square < CRITICAL


def test_a_tile_of_the_last_tiles_heap_is_picked_more_often() -> None:
    state = replace(MIXED, follows=4.0)
    # Eight tiles in four heaps of two: the twin of the first tile has 4 of 10 chances.
    same = sum(order[0] // 2 == order[1] // 2 for order in orders(8, state))
    assert abs(same - ORDERS * 0.4) < 4 * sqrt(ORDERS * 0.4 * 0.6)


@pytest.mark.parametrize("count", [32, 136])
def test_the_guessing_score_of_a_mixed_set_is_that_of_a_perfect_shuffle(count: int) -> None:
    (score,) = guessing_score(count, MIXED, Random(1), orders=1)
    assert score == pytest.approx(sum(1 / left for left in range(1, count + 1)))


def test_the_guessing_score_is_the_mean_number_of_right_guesses() -> None:
    state = MixingState(excess=1.0, follows=3.0)
    expected = guessing_score(8, state, Random(1), orders=500)
    right = []
    for order in orders(8, state):
        hits = 0
        for at, tile in enumerate(order):
            same = [each for each in order[at:] if at and each // 2 == order[at - 1] // 2]
            hits += tile == min(same or order[at:])
        right.append(hits)
    error = sqrt(stdev(right) ** 2 / ORDERS + stdev(expected) ** 2 / 500)
    assert abs(mean(right) - mean(expected)) < 4 * error


def test_longer_mixing_makes_the_order_harder_to_guess() -> None:
    scores = [
        mean(guessing_score(136, mixing_state(PAN, seconds), Random(1), orders=10))
        for seconds in (0, 20, 60, 1000)
    ]
    assert all(one > other for one, other in pairwise(scores))


def test_a_drum_needs_the_seconds_after_which_the_heaps_are_mixed() -> None:
    needed = needed_seconds(PAN)
    assert mixing_state(PAN, needed).excess <= ENOUGH_EXCESS < mixing_state(PAN, needed - 1).excess
    assert needed_seconds(replace(PAN, tilt_deg=0.0)) == inf
    assert mixing_state(PAN, 0.0).excess == excess_of(0.0) == sum(weight for weight, _ in MODES)


def test_the_modes_are_those_of_diffusion_from_the_quarters_of_a_disc() -> None:
    found = []
    for m in range(1, 20):
        share = 8 * (2 / (pi * m) * sin(m * pi / 4)) ** 2
        for zero in jnp_zeros(m, 6):
            along, _ = quad(lambda r, m=m, zero=zero: r * jv(m, zero * r), 0, 1)
            square = 0.5 * (1 - (m / zero) ** 2) * jv(m, zero) ** 2
            found.append((share * along**2 / square / 0.5, 2 * zero**2))
    slowest = sorted((mode for mode in found if mode[0] > 1e-6), key=lambda mode: mode[1])
    for mode, expected in zip(MODES, slowest, strict=False):
        assert mode == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("spread", [0.02, 0.05, 0.1, 0.3])
def test_the_excess_is_that_of_tiles_that_diffuse_on_a_grid(spread: float) -> None:
    cells = 200
    root = np.sqrt((np.arange(cells) + 0.5) / cells)
    excess = 0.0
    for m, (decays, modes) in enumerate(modes_on_a_grid(cells), 1):
        left = modes @ (np.exp(decays * spread) * (modes.T @ root))
        excess += 8 * (2 / (pi * m) * sin(m * pi / 4)) ** 2 * 2 * float((left**2).sum()) / cells
    assert excess_of(spread) == pytest.approx(excess, rel=0.01)


@cache
def modes_on_a_grid(cells: int) -> list[tuple[Any, Any]]:
    """How parts of a quarter with 1 to 11 waves around the pan diffuse, each by itself."""
    step = 1 / cells
    radius, border = (np.arange(cells) + 0.5) * step, np.arange(1, cells) * step
    found = []
    for m in range(1, 12):
        flow = np.diag(border / step**2, 1) + np.diag(border / step**2, -1)
        matrix = flow - np.diag(flow.sum(axis=1)) - np.diag(m * m / radius)
        # The substitution by the square root of the radius makes the matrix symmetric.
        root = np.sqrt(radius)
        found.append(np.linalg.eigh(matrix / root[:, None] / root[None, :]))
    return found


def test_a_steeper_pan_mixes_faster_and_ribs_hold_the_tiles() -> None:
    rates = [spread_rate(replace(PAN, tilt_deg=tilt)) for tilt in (0.0, 15.0, 25.0, 35.0, 45.0)]
    assert all(one < other for one, other in pairwise(rates))
    assert spread_rate(replace(PAN, tilt_deg=10.0)) < 0.1 * spread_rate(PAN)
    assert spread_rate(replace(PAN, ribs=8)) < spread_rate(PAN) < spread_rate(replace(PAN, ribs=0))


def test_a_fuller_pan_mixes_more_while_its_heaps_become_one_layer() -> None:
    spreads = [settled_spread(replace(PAN, fill=fill)) for fill in (0.2, 0.4, 0.6, 0.8)]
    assert all(one < other for one, other in pairwise(spreads))
    assert spread_after(PAN, 0.0) == 0.0


def test_the_pan_of_a_table_follows_from_its_drums_capacity_unless_its_file_gives_it() -> None:
    drum = load_table("robotic").modules.drum
    assert drum is not None
    assert pan_motion(drum, drum.capacity).fill == pytest.approx(0.4)
    assert pan_motion(drum, drum.capacity // 2).fill == pytest.approx(0.2)
    wide = pan_motion(drum.model_copy(update={"pan": 700.0}), 136)
    assert (wide.radius, wide.fill) == (0.35, pytest.approx(0.376, abs=0.001))
