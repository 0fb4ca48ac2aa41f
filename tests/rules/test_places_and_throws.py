"""The notation of places and throws, read and written, and the order of places along the walls."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.dice import parse_throw
from rules.errors import IllegalSetupError, NotationError, RulesError
from rules.geometry import (
    BoneyardPlace,
    CardPlace,
    HandPlace,
    PilePlace,
    Place,
    WallPlace,
    Walls,
    around,
    parse_place,
)
from rules.tiles import tile_set

NUMBERS = st.integers(1, 99)
PLACES: st.SearchStrategy[Place] = st.one_of(
    st.builds(WallPlace, st.integers(0, 3), NUMBERS, st.integers(0, 1)),
    st.builds(PilePlace, NUMBERS, NUMBERS),
    st.builds(BoneyardPlace, NUMBERS),
    st.builds(CardPlace, NUMBERS),
    st.builds(HandPlace, st.integers(0, 7)),
)


@given(PLACES)
def test_the_text_of_a_place_is_read_as_the_same_place(place: Place) -> None:
    assert parse_place(str(place)) == place


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("w3.15u", WallPlace(3, 15, 0)),
        ("w0.1l", WallPlace(0, 1, 1)),
        ("p2.3", PilePlace(2, 3)),
        ("b7", BoneyardPlace(7)),
        ("k4", CardPlace(4)),
        ("h2", HandPlace(2)),
    ],
)
def test_places_are_written_as_in_the_output_of_the_command_line(text: str, place: Place) -> None:
    assert parse_place(text) == place
    assert str(place) == text


@pytest.mark.parametrize("text", ["", "w3.15", "w3.15x", "p2", "q7", "b", "k-1", "h2 ", "3.15u"])
def test_a_text_that_is_not_a_place_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match=r"is not a place; write one as w3\.15u, p2\.3, b7"):
        parse_place(text)


@pytest.mark.parametrize(
    ("text", "faces"), [("3,5", (3, 5)), ("3,3,3", (3, 3, 3)), ("4+3", (4, 3)), ("6", (6,))]
)
def test_a_throw_is_read_from_its_text(text: str, faces: tuple[int, ...]) -> None:
    assert parse_throw(text) == faces


@pytest.mark.parametrize("text", ["", "3,", "3;5", "-1,2", "a,b", "3 5"])
def test_a_text_that_is_not_a_throw_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="is not a throw; write the dice as 3,5"):
        parse_throw(text)


@pytest.mark.parametrize("text", ["0,1", "7", "3,12"])
def test_a_die_shows_one_to_six(text: str) -> None:
    with pytest.raises(NotationError, match="A die shows 1 to 6, not"):
        parse_throw(text)


@given(st.tuples(*[st.integers(1, 20)] * 4), st.integers(0, 3), st.integers(0, 23), st.booleans())
def test_both_directions_along_the_walls_meet_every_tile_once(
    columns: tuple[int, int, int, int], owner: int, count: int, right: bool
) -> None:
    walls = Walls(columns)
    opened = walls.open(owner, count, "right" if right else "left")
    assert set(opened.forward) == set(opened.tail) == set(walls.places)
    assert len(opened.forward) == len(opened.tail) == walls.count
    by_column = [opened.forward[begin : begin + 2] for begin in range(0, walls.count, 2)]
    assert [place for column in reversed(by_column) for place in column] == list(opened.tail)


def test_clockwise_the_left_neighbours_wall_follows_after_the_left_end() -> None:
    walk = [str(place) for place in Walls.even(2).walk(0, 2)]
    assert walk[:4] == ["w0.2u", "w0.2l", "w3.1u", "w3.1l"]


def test_counter_clockwise_the_right_neighbours_left_end_follows() -> None:
    walk = [str(place) for place in Walls.even(2).walk(3, 1, clockwise=False)]
    assert walk[:4] == ["w3.1u", "w3.1l", "w0.2u", "w0.2l"]


def test_a_column_that_a_wall_does_not_have_is_refused() -> None:
    with pytest.raises(IllegalSetupError, match="Wall 1 has columns 1 to 17, not 18"):
        next(Walls.even(17).walk(1, 18))


def test_seats_are_listed_in_either_direction() -> None:
    assert around(2, 4, "counter_clockwise") == (2, 3, 0, 1)
    assert around(2, 4, "clockwise") == (2, 1, 0, 3)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("mahjong_136", 136),
        ("mahjong_144", 144),
        ("pai_gow_32", 32),
        ("dominoes_28", 28),
        ("cards_52", 52),
        ("none", 0),
    ],
)
def test_every_set_has_its_tiles(name: str, count: int) -> None:
    assert len(tile_set(name)) == count


def test_a_pai_gow_set_has_227_pips_and_dominoes_168() -> None:
    for name, pips in (("pai_gow_32", 227), ("dominoes_28", 168)):
        assert sum(int(half) for face in tile_set(name).faces for half in face.split("-")) == pips


def test_a_face_that_a_set_does_not_have_is_refused() -> None:
    assert tile_set("mahjong_136").require("7z") == "7z"
    with pytest.raises(RulesError, match="'1f' is not a tile of the set mahjong_136; its"):
        tile_set("mahjong_136").require("1f")
    with pytest.raises(RulesError, match="There is no tile set 'tarot'"):
        tile_set("tarot")
