from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from tests.controller.proof.lab.models.shelf import (
    fewest_shelves,
    largest_deviation,
    orders_by_valleys,
    passes_as_one,
    probability,
    separation,
    shelf_passes,
    stacked,
    total_variation,
    valleys,
)

ROWS = """
10 1.000 1.000 1.44e+13 0.823 1.000 1.000
15 0.943 1.000 5.39e+08 0.463 1.000 1.000
20 0.720 1.000 1.69e+06 0.282 0.980 1.000
25 0.544 1.000 4.51e+04 0.183 0.896 1.000
30 0.391 1.000 3.96e+03 0.127 0.778 1.000
35 0.299 0.996 716 0.094 0.660 1.000
50 0.159 0.910 38.9 0.046 0.400 0.945
100 0.041 0.431 1.85 0.011 0.117 0.409
150 0.018 0.219 0.615 0.005 0.054 0.192
200 0.010 0.130 0.313 0.003 0.031 0.111
250 0.007 0.085 0.192 0.002 0.020 0.072
300 0.005 0.060 0.13 0.001 0.014 0.050
"""
"""Shelves; total variation, separation and L-infinity of 52; the first two of 32; the first of 136.

The columns of 52 equal table 1 of Diaconis, Fulman and Holmes (2013)."""
PUBLISHED_LARGEST = (45118, 3961, 716, 39, 1.9, 0.615, 0.313, 0.192, 0.130)
"""L-infinity of 52 tiles in that table, from 25 shelves on."""
Order = tuple[int, ...]


@pytest.mark.parametrize("row", ROWS.strip().splitlines(), ids=lambda row: row.split()[0])
def test_distances_after_one_pass_equal_the_published_table(row: str) -> None:
    shelves, *expected = row.split()
    m = int(shelves)
    assert [
        f"{float(total_variation(52, m)):.3f}",
        f"{float(separation(52, m)):.3f}",
        f"{float(largest_deviation(52, m)):.3g}",
        f"{float(total_variation(32, m)):.3f}",
        f"{float(separation(32, m)):.3f}",
        f"{float(total_variation(136, m)):.3f}",
    ] == expected


def test_largest_deviations_equal_the_published_column() -> None:
    shelves = (25, 30, 35, 50, 100, 150, 200, 250, 300)
    for m, published in zip(shelves, PUBLISHED_LARGEST, strict=True):
        digits = 0 if published > 2 else 1 if published == 1.9 else 3
        assert round(float(largest_deviation(52, m)), digits) == published


def test_fewest_shelves_below_each_distance() -> None:
    distances = [Fraction(1, 4), Fraction(1, 10), Fraction(1, 20), Fraction(1, 100)]
    assert [fewest_shelves(32, each) for each in distances] == [22, 34, 48, 107]
    assert [fewest_shelves(52, each) for each in distances] == [39, 64, 91, 203]
    assert [fewest_shelves(136, each, 5) for each in distances] == [135, 215, 305, 675]


@pytest.mark.parametrize(("tiles", "shelves"), [(3, 2), (4, 2), (5, 2), (6, 2), (4, 3)])
def test_the_law_equals_a_count_of_all_choices(tiles: int, shelves: int) -> None:
    counts: dict[Order, int] = {}
    for slots in product(range(2 * shelves), repeat=tiles):
        order = stacked(slots, shelves)
        counts[order] = counts.get(order, 0) + 1
    for order in permutations(range(tiles)):
        expected = probability(tiles, shelves, valleys(order))
        assert Fraction(counts.get(order, 0), (2 * shelves) ** tiles) == expected


def test_two_passes_of_ten_shelves_are_one_pass_of_two_hundred() -> None:
    assert passes_as_one((10, 10)) == 200
    assert passes_as_one((1, 2, 3)) == 24
    orders = list(permutations(range(4)))
    once = {order: probability(4, 10, valleys(order)) for order in orders}
    twice = dict.fromkeys(orders, Fraction(0))
    for first, second in product(orders, repeat=2):
        after: Order = tuple(first[place] for place in second)
        twice[after] += once[first] * once[second]
    assert twice == {order: probability(4, 200, valleys(order)) for order in orders}


def test_orders_by_valleys_are_counted_exactly() -> None:
    for tiles in (1, 2, 5, 6):
        counts = [0] * len(orders_by_valleys(tiles))
        for order in permutations(range(tiles)):
            counts[valleys(order)] += 1
        assert tuple(counts) == orders_by_valleys(tiles)


def test_the_top_tile_stays_on_top_at_least_once_in_twice_the_number_of_shelves() -> None:
    for tiles, shelves in ((5, 2), (4, 3)):
        stays = sum(
            probability(tiles, shelves, valleys(order))
            for order in permutations(range(tiles))
            if order[0] == 0
        )
        assert stays >= Fraction(1, 2 * shelves)


def test_sampled_passes_are_stacked_as_the_model_stacks_them() -> None:
    slots = np.random.default_rng(5).integers(0, 6, (20, 9))
    sampled = shelf_passes(np.random.default_rng(5), 20, 9, 3)
    assert [tuple(row) for row in sampled.tolist()] == [stacked(row, 3) for row in slots.tolist()]


def test_colour_changes_after_a_pass_of_ten_shelves() -> None:
    """26 red cards on 26 black ones: 17 changes of colour with a deviation of 1.83 (published)."""
    red = shelf_passes(np.random.default_rng(2), 4000, 52, 10) < 26
    changes = np.sum(red[:, 1:] != red[:, :-1], axis=1)
    assert np.mean(changes) == pytest.approx(17, abs=0.5)
    assert np.std(changes) == pytest.approx(1.83, abs=0.05)
