"""Plans carries to a seat, to a parking place or to any spots, with the table top after each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from config.layout.field import Field, Spot
from controller.run.planning.blocks import Block, grasp
from controller.run.planning.moves import Carry, TurnOver
from controller.run.planning.table_top import TableTop
from rules.geometry import Place, Seat

CLEARANCE = 0.015
"""Clearance between the highest tile and a block that passes over it, metres."""
GAP = 0.004
"""Clearance between two blocks of a hand, metres."""

Carried = tuple[Carry, TableTop]
"""A carry, and the table top after it."""


@dataclass(frozen=True)
class Carrying:
    """Plans carries on one field with this number of seats."""

    field: Field
    seats: int

    def to_spots(
        self, block: Block, spots: Sequence[Spot], top: TableTop, seat: Seat | None = None
    ) -> Carried:
        """Carry a block to these spots, given in any order; the order of its columns is kept."""
        order = sorted(range(len(block.stacks)), key=lambda i: along(block.stacks[i].spot))
        landing = sorted(spots, key=along)
        columns = block.columns
        after = top.without(block.tiles)
        level = max(after.support(spot) for spot in landing)
        for index, spot in zip(order, landing, strict=True):
            after = after.with_column(spot, columns[index])
        held = grasp(landing, level)
        return Carry(block.tiles, block.grasp, held, self.clear(top), seat), after

    def to_seat(self, block: Block, seat: Seat, top: TableTop) -> Carried:
        """Carry a block to the next free spot of a seat's row."""
        width = len(block.stacks) * self.field.pitch
        begun = self.field.room(seat, self.seats, top.reach.get(seat, 0.0), width)
        middle = self.field.hand(seat, self.seats, begun + width / 2)
        spots = self.row(middle, len(block.stacks), self.field.hand_side(seat, self.seats))
        reach = MappingProxyType({**top.reach, seat: begun + width + GAP})
        return self.to_spots(block, spots, replace(top, reach=reach), seat)

    def to_parking(self, block: Block, top: TableTop) -> Carried:
        """Carry a block to the first free parking place. Raises ValueError if there is none."""
        for number in range(self.field.parkings):
            middle = self.field.parking(number)
            if not any(top.support(spot) for spot in (*self.row(middle, 2, 0), middle)):
                return self.to_spots(block, self.row(middle, len(block.stacks), 0), top)
        raise ValueError(f"All {self.field.parkings} parking places are occupied.")

    def across(self, block: Block, over: Sequence[Spot], top: TableTop) -> Carried:
        """Carry one tile, turned by a right angle, onto the stacks at `over`, centred on them."""
        (stack,) = block.stacks
        spot = replace(over[len(over) // 2], crossed=not stack.spot.crossed)
        after = top.without(block.tiles)
        level = max(after.support(each) for each in over)
        after = after.with_column(spot, block.tiles, tuple(over))
        return Carry(block.tiles, block.grasp, grasp([spot], level), self.clear(top)), after

    def turn_over(self, place: Place, top: TableTop) -> TurnOver:
        """Lift one tile, turn it and set it down at its place."""
        stack = top.stack_of(place)
        return TurnOver(place, grasp([stack.spot], stack.level(place)), self.clear(top))

    def clear(self, top: TableTop) -> float:
        """The height at which the jaws pass over all stacks, metres."""
        return top.highest * self.field.tile_height + CLEARANCE

    def row(self, middle: Spot, columns: int, side: int) -> list[Spot]:
        """The spots of touching columns around a middle, from the right of the side."""
        return [
            middle.moved(((columns + 1) / 2 - number) * self.field.pitch, 0, side)
            for number in range(1, columns + 1)
        ]


def along(spot: Spot) -> float:
    """The coordinate along which the jaws hold two columns: x, or y if the jaws are turned."""
    return spot.y if spot.crossed else spot.x
