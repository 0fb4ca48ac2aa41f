"""Tests the table top, an immutable value with the positions of all tiles."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from config.layout.field import Field, Spot
from config.layout.staging import stage
from config.loader import load_game, load_table
from controller.run.planning.table_top import LOOSE_LEVELS, TableTop, raised
from rules.geometry import Pile, Place, Walls, parse_place

TABLE = load_table("robotic")
FIELD = Field(TABLE, load_game("wenzhou").tile)
WALLS = Walls.even(17)
PARKED = FIELD.parking(0)


def place(text: str) -> Place:
    return parse_place(text)


def walls_raised() -> TableTop:
    return raised(stage(WALLS, TABLE), FIELD, 4)


def test_raised_walls_have_two_levels_with_the_upper_tile_on_top() -> None:
    top = walls_raised()
    assert set(top.at) == set(WALLS.places)
    assert top.highest == 2
    stack = top.stack_of(place("w3.15u"))
    assert [str(tile) for tile in stack.tiles] == ["w3.15l", "w3.15u"]
    assert (stack.level(place("w3.15l")), stack.level(place("w3.15u"))) == (0, 1)
    assert stack.spot == FIELD.wall(3, 15, 17)


def test_a_column_touches_its_neighbours() -> None:
    top = walls_raised()

    def beside(text: str) -> set[str]:
        return {str(stack.tiles[0]) for stack in top.neighbours(top.stack_of(place(text)))}

    assert beside("w3.8u") == {"w3.7l", "w3.9l"}
    assert beside("w3.17u") == {"w3.16l"}
    assert beside("w0.1u") == {"w0.2l"}


def test_a_lifted_tile_is_not_on_the_field() -> None:
    top = walls_raised().without([place("w3.15u")])
    assert [str(tile) for tile in top.stack_of(place("w3.15l")).tiles] == ["w3.15l"]
    with pytest.raises(KeyError):
        top.stack_of(place("w3.15u"))


def test_a_removed_column_leaves_bare_felt() -> None:
    top = walls_raised().without([place("w3.15u"), place("w3.15l")])
    assert top.support(FIELD.wall(3, 15, 17)) == 0
    assert top.neighbours(top.stack_of(place("w3.16u"))) == [top.stack_of(place("w3.17u"))]


def test_tiles_set_down_on_a_stack_become_its_top() -> None:
    tiles = (place("w0.1l"), place("w0.1u"))
    top = walls_raised().without(tiles).with_column(FIELD.wall(3, 8, 17), tiles)
    stack = top.stack_of(place("w0.1u"))
    assert [str(tile) for tile in stack.tiles] == ["w3.8l", "w3.8u", "w0.1l", "w0.1u"]
    assert (stack.top, top.highest) == (4, 4)


def test_a_tile_laid_across_rests_on_the_stacks_below() -> None:
    pile = raised(stage(Pile(8, 4), TABLE), FIELD, 8)
    over = tuple(FIELD.wall(0, column, 8) for column in (3, 4, 5))
    laid = place("p1.1")
    across = replace(over[1], crossed=True)
    top = pile.without([laid]).with_column(across, (laid,), over)
    for column in (3, 4, 5):
        assert top.resting_on(top.stack_of(place(f"p{column}.4"))) == top.stack_of(laid)
    assert top.stack_of(laid).base == 2
    assert top.resting_on(top.stack_of(place("p6.4"))) is None


@given(taken=some.lists(some.sampled_from(WALLS.places), unique=True, max_size=30))
def test_tiles_lifted_and_set_down_are_neither_lost_nor_duplicated(taken: list[Place]) -> None:
    top = walls_raised().without(taken)
    for number, tile in enumerate(taken):
        top = top.with_column(FIELD.parking(number), (tile,))
    placed = [tile for stack in top.stacks.values() for tile in stack.tiles]
    assert sorted(map(str, placed)) == sorted(map(str, WALLS.places))
    assert all(tile in top.stack_of(tile).tiles for tile in WALLS.places)


def test_a_carry_does_not_change_the_earlier_table_top() -> None:
    before = walls_raised()
    stacks = dict(before.stacks)
    before.without([place("w3.15u")]).with_column(PARKED, (place("w3.15u"),))
    assert before.stacks == stacks
    with pytest.raises(FrozenInstanceError):
        before.seats = 8  # type: ignore[misc]
    with pytest.raises(TypeError):
        before.stacks[(Spot(0, 0, False), 0)] = before.stack_of(place("w3.15u"))  # type: ignore[index]


def test_after_players_take_up_tiles_rows_are_free_and_loose_tiles_are_possible() -> None:
    walls = walls_raised()
    dealt = replace(walls, reach={0: 0.5, 1: 0.2})
    hand = [place("w3.15u"), place("w3.15l")]
    after = dealt.taken_up(hand)
    assert not set(hand) & set(after.at)
    assert dict(after.reach) == {}
    assert after.highest == max(LOOSE_LEVELS, 2)
    assert after.without(list(after.at)).highest == LOOSE_LEVELS


def test_taking_up_tiles_again_changes_nothing() -> None:
    hand = [place("w0.1u")]
    once = walls_raised().taken_up(hand)
    assert once.taken_up(hand).at == once.at
