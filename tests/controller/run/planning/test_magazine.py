"""Tests the orders for a magazine: every order of the tiles is built, in the computed time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import permutations
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.loader import load_table
from config.schema import MagazineModule
from controller.run.planning.magazine import (
    EjectTile,
    LoadTile,
    MagazineOrder,
    TurnCarousel,
    expected_magazine_times,
    magazine_orders,
    magazine_times,
    mean_magazine_times,
    shortest_turn,
)
from tests.sorted_table import SORTED, TILES, changed

TABLE = load_table(SORTED)
HEADS, SIZES = TABLE.modules.heads, TABLE.tiles


def built(orders: Iterable[MagazineOrder], arriving: Iterable[int], pockets: int) -> list[int]:
    """Carry out orders on a carousel of empty pockets; returns the tiles as they fall out."""
    here, coming, fallen = 0, iter(arriving), list[int]()
    carousel: list[int | None] = [None] * pockets
    for order in orders:
        match order:
            case TurnCarousel(turn):
                assert 0 < abs(turn) <= pockets / 2, "a turn goes the shorter way"
                here = (here + turn) % pockets
            case LoadTile():
                assert carousel[here] is None, "a pocket holds one tile"
                carousel[here] = next(coming)
            case EjectTile():
                tile, carousel[here] = carousel[here], None
                assert tile is not None, "a stroke ejects a tile"
                fallen.append(tile)
    assert set(carousel) == {None}, "no tile stays in its pocket"
    return fallen


def magazine(pockets: int) -> MagazineModule:
    """Return the magazine of the example, with another number of pockets."""
    assert TABLE.modules.magazine is not None
    return TABLE.modules.magazine.model_copy(update={"pockets": pockets})


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[int], list[int], int]:
    """Draw an order of the tiles, the order in which they come, and a number of pockets."""
    tiles = draw(st.integers(1, 40))
    order, arriving = (draw(st.permutations(range(tiles))) for _ in range(2))
    return order, arriving, tiles + draw(st.integers(0, 9))


@given(cases())
def test_every_order_is_built_with_each_tile_once(case: tuple[list[int], list[int], int]) -> None:
    order, arriving, pockets = case
    fallen = built(magazine_orders(order, pockets), arriving, pockets)
    assert fallen == [arriving[pocket] for pocket in order]


def test_uniform_orders_give_uniform_sets_in_whatever_order_the_tiles_come() -> None:
    for arriving in permutations(range(4)):
        sets = Counter(
            tuple(built(magazine_orders(order, 5), arriving, 5)) for order in permutations(range(4))
        )
        assert len(sets) == 24
        assert set(sets.values()) == {1}


@pytest.mark.parametrize("order", [[0, 0, 1], [1, 2, 3], [0, 2]])
def test_an_order_that_does_not_name_each_pocket_once_is_refused(order: list[int]) -> None:
    with pytest.raises(ValueError, match=f"An order of {len(order)} tiles names each pocket once"):
        list(magazine_orders(order, 9))


def test_a_set_with_more_tiles_than_pockets_is_refused() -> None:
    with pytest.raises(ValueError, match="The set has 4 tiles, but the magazine has 3 pockets"):
        list(magazine_orders(range(4), 3))


def test_the_time_of_an_order_is_the_manual_sum() -> None:
    assert HEADS is not None
    # Five of eight pockets, 0.08 s each; a tile of 52 mm passes in 0.208 s.
    # Turns from pocket 4: 4 to 0, 0 to 3, 3 to 1, 1 to 4, 4 to 2.
    times = magazine_times([0, 3, 1, 4, 2], magazine(8), HEADS, SIZES)
    assert times.loading == pytest.approx(5 * 0.208 + 4 * 0.08)
    assert times.turning == pytest.approx((4 + 3 + 2 + 3 + 2) * 0.08)
    assert times.ejecting == pytest.approx(5 * 0.3)
    assert times.total == pytest.approx(times.loading + times.turning + times.ejecting)


@pytest.mark.parametrize(("tiles", "pockets"), [(1, 2), (4, 4), (5, 7), (6, 6)])
def test_the_mean_time_is_the_mean_over_all_orders(tiles: int, pockets: int) -> None:
    assert HEADS is not None
    module = magazine(pockets)
    every = [
        magazine_times(order, module, HEADS, SIZES).total for order in permutations(range(tiles))
    ]
    expected = mean_magazine_times(tiles, module, HEADS, SIZES).total
    assert expected == pytest.approx(mean(every))


def test_a_drawn_order_of_32_tiles_adds_40_seconds_of_which_21_are_turns() -> None:
    times = expected_magazine_times(TABLE, TILES)
    assert times is not None
    assert (times.loading, times.turning, times.ejecting) == pytest.approx((9.136, 21.12, 9.6))
    kept = expected_magazine_times(changed(("shuffle: sorted", "shuffle: drum")), TILES)
    assert kept is not None
    assert (kept.loading, kept.turning, kept.ejecting) == pytest.approx((9.136, 32 * 0.08, 9.6))
    assert expected_magazine_times(load_table("pai_gow"), TILES) is None


def test_the_shorter_way_of_two_equal_ones_is_forward() -> None:
    assert [shortest_turn(1, end, 6) for end in range(6)] == [-1, 0, 1, 2, 3, -2]
