"""Positions of a table's modules in the picture.

A table's file gives the distances of walls and hands; it has no drawing of the machine below. The
positions of drum, heads, lid, dice unit and lamps are therefore derived from these distances, so
that they are inside the field and do not cover each other (ours).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from config.layout.field import Field, Spot
from config.layout.staging import Staging
from config.schema import AxisChannel, Table
from controller.upkeep.selftest.trial import named_channels
from controller.web.panel.scene_geometry import (
    DiceUnitPlace,
    DiscPlace,
    GantryReach,
    HeadPlace,
    Point,
    TravelAxis,
    TrayPlace,
    WallLamps,
)

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
