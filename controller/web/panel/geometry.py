"""The geometry of a table's picture, true to scale, from the table's file and the chosen game.

    shown = geometry(load_table("robotic"), load_game("wenzhou"), GameChoice(game="wenzhou"))
    shown.model_dump_json()

The positions are those that the planner and the simulated plant use. On a table with hand lanes
the places get their slots only after the throws (docs/decisions/0008); `throws` and `answers` give
the true slots, and without them the slots are those of a forecast.

A table's file gives the distances of walls and hands; it has no drawing of the machine below. The
positions of drum, heads, lid, dice unit and lamps (`Furniture`) are therefore derived from these
distances, so that they are inside the field and do not cover each other (ours).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from config.layout.field import Field, Spot
from config.layout.staging import Staging
from config.loader import game_parameters
from config.schema import AxisChannel, GameConfig, Table, TileSize
from controller.run.orders import Orders
from controller.run.planning.planner import Planner
from controller.run.planning.setup_forecast import foreseen, seats_of, staging_of
from controller.service.status import GameChoice
from controller.upkeep.selftest.trial import named_channels
from controller.web.panel.scene_geometry import (
    DiceUnitPlace,
    DiscPlace,
    FaceKind,
    FieldExtent,
    GantryReach,
    HeadPlace,
    LanePlace,
    LayoutKind,
    PlaceSlot,
    Point,
    SeatPlace,
    TableGeometry,
    TileExtent,
    TravelAxis,
    TrayPlace,
    WallLamps,
)
from rules.dice import Dice
from rules.games import GAMES
from rules.geometry import Boneyard, CardPile, Layout, Pile, Place, Walls
from rules.setup import Setup, settle

DRUM_TO_WALL = 0.58
"""Radius of the drum as a part of the walls' distance (ours)."""
LID_TO_WALL = 0.4
"""Radius of the lid as a part of the walls' distance (ours)."""
LAMP_GAP = 0.012
"""Distance of the lamps from the outer face of a wall, metres (ours)."""
CENTRE = Spot(0.0, 0.0, False)


