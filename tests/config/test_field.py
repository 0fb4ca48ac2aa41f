"""The places of tiles on the drawing: a long hand continues in a second row; the middle is free."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from config.layout.field import AIR, Field, Spot
from config.loader import load_game, load_table, table_names
from tests.fitting import fits

FIELDS = {
    (table, game): Field(load_table(table), load_game(game).tile)
    for table, game in product(table_names(), ("wenzhou", "filipino", "block", "pai_gow"))
    if fits(table, game)
}


def row(field: Field, seat: int, seats: int, tiles: int) -> list[Spot]:
    """The places of `tiles` tiles in front of a seat, one after the other."""
    begun, spots, width = 0.0, [], field.pitch + AIR
    for _ in range(tiles):
        begun = field.room(seat, seats, begun, width)
        spots.append(field.hand(seat, seats, begun + width / 2))
        begun += width
    return spots


@pytest.mark.parametrize(("table", "game"), FIELDS)
def test_a_long_hand_is_drawn_before_its_own_seat_and_no_two_tiles_overlap(
    table: str, game: str
) -> None:
    field = FIELDS[table, game]
    seats = 8 if game == "pai_gow" else 4
    spots = {seat: row(field, seat, seats, 4 if seats == 8 else 22) for seat in range(seats)}
    for seat, own in spots.items():
        assert {field.seat_at(spot, seats) for spot in own} == {seat}
        for one, other in combinations(own, 2):
            away = max(abs(one.x - other.x), abs(one.y - other.y))
            assert away > min(field.pitch, field.tile_length) - 1e-6


def test_a_block_of_tiles_is_never_split_between_two_rows() -> None:
    field = FIELDS["robotic", "wenzhou"]
    breadth = 2 * (field.table.field.hand_distance - 0.1)
    assert field.room(0, 4, 0.0, 0.05) == 0.0
    assert field.room(0, 4, breadth - 0.05, 0.05) == pytest.approx(breadth - 0.05)
    assert field.room(0, 4, breadth - 0.04, 0.05) == pytest.approx(breadth)
    assert field.room(0, 4, breadth + 0.01, 0.05) == pytest.approx(breadth + 0.01)


def test_the_second_row_is_nearer_to_the_middle_than_the_first() -> None:
    field = FIELDS["robotic", "wenzhou"]
    breadth = 2 * (field.table.field.hand_distance - 0.1)
    first, second = field.hand(0, 4, 0.02), field.hand(0, 4, breadth + 0.02)
    assert second.x == pytest.approx(first.x)
    assert second.y - first.y == pytest.approx(field.tile_length + AIR)


@pytest.mark.parametrize(("table", "game"), FIELDS)
def test_open_tiles_in_the_middle_touch_no_wall_no_hand_and_no_parked_block(
    table: str, game: str
) -> None:
    field = FIELDS[table, game]
    middle = field.middle()
    assert len(middle) == len(set(middle)) > 30
    parked = [field.parking(number) for number in range(field.parkings)]
    inside = field.table.field.wall_distance - field.tile_length
    for spot in middle:
        assert max(abs(spot.x) + field.pitch / 2, abs(spot.y) + field.tile_length / 2) < inside + (
            field.tile_length / 2
        )
        assert field.seat_at(spot, 4) is None
        for other in parked:
            apart = abs(spot.x - other.x) >= 1.5 * field.pitch
            assert apart or abs(spot.y - other.y) >= field.tile_length
