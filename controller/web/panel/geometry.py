"""The geometry of a table's picture, true to scale, from the table's file and the chosen game.

    shown = geometry(load_table("robotic"), load_game("wenzhou"), GameChoice(game="wenzhou"))
    shown.model_dump_json()

The positions are those that the planner and the simulated plant use. On a table with hand lanes
the places get their slots only after the throws (docs/decisions/0008); `throws` and `answers` give
the true slots, and without them the slots are those of a forecast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from config.layout.field import Field
from config.layout.staging import Staging
from config.loader import game_parameters
from config.schema import GameConfig, Table, TileSize
from controller.run.orders import Orders
from controller.run.planning.hand_lanes import staging_of
from controller.run.planning.planner import Planner
from controller.run.planning.setup_forecast import foreseen, seats_of
from controller.service.status import GameChoice
from controller.web.panel.furniture import Furniture
from controller.web.panel.scene_geometry import (
    FaceKind,
    FieldExtent,
    LanePlace,
    LayoutKind,
    PlaceSlot,
    SeatPlace,
    TableGeometry,
    TileExtent,
)
from rules.dice import Dice
from rules.games import GAMES
from rules.geometry import Boneyard, CardPile, Layout, Pile, Place, Walls
from rules.playing.setup_facts import settle
from rules.setup import Setup

NO_TILE = TileSize(length_mm=38, width_mm=28, height_mm=21)
"""The tile size with which an empty table is measured."""

_FACES: dict[str, FaceKind] = {
    "mahjong_136": "mahjong",
    "mahjong_144": "mahjong",
    "pai_gow_32": "chinese_dominoes",
    "dominoes_28": "dominoes",
    "cards_52": "cards",
}


def orders_of(config: GameConfig, choice: GameChoice) -> Orders:
    """The orders of a chosen game: house rules of the choice over those of the configuration.

    Raises ConfigErrors for house rules that the game does not have.
    """
    changed = config.model_copy(update={"parameters": config.parameters | choice.house_rules})
    return Orders(GAMES[config.game], game_parameters(changed), choice.dealer, choice.players)


def geometry(
    table: Table,
    config: GameConfig | None = None,
    choice: GameChoice | None = None,
    throws: Sequence[Dice] = (),
    answers: Mapping[str, int | str] | None = None,
) -> TableGeometry:
    """The geometry of a table with a game, or of the empty table without a game.

    Raises ConfigErrors for unknown house rules, IllegalSetupError for a number of players or a
    dealer that the game cannot seat, and DoesNotFitError if the trays cannot hold the layout.
    """
    if config is None:
        furniture = Furniture(table, Field(table, NO_TILE), None)
        return _with_furniture(_empty(table), furniture)
    orders = orders_of(config, choice or GameChoice(game=config.game))
    setup = orders.setup(orders.dealer)
    end = settle(setup, throws, answers or {}) if throws or answers else foreseen(setup)
    planner = Planner(table, Field(table, config.tile), staging_of(table, orders), seats_of(setup))
    if planner.staging.lanes:
        planner = planner.with_lanes(end)
    shown = _empty(table).model_copy(
        update={
            "game": config.game,
            "game_title": setup.game.title,
            "layout": _layout_kind(setup.layout),
            "players": setup.seating.players,
            "tile": _tile(config, setup) if setup.layout.count else None,
            "seats": _seats(planner, setup),
            "slots": _slots(planner),
            "lanes": _lanes(planner),
        }
    )
    return _with_furniture(shown, Furniture(table, planner.tile_field, planner.staging))


def _empty(table: Table) -> TableGeometry:
    field = table.field
    extent = FieldExtent(
        width=field.width,
        depth=field.depth,
        wall_distance=field.wall_distance,
        hand_distance=field.hand_distance,
    )
    return TableGeometry(table=table.name, title=table.title, sets=table.sets, field=extent)


def _with_furniture(shown: TableGeometry, furniture: Furniture) -> TableGeometry:
    return shown.model_copy(
        update={
            "trays": furniture.trays(),
            "heads": furniture.heads(),
            "drum": furniture.drum(),
            "lid": furniture.lid(),
            "gantry": furniture.gantry(),
            "dice": furniture.dice(),
            "flipper": furniture.flipper(),
            "lamps": furniture.lamps(),
            "ready_lamp": furniture.ready_lamp(),
            "parts": furniture.parts(),
            "channels": furniture.channels(),
        }
    )


def _tile(config: GameConfig, setup: Setup) -> TileExtent:
    return TileExtent(
        length=config.tile.length_mm / 1000,
        width=config.tile.width_mm / 1000,
        height=config.tile.height_mm / 1000,
        faces=_FACES.get(setup.game.tiles.name, "none"),
    )


def _layout_kind(layout: Layout) -> LayoutKind:
    match layout:
        case Walls():
            return "walls"
        case Pile():
            return "pile"
        case Boneyard():
            return "boneyard"
        case CardPile():
            return "cards"
    return "bare"


def _seats(planner: Planner, setup: Setup) -> tuple[SeatPlace, ...]:
    """The delivery places of the players; a game of eight positions has all of them."""
    field, seats = planner.tile_field, planner.seats
    places = []
    for seat in range(max(seats, setup.seating.players)):
        side = field.hand_side(seat, seats)
        half = field.half_row(seat, seats)
        middle = field.hand(seat, seats, half)
        places.append(SeatPlace(seat=seat, side=side, x=middle.x, y=middle.y, turn=side, half=half))
    return tuple(places)


def _slots(planner: Planner) -> dict[str, PlaceSlot]:
    field, staging = planner.tile_field, planner.staging
    heights = {fill.tray: fill.stacks for fill in staging.fills}
    slots: dict[Place, PlaceSlot] = {}
    for place, slot in staging.slots.items():
        spot = field.wall(slot.tray, slot.column, staging.columns(slot.tray))
        slots[place] = PlaceSlot(
            x=spot.x,
            y=spot.y,
            turn=slot.tray,
            level=heights[slot.tray][slot.column - 1] - slot.level,
            tray=None if staging.by_hand else slot.tray,
        )
    for seat, held in planner.hands.items():
        side = field.hand_side(seat, planner.seats)
        for number, place in enumerate(held):
            spot = field.hand(seat, planner.seats, (number + 0.5) * field.pitch)
            slots[place] = PlaceSlot(x=spot.x, y=spot.y, turn=side, level=0, lane=seat)
    return {str(place): slots[place] for place in _ordered(staging, slots)}


def _ordered(staging: Staging, slots: Mapping[Place, PlaceSlot]) -> list[Place]:
    """The places in the order of the layout."""
    return [place for place in staging.layout.places if place in slots]


def _lanes(planner: Planner) -> tuple[LanePlace, ...]:
    if planner.table.modules.lanes is None:
        return ()
    field, seats = planner.tile_field, planner.seats
    lanes = []
    for seat in range(seats):
        half = field.half_row(seat, seats)
        side = field.hand_side(seat, seats)
        middle = field.hand(seat, seats, half)
        tiles = planner.staging.lanes.get(seat, 0)
        lanes.append(
            LanePlace(seat=seat, x=middle.x, y=middle.y, turn=side, half=half, tiles=tiles)
        )
    return tuple(lanes)
