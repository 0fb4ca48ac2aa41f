"""Tests the geometry of the picture for every game on every table that it fits."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from config.layout.field import Field
from config.loader import game_names, load_game, load_table, table_names
from config.validation.checks import CORNER_MM
from controller.run.planning.planner import preview
from controller.run.planning.setup_forecast import hands_for_lanes
from controller.service.status import GameChoice
from controller.web.panel.geometry import geometry, orders_of
from controller.web.panel.scene_geometry import PlaceSlot, TableGeometry, TileExtent
from rules.errors import IllegalSetupError
from rules.games import GAMES
from rules.setup import settle
from tests.fitting import fits

FITTING = [(table, game) for table in table_names() for game in game_names() if fits(table, game)]


def half_sides(slot: PlaceSlot, tile: TileExtent) -> tuple[float, float]:
    """Half the size of a tile along x and along y."""
    along, across = tile.width / 2, tile.length / 2
    return (across, along) if slot.turn % 2 else (along, across)


def overlap(one: PlaceSlot, other: PlaceSlot, tile: TileExtent) -> bool:
    """Whether two tiles of a level cover the same felt; corners may meet as the fit allows."""
    if one.level != other.level:
        return False
    (ax, ay), (bx, by) = half_sides(one, tile), half_sides(other, tile)
    corner = CORNER_MM / 1000 if one.turn % 2 != other.turn % 2 else 0.0
    slack = corner + 1e-6
    return abs(one.x - other.x) < ax + bx - slack and abs(one.y - other.y) < ay + by - slack


@pytest.mark.parametrize(("table", "game"), FITTING)
def test_every_place_of_a_layout_has_one_slot_and_no_two_tiles_overlap(
    table: str, game: str
) -> None:
    shown = geometry(load_table(table), load_game(game))
    places = [str(place) for place in GAMES[game].setup().layout.places]
    assert list(shown.slots) == places
    if shown.tile is None:
        assert not places
        return
    tile = shown.tile
    near = [
        (one, other)
        for one, other in combinations(shown.slots.items(), 2)
        if overlap(one[1], other[1], tile)
    ]
    assert near == []


@pytest.mark.parametrize(("table", "game"), FITTING)
def test_every_tile_every_seat_and_every_part_is_on_the_table(table: str, game: str) -> None:
    shown = geometry(load_table(table), load_game(game))
    across, along = shown.field.width / 2, shown.field.depth / 2
    points = [
        *shown.slots.values(),
        *shown.seats,
        *shown.trays,
        *shown.parts.values(),
        *shown.heads.values(),
    ]
    assert all(abs(point.x) <= across and abs(point.y) <= along for point in points)
    for seat in shown.seats:
        reach = abs(seat.x if seat.side % 2 == 0 else seat.y) + seat.half
        assert reach <= across


@pytest.mark.parametrize(("table", "game"), FITTING)
def test_a_fault_at_any_channel_has_a_position_on_the_picture(table: str, game: str) -> None:
    shown = geometry(load_table(table), load_game(game))
    machine = {part for part in shown.channels.values() if part.split()[0] in ("head", "lift")}
    assert machine <= shown.parts.keys()
    assert {"table", *shown.heads} <= shown.parts.keys()


def test_the_slots_are_the_positions_of_the_planner() -> None:
    table, config = load_table("robotic"), load_game("wenzhou")
    shown = geometry(table, config)
    field = Field(table, config.tile)
    slot = shown.slots["w1.4u"]
    assert (slot.x, slot.y) == (field.wall(1, 4, 17).x, field.wall(1, 4, 17).y)
    assert (slot.turn, slot.level, slot.tray) == (1, 1, 1)
    assert shown.slots["w1.4l"].level == 0
    assert len(shown.trays[0].stacks) == 17


def test_a_pile_shows_its_halves_on_two_trays_before_the_arm_joins_them() -> None:
    shown = geometry(load_table("robotic"), load_game("pai_gow"))
    assert {shown.slots[place].tray for place in ("p1.1", "p1.2")} == {2}
    assert {shown.slots[place].tray for place in ("p1.3", "p1.4")} == {0}
    whole = geometry(load_table("pai_gow"), load_game("pai_gow"))
    assert [whole.slots[f"p1.{level}"].level for level in (1, 2, 3, 4)] == [3, 2, 1, 0]
    assert len(whole.seats) == 8


def test_hand_lanes_hold_the_tiles_that_the_throws_give() -> None:
    table, config = load_table("auto_deal"), load_game("wenzhou")
    throws = [(3, 5), (2, 4)]
    shown = geometry(table, config, None, throws)
    orders = orders_of(config, GameChoice(game="wenzhou"))
    end = settle(orders.setup(0), throws)
    for seat, hand in end.hands.items():
        held = [place for place, slot in shown.slots.items() if slot.lane == seat]
        assert sorted(held) == sorted(str(place) for place in hand[: shown.lanes[seat].tiles])
    planned = preview(end, table, config.tile, hands_for_lanes(table, orders))
    field = Field(table, config.tile)
    for place, slot in planned.staging.slots.items():
        spot = field.wall(slot.tray, slot.column, planned.staging.columns(slot.tray))
        assert (shown.slots[str(place)].x, shown.slots[str(place)].y) == (spot.x, spot.y)


def test_an_empty_table_shows_its_machine_without_tiles() -> None:
    shown = geometry(load_table("classic"))
    assert not shown.slots
    assert not shown.seats
    assert len(shown.heads) == 4
    assert len(shown.trays) == 4


def test_house_rules_and_the_number_of_players_change_the_geometry() -> None:
    table, config = load_table("robotic"), load_game("filipino")
    rules = {"columns": [16, 18, 18, 20]}
    with pytest.raises(ValueError, match="19"):
        geometry(table, config, GameChoice(game="filipino", house_rules=rules))
    rules = {"columns": [17, 18, 18, 19]}
    shown = geometry(table, config, GameChoice(game="filipino", house_rules=rules))
    assert [len(tray.stacks) for tray in shown.trays] == [17, 18, 18, 19]
    two = geometry(table, load_game("draw"), GameChoice(game="draw", players=2))
    assert [(seat.seat, seat.side) for seat in two.seats] == [(0, 0), (1, 2)]
    with pytest.raises(IllegalSetupError, match="7"):
        geometry(table, load_game("draw"), GameChoice(game="draw", players=7))


def test_the_geometry_is_the_same_after_json() -> None:
    shown = geometry(load_table("auto_deal"), load_game("wenzhou"))
    assert TableGeometry.model_validate(json.loads(shown.model_dump_json())) == shown
