"""Plans the moves that rearrange a pile: the moves that announce a cut, and joining stacks.

The pile is before the operator's side; its columns are numbered from the operator's right (PG 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from config.layout.field import Spot
from config.layout.staging import PILE_TRAYS, Staging
from controller.run.planning.blocks import Block
from controller.run.planning.carries import Carried, Carrying, along
from controller.run.planning.moves import Carry
from controller.run.planning.table_top import Stack, TableTop
from rules.geometry import PilePlace, Place
from rules.steps import Arrange

SIDE = PILE_TRAYS[1]
"""The side of the table at which the pile is, as one pile or made of two halves."""
PUSH = 1.5
"""Distance by which a column is pushed forward, in tile lengths."""
MIDDLE = 3.0
"""Distance of the place where stacks are joined from the pile's row, in tile lengths."""
ASIDE = 2
"""Distance by which a column slides to the side, also as a wing, in columns."""


@dataclass(frozen=True)
class Arranging:
    """Plans rearrangements of one staged pile."""

    carrying: Carrying
    staging: Staging

    def halves(self, top: TableTop) -> tuple[list[Carry], TableTop]:
        """Carry the upper half of a pile onto the lower half."""
        upper, lower = PILE_TRAYS
        columns = self.staging.columns(lower)
        field = self.carrying.field
        carries: list[Carry] = []
        for first in range(1, columns + 1, 2):
            pair = (first, first + 1)
            facing = [field.wall(upper, columns + 1 - column, columns) for column in pair]
            block = Block(tuple(top.stacks[(spot, 0)] for spot in facing), 0)
            spots = [field.wall(lower, column, columns) for column in pair]
            carry, top = self.carrying.to_spots(block, spots, top)
            carries.append(carry)
        return carries, top

    def carries(self, step: Arrange, top: TableTop) -> tuple[list[Carry], TableTop]:
        """The carries of one rearrangement step. Raises ValueError for an unknown verb."""
        if step.verb == "lay":
            carry, top = self._lay(step, top)
            return [carry], top
        stacks = _stacks(step.tiles, top)
        carries: list[Carry] = []
        for group in _touching(_in_order(step, stacks), top):
            level = max(_lowest(stack, step.tiles) for stack in group)
            spots = [self._goal(step, stacks.index(stack), stack, top) for stack in group]
            carry, top = self.carrying.to_spots(Block(group, level), spots, top)
            carries.append(carry)
        return carries, top

    def _lay(self, step: Arrange, top: TableTop) -> Carried:
        (place,) = step.tiles
        stack = top.stack_of(place)
        over = [self._spot_of(column, top) for column in step.to]
        return self.carrying.across(Block((stack,), stack.level(place)), over, top)

    def _goal(self, step: Arrange, number: int, stack: Stack, top: TableTop) -> Spot:
        """The spot to which one stack is carried. Raises ValueError for an unknown verb."""
        field = self.carrying.field
        match step.verb, step.to:
            case "push", _:
                return stack.spot.moved(0, PUSH * field.tile_length, SIDE)
            case "slide", (way,):
                return stack.spot.moved(_sign(way) * ASIDE * field.pitch, 0, SIDE)
            case "wing", (way,):
                end = (max if way == "right" else min)(self._row_of(top), key=along)
                return end.moved(_sign(way) * ASIDE * field.pitch, 0, SIDE)
            case "join", _:
                pair = self.carrying.row(self._mid_table(), 2, SIDE)
                return min(pair, key=lambda spot: abs(along(spot) - along(stack.spot)))
            case "lift", columns:
                return self._built_at(columns[number])
        raise ValueError(f"The verb {step.verb} to {', '.join(step.to)} cannot be planned.")

    # Positions of the pile

    def _built_at(self, column: str) -> Spot:
        """The spot at which a column of the pile was built."""
        return self.carrying.field.wall(SIDE, int(column[1:]), self.staging.columns(SIDE))

    def _spot_of(self, column: str, top: TableTop) -> Spot:
        """The present spot of a column, found by its lowest tile, also after a slide."""
        places = [
            place
            for place in self.staging.slots
            if isinstance(place, PilePlace) and place.column == int(column[1:])
        ]
        return top.stack_of(max(places, key=lambda place: place.level)).spot

    def _row_of(self, top: TableTop) -> list[Spot]:
        """The spots of stacks that are in the row in which the pile was built."""
        row = self.carrying.field.wall(SIDE, 1, 1).y
        return [stack.spot for stack in top.stacks.values() if abs(stack.spot.y - row) < 1e-3]

    def _mid_table(self) -> Spot:
        field = self.carrying.field
        return field.wall(SIDE, 1, 1).moved(0, MIDDLE * field.tile_length, SIDE)


def _sign(way: str) -> int:
    return 1 if way == "right" else -1


def _in_order(step: Arrange, stacks: list[Stack]) -> list[Stack]:
    """The order of the stacks: for a slide the outermost first, so that each new place is free."""
    if step.verb != "slide":
        return stacks
    return sorted(stacks, key=lambda stack: along(stack.spot), reverse=step.to == ("right",))


def _touching(stacks: Sequence[Stack], top: TableTop) -> list[tuple[Stack, ...]]:
    """Group the stacks into pairs that one carry takes, and single stacks."""
    groups: list[tuple[Stack, ...]] = []
    for stack in stacks:
        last = groups[-1] if groups else ()
        if len(last) == 1 and stack in top.neighbours(last[0]):
            groups[-1] = (last[0], stack)
        else:
            groups.append((stack,))
    return groups


def _stacks(tiles: Sequence[Place], top: TableTop) -> list[Stack]:
    return list(dict.fromkeys(top.stack_of(place) for place in tiles))


def _lowest(stack: Stack, tiles: Sequence[Place]) -> int:
    return min(stack.level(place) for place in stack.tiles if place in tiles)