@dataclass(frozen=True)
class Furniture:
    """Computes the positions of the modules of one table for one staged layout.

    `tile_field` has the size of the game's tile; `staging` the stacks of each tray.
    """

    table: Table
    tile_field: Field
    staging: Staging | None

    def trays(self) -> tuple[TrayPlace, ...]:
        """The trays of the table, or the walls that people build on a table without trays."""
        module = self.table.modules.trays
        stacks = {fill.tray: fill.stacks for fill in self.staging.fills} if self.staging else {}
        numbers = range(len(module.sides)) if module else sorted(stacks)
        return tuple(self._tray(number, stacks.get(number, ())) for number in numbers)

    def _tray(self, number: int, stacks: tuple[int, ...]) -> TrayPlace:
        module = self.table.modules.trays
        middle = self._at_side(number, self.table.field.wall_distance)
        half = module.length_mm / 2000 if module else len(stacks) * self.tile_field.pitch / 2
        return TrayPlace(
            number=number,
            x=middle.x,
            y=middle.y,
            turn=number,
            half=half,
            stacks=stacks,
            by_hand=module is None,
        )

    def drum(self) -> DiscPlace | None:
        """The drum in the middle of the table."""
        module = self.table.modules.drum
        if module is None:
            return None
        radius = round(DRUM_TO_WALL * self.table.field.wall_distance, 4)
        return DiscPlace(x=0.0, y=0.0, radius=radius, capacity=module.capacity)

    def lid(self) -> DiscPlace | None:
        """The platform in the middle that opens the drum."""
        if self.table.modules.lid is None:
            return None
        radius = round(LID_TO_WALL * self.table.field.wall_distance, 4)
        return DiscPlace(x=0.0, y=0.0, radius=radius)

    def heads(self) -> dict[str, HeadPlace]:
        """The heads by name, each at the drum, towards the first tray that it fills."""
        module = self.table.modules.heads
        places = {}
        for number, port in enumerate(module.ports if module else ()):
            side = port.trays[0] if port.trays else 0
            distance = (DRUM_TO_WALL + 0.1) * self.table.field.wall_distance
            spot = self._at_side(side, distance)
            places[f"head {number}"] = HeadPlace(x=spot.x, y=spot.y, turn=side, trays=port.trays)
        return places

    def gantry(self) -> GantryReach | None:
        """The limits, speeds and gripper times of the gantry."""
        module = self.table.modules.gantry
        if module is None:
            return None
        return GantryReach(
            x=self._axis(module.x),
            y=self._axis(module.y),
            z=self._axis(module.z),
            grip_seconds=module.grip_seconds,
            turn_seconds=module.turn_seconds,
        )

    def _axis(self, name: str) -> TravelAxis:
        axis = self.table.channel(name)
        assert isinstance(axis, AxisChannel)
        return TravelAxis(
            low=axis.low, high=axis.high, speed=axis.speed, acceleration=axis.acceleration
        )

    def dice(self) -> DiceUnitPlace | None:
        """The dice unit in the corner between the seats 0 and 1, beside all hands and walls."""
        module = self.table.modules.dice
        if module is None:
            return None
        corner = self._corner
        return DiceUnitPlace(x=corner, y=-corner, dice=module.dice)

    def ready_lamp(self) -> Point | None:
        """The lamp that is lit while people can reach into the table."""
        return Point(x=-self._corner, y=-self._corner) if self.table.modules.ready else None

    def flipper(self) -> Point | None:
        """The flipper under its column; None if this layout has no such column."""
        module = self.table.modules.flipper
        if module is None or self.staging is None:
            return None
        columns = self.staging.columns(module.tray)
        if module.column > columns:
            return None
        spot = self.tile_field.wall(module.tray, module.column, columns)
        return Point(x=spot.x, y=spot.y)

    def lamps(self) -> tuple[WallLamps, ...]:
        """The lamps behind the columns of each wall."""
        module = self.table.modules.lamps
        if module is None or self.staging is None:
            return ()
        back = -(self.tile_field.tile_length / 2 + LAMP_GAP)
        strips = []
        for tray in range(len(module.walls)):
            columns = self.staging.columns(tray)
            spots = [
                self.tile_field.wall(tray, column, columns).moved(0, back, tray)
                for column in range(1, columns + 1)
            ]
            lamps = tuple(Point(x=spot.x, y=spot.y) for spot in spots)
            strips.append(WallLamps(tray=tray, lamps=lamps))
        return tuple(strips)

    def parts(self) -> dict[str, Point]:
        """The position of every part, by the name that faults and prompts use."""
        return dict(self._parts())

    def _parts(self) -> Iterator[tuple[str, Point]]:
        modules, centre = self.table.modules, Point(x=0.0, y=0.0)
        yield "table", centre
        for name in ("drum", "magazine", "lid", "gantry", "chain", "reader"):
            if getattr(modules, name) is not None:
                yield name, centre
        if modules.gantry is not None:
            yield "gripper", centre
        if modules.trays is not None:
            yield "trays", centre
            for tray in self.trays():
                yield f"lift {tray.number}", Point(x=tray.x, y=tray.y)
                yield f"tray {tray.number}", Point(x=tray.x, y=tray.y)
        for name, head in self.heads().items():
            yield name, Point(x=head.x, y=head.y)
        for seat in range(len(modules.lanes.seats) if modules.lanes else 0):
            spot = self._at_side(seat, self.table.field.hand_distance)
            yield f"hand lane {seat}", Point(x=spot.x, y=spot.y)
        for number in range(len(modules.lamps.walls) if modules.lamps else 0):
            spot = self._at_side(number, self.table.field.wall_distance)
            yield f"wall {number}", Point(x=spot.x, y=spot.y)
        if (dice := self.dice()) is not None:
            yield "dice", Point(x=dice.x, y=dice.y)
        if (flipper := self.flipper()) is not None:
            yield "flipper", flipper

    def channels(self) -> dict[str, str]:
        """The part of each channel that a module names."""
        return {channel: part for channel, part, _ in named_channels(self.table)}

    def _at_side(self, side: int, distance: float) -> Spot:
        return CENTRE.moved(0, -distance, side)

    @property
    def _corner(self) -> float:
        """Distance of the corner modules from both middle lines of the field."""
        return round(self.table.field.hand_distance - 0.02, 4)


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
