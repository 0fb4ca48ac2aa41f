"""Plans carries of blocks of tiles, and moves that rearrange a pile, with the table top after each.

A `Block` is what the jaws can take: one or two touching columns, from a level up to the top.
`Carrying` plans carries of blocks to a seat, to a parking place or to any spots. `Arranging` plans
the moves that announce a cut of a pile, and the joining of stacks; the pile is before the
operator's side, and its columns are numbered from the operator's right (PG 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from config.layout.field import Field, Spot
from config.layout.staging import PILE_TRAYS, Staging
from controller.run.planning.moves import Carry, Grasp, TurnOver
from controller.run.planning.table_top import Stack, TableTop
from rules.geometry import PilePlace, Place, Seat
from rules.steps import Arrange


@dataclass(frozen=True)
class Block:
    """A block: its one or two stacks, and the level at which the jaws close."""

    stacks: tuple[Stack, ...]
    level: int

    @property
    def columns(self) -> tuple[tuple[Place, ...], ...]:
        """The places of each column, bottom first."""
        return tuple(stack.tiles[self.level - stack.base :] for stack in self.stacks)

    @property
    def tiles(self) -> tuple[Place, ...]:
        """All places, column by column, top first."""
        return tuple(place for column in self.columns for place in reversed(column))

    @property
    def grasp(self) -> Grasp:
        """The position of the jaws for this block."""
        return grasp([stack.spot for stack in self.stacks], self.level)


def grasp(spots: Sequence[Spot], level: int) -> Grasp:
    """The position of the jaws over one column, or over two columns that touch."""
    middle = Spot(
        round(sum(spot.x for spot in spots) / len(spots), 6),
        round(sum(spot.y for spot in spots) / len(spots), 6),
        spots[0].crossed,
    )
    return Grasp(middle, level, len(spots) == 2)


def available(wanted: Sequence[Place], top: TableTop, levels: int) -> Block | None:
    """The first free block of wanted tiles, at most `levels` high; None if there is none."""
    for place in wanted:
        stack = top.stack_of(place)
        level = _free_from(stack, wanted, top, levels)
        if level is None or place not in stack.tiles[level - stack.base :]:
            continue
        for other in top.neighbours(stack):
            if _free_from(other, wanted, top, levels) == level:
                return Block((stack, other), level)
        return Block((stack,), level)
    return None


def covering(place: Place, top: TableTop, levels: int) -> Block:
    """The tiles above a tile, as a block with those of a neighbour stack of the same height."""
    stack = top.stack_of(place)
    across = top.resting_on(stack)
    if across is not None:
        return Block((across,), across.base)
    level = max(stack.level(place) + 1, stack.top - levels)
    for other in top.neighbours(stack):
        if other.top == stack.top and top.resting_on(other) is None:
            return Block((stack, other), level)
    return Block((stack,), level)


def _free_from(stack: Stack, wanted: Sequence[Place], top: TableTop, levels: int) -> int | None:
    """The level from which all tiles of a stack are wanted and free; None if there is none."""
    if top.resting_on(stack) is not None:
        return None
    level = stack.top
    for place in reversed(stack.tiles[-levels:]):
        if place not in wanted:
            break
        level -= 1
    return level if level < stack.top else None


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
