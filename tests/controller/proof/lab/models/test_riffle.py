from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import pi, sqrt

import numpy as np
import pytest

from tests.controller.proof.lab.models.riffle import (
    best_guessing_score,
    eulerian,
    mean_rising_sequences,
    probability,
    riffles,
    rising_sequences,
    separation,
    top_tile_total_variation,
    total_variation,
)

TOTAL_VARIATION = {
    28: "1 1 1 .855 .517 .259 .136 .069 .035 .017 .009 .004",
    32: "1 1 1 .929 .597 .322 .164 .084 .042 .021 .011 .005",
    52: "1 1 1 1 .924 .614 .334 .167 .085 .043 .022 .011",
    136: "1 1 1 1 1 1 .933 .634 .345 .178 .089 .045",
    144: "1 1 1 1 1 1 .954 .673 .375 .194 .097 .049",
}
PUBLISHED = {
    25: "1 1 .999 .775 .437 .231 .114 .056",
    32: "1 1 1 .929 .597 .322 .164 .084",
    52: "1 1 1 1 .924 .614 .334 .167 .085 .043",
}
"""Bayer and Diaconis, "Trailing the dovetail shuffle to its lair", 1992, and later tables of it."""
SEPARATION = {
    32: "1 1 1 1 1 1 .986 .868 .628 .387 .216 .114 .059 .030",
    52: "1 1 1 1 1 1 1 .996 .932 .732 .479 .278 .150 .078",
    136: "1 1 1 1 1 1 1 1 1 1 .990 .896 .676 .430",
}
RISING = {
    32: "2.000 3.997 7.537 11.309 13.791 15.130 15.813 16.156 16.328 16.414",
    52: "2.000 4.000 7.949 14.099 19.605 22.948 24.710 25.603 26.052 26.276",
    136: "2.000 4.000 8.000 15.979 30.153 45.860 56.587 62.463 65.471 66.984",
}
TOP_TILE = {
    52: ".873 .752 .577 .367 .200 .103 .052 .026",
    136: ".941 .881 .785 .639 .440 .253 .132 .067",
}


def numbers(row: str) -> list[float]:
    return [float(each) for each in row.split()]


@pytest.mark.parametrize("tiles", TOTAL_VARIATION)
def test_total_variation_after_one_to_twelve_riffles(tiles: int) -> None:
    computed = [round(float(total_variation(tiles, k)), 3) for k in range(1, 13)]
    assert computed == numbers(TOTAL_VARIATION[tiles])


@pytest.mark.parametrize("tiles", PUBLISHED)
def test_total_variation_equals_the_published_tables(tiles: int) -> None:
    row = numbers(PUBLISHED[tiles])
    assert [round(float(total_variation(tiles, k)), 3) for k in range(1, len(row) + 1)] == row


def test_riffles_until_the_total_variation_is_below_a_quarter() -> None:
    def enough(tiles: int) -> int:
        return next(k for k in range(1, 20) if total_variation(tiles, k) < Fraction(1, 4))

    assert [enough(tiles) for tiles in (32, 52, 136, 144)] == [7, 8, 10, 10]


@pytest.mark.parametrize("tiles", SEPARATION)
def test_separation_after_one_to_fourteen_riffles(tiles: int) -> None:
    computed = [round(float(separation(tiles, k)), 3) for k in range(1, 15)]
    assert computed == numbers(SEPARATION[tiles])


@pytest.mark.parametrize("tiles", RISING)
def test_mean_rising_sequences_after_one_to_ten_riffles(tiles: int) -> None:
    computed = [round(float(mean_rising_sequences(tiles, k)), 3) for k in range(1, 11)]
    assert computed == numbers(RISING[tiles])


@pytest.mark.parametrize("tiles", TOP_TILE)
def test_place_of_the_top_tile_after_one_to_eight_riffles(tiles: int) -> None:
    computed = [round(float(top_tile_total_variation(tiles, k)), 3) for k in range(1, 9)]
    assert computed == numbers(TOP_TILE[tiles])


def test_best_guessing_score_after_one_riffle() -> None:
    computed = [round(float(best_guessing_score(tiles)), 4) for tiles in (28, 32, 52, 136)]
    assert computed == [17.6059, 19.9053, 31.1695, 76.7533]
    small = [Fraction(19, 8), Fraction(29, 8), Fraction(1421, 256), Fraction(3495, 512)]
    assert [best_guessing_score(tiles) for tiles in (3, 5, 8, 10)] == small


@pytest.mark.parametrize("tiles", [3, 5, 8])
def test_no_player_guesses_better_than_the_optimal_one(tiles: int) -> None:
    """Tries every cut and interleaving; after each seen tile the likeliest next one is guessed."""
    orders = [_riffled(parts) for parts in product((0, 1), repeat=tiles)]

    def right(possible: list[tuple[int, ...]], seen: int) -> int:
        if seen == tiles:
            return 0
        by_next: dict[int, list[tuple[int, ...]]] = {}
        for order in possible:
            by_next.setdefault(order[seen], []).append(order)
        return max(map(len, by_next.values())) + sum(
            right(each, seen + 1) for each in by_next.values()
        )

    assert Fraction(right(orders, 0), 2**tiles) == best_guessing_score(tiles)


def test_best_guessing_score_is_near_the_published_asymptote() -> None:
    """n/2 + sqrt(2n/pi) + O(1): Liu 2019, Krityakierne and Thanatipanonda 2021."""
    asymptote = 52 / 2 + sqrt(2 * 52 / pi)
    assert asymptote == pytest.approx(31.754, abs=0.0005)
    assert float(best_guessing_score(52)) - asymptote == pytest.approx(-0.58, abs=0.01)


@pytest.mark.parametrize("riffled", [1, 2])
def test_the_law_equals_a_count_of_all_riffles(riffled: int) -> None:
    tiles = 4
    counts: dict[tuple[int, ...], int] = {}
    for parts in product(range(2**riffled), repeat=tiles):
        order = _riffled(parts)
        counts[order] = counts.get(order, 0) + 1
    for order in permutations(range(tiles)):
        expected = probability(tiles, riffled, rising_sequences(order))
        assert Fraction(counts.get(order, 0), 2 ** (riffled * tiles)) == expected


def test_orders_by_rising_sequences_are_counted_exactly() -> None:
    counts = [0] * 5
    for order in permutations(range(5)):
        counts[rising_sequences(order) - 1] += 1
    assert tuple(counts) == eulerian(5) == (1, 26, 66, 26, 1)


def test_sampled_riffles_have_the_exact_mean_of_rising_sequences() -> None:
    chance = np.random.default_rng(1)
    for times in (1, 5, 7):
        orders = riffles(chance, 1000, 52, times)
        rising = [rising_sequences(tuple(order)) for order in orders.tolist()]
        error = np.std(rising, ddof=1) / sqrt(len(rising))
        exact = float(mean_rising_sequences(52, times))
        assert abs(np.mean(rising) - exact) <= 4 * error + 1e-9


def _riffled(parts: tuple[int, ...]) -> tuple[int, ...]:
    """The order after a shuffle in which place i receives a tile of part `parts[i]`."""
    places = sorted(range(len(parts)), key=lambda place: parts[place])
    order = [0] * len(parts)
    for tile, place in enumerate(places):
        order[place] = tile
    return tuple(order)
