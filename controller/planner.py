"""From a step of the rules to the moves of this machine: pure, one table top in, the next one out.

The gripper takes, from the top, a block of one or two touching columns. What a step wants and can
be taken is taken; what lies over it is parked first; columns that do not touch go one by one.
A step for which the table has no module becomes a `Prompt`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from config.field import Field, Spot
from config.schema import Table
from config.staging import PILE_TRAYS, Slot, Staging
from controller.moves import Carry, FlipIndicator, Grasp, Move, Present, Prompt, Shake, TurnOver
from controller.rest import rest_of
from controller.tabletop import Stack, TableTop, raised
from rules.geometry import Place, Seat
from rules.setup import Setup
from rules.steps import (
    Arrange,
    Build,
    Choose,
    DrawLot,
    Packet,
    Replace,
    ReturnLots,
    Step,
    Throw,
    TurnUp,
)

CLEARANCE = 0.015
"""Air between the highest tile and what passes over it, metres."""
PUSH = 1.5
"""How far a pushed column comes forward, in tile lengths."""
MIDDLE = 3.0
"""How far before its row lies the place where stacks are joined, in tile lengths."""
GAP = 0.004
"""Air between two blocks of a hand, metres."""


@dataclass(frozen=True)
class Plan:
    """The moves of one step, in order, and the table top that they leave."""

    moves: tuple[Move, ...]
    top: TableTop


@dataclass(frozen=True)
class Block:
    """One or two touching columns that the jaws can take: the stacks and the level they close on."""

    stacks: tuple[Stack, ...]
    level: int

    @property
    def columns(self) -> tuple[tuple[Place, ...], ...]:
        """Each column's places, bottom first."""
        return tuple(stack.tiles[self.level - stack.base :] for stack in self.stacks)

    @property
    def tiles(self) -> tuple[Place, ...]:
        return tuple(place for column in self.columns for place in reversed(column))

    @property
    def grasp(self) -> Grasp:
        return grasp([stack.spot for stack in self.stacks], self.level)


@dataclass(frozen=True)
class Planner:
    """Plans for one table, one staged layout and one number of seats."""

    table: Table
    drawing: Field
    staging: Staging
    seats: int
    hands: Mapping[Seat, tuple[Place, ...]] = field(default_factory=dict)
    """What each hand lane holds, where hands are picked before the walls."""

    @property
    def carries(self) -> bool:
        """Whether a gantry moves tiles here."""
        return self.table.modules.gantry is not None and bool(self.staging.fills)

    @property
    def turns(self) -> bool:
        """Whether the gripper can turn a tile over."""
        gantry = self.table.modules.gantry
        return gantry is not None and gantry.turner is not None

    @property
    def levels(self) -> int:
        """The most levels that the gripper takes."""
        gantry = self.table.modules.gantry
        return gantry.levels if gantry else 0

    def with_lanes(self, end: Setup) -> Planner:
        """The same planner once the throws are known, and with them the places the lanes hold.

        `end` is the set-up as it will be when everything is dealt.
        """
        flipper, indicator = self.table.modules.flipper, end.ready and end.ready.indicator
        shown = None
        if flipper and indicator:
            shown = (indicator, Slot(flipper.tray, flipper.column, 1))
        staging = self.staging.with_rest(rest_of(end), shown)
        return replace(self, staging=staging, hands=MappingProxyType(dict(end.hands)))

    def raised(self) -> Plan:
        """The table top after the lifts, and the moves that make one pile of two halves."""
        top = raised(self.staging, self.drawing, self.seats)
        if not (self.carries and self.staging.halves):
            return Plan((), top)
        upper, lower = PILE_TRAYS
        moves: list[Move] = []
        columns = self.staging.columns(lower)
        for first in range(1, columns + 1, 2):
            spots = [self.drawing.wall(lower, column, columns) for column in (first, first + 1)]
            facing = [columns + 1 - column for column in (first, first + 1)]
            stacks = [top.stacks[(self.drawing.wall(upper, c, columns), 0)] for c in facing]
            carry, top = self._carry(top, Block(tuple(stacks), 0), spots)
            moves.append(carry)
        return Plan(tuple(moves), top)

    def plan(self, step: Step, top: TableTop) -> Plan:
        """The moves of a step from this table top on."""
        match step:
            case Throw() if self.table.modules.dice is not None:
                return Plan((Shake(step.dice, step.times),), top)
            case Packet() if self.hands:
                return self._present(step.seat, top)
            case Packet() if self.carries:
                return self.deliver(step.places, step.seat, top)
            case Replace() if self.carries:
                return self.deliver((step.place,), step.seat, top)
            case DrawLot() if self.carries:
                brought = self.deliver((step.place,), step.seat, top)
                return Plan((*brought.moves, Prompt(step)), brought.top)
            case ReturnLots():
                return Plan((Prompt(step),), self._put_back(step.places, top))
            case Arrange() if self.carries:
                return self._arrange(step, top)
            case TurnUp() if self.carries and self.turns:
                return self._turn_up(step.place, top)
            case TurnUp() if self.table.modules.flipper is not None and self.hands:
                spot = top.stack_of(step.place).spot
                return Plan((FlipIndicator(step.place, spot),), top)
        return Plan((Prompt(step),), top.without(_taken(step, top)))

    def deliver(self, places: Sequence[Place], seat: Seat, top: TableTop) -> Plan:
        """Bring these tiles to a seat, parking what lies over them."""
        moves: list[Move] = []
        wanted = list(places)
        while wanted:
            block = self.available(wanted, top)
            if block is None:
                carry, top = self._park(wanted[0], top)
            else:
                carry, top = self._hand_over(top, block, seat)
                wanted = [place for place in wanted if place not in carry.tiles]
            moves.append(carry)
        return Plan(tuple(moves), top)

    def available(self, wanted: Sequence[Place], top: TableTop) -> Block | None:
        """The first block of wanted tiles that can be taken now, as large as the jaws allow."""
        for place in wanted:
            stack = top.stack_of(place)
            level = self._free_level(stack, wanted, top)
            if level is None or place not in stack.tiles[level - stack.base :]:
                continue
            for way in (1, -1):
                other = top.neighbour(stack, way)
                if other is not None and self._free_level(other, wanted, top) == level:
                    return Block((stack, other), level)
            return Block((stack,), level)
        return None

    def hand_over(self, block: Block, seat: Seat, top: TableTop) -> Plan:
        """Carry one block to a seat."""
        carry, top = self._hand_over(top, block, seat)
        return Plan((carry,), top)

    def _present(self, seat: Seat, top: TableTop) -> Plan:
        """A lane brings its seat all its tiles with the seat's first packet."""
        if seat in top.reach:
            return Plan((), top)
        reach = MappingProxyType({**top.reach, seat: 1.0})
        return Plan((Present(seat, self.hands[seat]),), replace(top, reach=reach))

    # How blocks are found

    def _free_level(self, stack: Stack, wanted: Sequence[Place], top: TableTop) -> int | None:
        """The level from which everything in a stack is wanted and free; None if nothing is."""
        if top.resting_on(stack) is not None:
            return None
        level = stack.top
        for place in reversed(stack.tiles[-self.levels :]):
            if place not in wanted:
                break
            level -= 1
        return level if level < stack.top else None

    def _park(self, place: Place, top: TableTop) -> tuple[Carry, TableTop]:
        """Carry what lies over a tile to a parking place, with the same of the next column."""
        stack = top.stack_of(place)
        across = top.resting_on(stack)
        if across is not None:
            block = Block((across,), across.base)
        else:
            level = stack.level(place) + 1
            while stack.top - level > self.levels:
                level = stack.top - self.levels
            block = Block((stack,), level)
            for way in (1, -1):
                other = top.neighbour(stack, way)
                if other is not None and other.top == stack.top and not top.resting_on(other):
                    block = Block((stack, other), level)
                    break
        spots = self._parking(top, len(block.stacks))
        return self._carry(top, block, spots)

    def _parking(self, top: TableTop, columns: int) -> list[Spot]:
        number = 0
        while True:
            middle = self.drawing.parking(number)
            spots = self._row(middle, columns, 0)
            if not any(top.support(spot) for spot in self._row(middle, 2, 0) + [middle]):
                return spots
            number += 1

    def _put_back(self, places: Sequence[Place], top: TableTop) -> TableTop:
        """People lay shown lots back where they came from, the lower ones first."""
        for place in sorted(places, key=lambda at: -self.staging.slots[at].level):
            slot = self.staging.slots[place]
            spot = self.drawing.wall(slot.tray, slot.column, self.staging.columns(slot.tray))
            top = (top.without((place,)) if place in top.at else top).with_column(spot, (place,))
        return top

    # How blocks are carried

    def _hand_over(self, top: TableTop, block: Block, seat: Seat) -> tuple[Carry, TableTop]:
        width = len(block.stacks) * self.drawing.pitch
        begun = top.reach.get(seat, 0.0)
        middle = self.drawing.hand(seat, self.seats, begun + width / 2)
        side = self.drawing.hand_side(seat, self.seats)
        spots = self._row(middle, len(block.stacks), side)
        top = replace(top, reach=MappingProxyType({**top.reach, seat: begun + width + GAP}))
        return self._carry(top, block, spots, seat)

    def _carry(
        self, top: TableTop, block: Block, spots: Sequence[Spot], seat: Seat | None = None
    ) -> tuple[Carry, TableTop]:
        """A carry onto these spots (in any order): the jaws keep the columns' own order."""
        order = sorted(range(len(block.stacks)), key=lambda i: _along(block.stacks[i].spot))
        landing = sorted(spots, key=_along)
        clear = top.highest * self.drawing.tile_height + CLEARANCE
        columns = block.columns
        after = top.without(block.tiles)
        level = max(after.support(spot) for spot in landing)
        for index, spot in zip(order, landing, strict=True):
            after = after.with_column(spot, columns[index])
        carry = Carry(block.tiles, block.grasp, grasp(landing, level), clear, seat)
        return carry, after

    def _row(self, middle: Spot, columns: int, side: int) -> list[Spot]:
        """The spots of so many touching columns about a middle, from that side's right."""
        return [
            middle.moved(((columns + 1) / 2 - number) * self.drawing.pitch, 0, side)
            for number in range(1, columns + 1)
        ]

    # How a pile is rearranged

    def _arrange(self, step: Arrange, top: TableTop) -> Plan:
        side = PILE_TRAYS[1]
        moves: list[Move] = []
        stacks = _stacks(step.tiles, top)
        if step.verb == "lay":
            carry, top = self._lay_across(step, top)
            return Plan((carry,), top)
        for group in self._touching(step, stacks, top):
            block = Block(
                group, max(min(map(stack.level, _of(stack, step.tiles))) for stack in group)
            )
            spots = [self._goal(step, stacks.index(stack), stack, top, side) for stack in group]
            carry, top = self._carry(top, block, spots)
            moves.append(carry)
        return Plan(tuple(moves), top)

    def _touching(
        self, step: Arrange, stacks: list[Stack], top: TableTop
    ) -> list[tuple[Stack, ...]]:
        """The stacks of a rearrangement in pairs that one carry takes, or alone."""
        if step.verb == "slide":
            stacks = sorted(stacks, key=lambda stack: stack.spot.x, reverse=step.to == ("right",))
        groups: list[tuple[Stack, ...]] = []
        for stack in stacks:
            last = groups[-1] if groups else ()
            if len(last) == 1 and stack in (top.neighbour(last[0], 1), top.neighbour(last[0], -1)):
                groups[-1] = (last[0], stack)
            else:
                groups.append((stack,))
        return groups

    def _goal(self, step: Arrange, number: int, stack: Stack, top: TableTop, side: int) -> Spot:
        """Where one stack of a rearrangement goes."""
        length, pitch = self.drawing.tile_length, self.drawing.pitch
        match step.verb, step.to:
            case "push", _:
                return stack.spot.moved(0, PUSH * length, side)
            case "slide", (way,):
                return stack.spot.moved((2 if way == "right" else -2) * pitch, 0, side)
            case "wing", (way,):
                return self._outside(way, top, side)
            case "join", _:
                row = self._row(self._mid_table(side), 2, side)
                nearest = sorted(row, key=lambda spot: abs(spot.x - stack.spot.x))
                return nearest[0]
            case "lift", columns:
                return self._base_of(columns[number], top)
        raise ValueError(f"No gripper can {step.verb} tiles to {', '.join(step.to)}.")

    def _mid_table(self, side: int) -> Spot:
        middle = self.drawing.wall(side, 1, 1)
        return middle.moved(0, MIDDLE * self.drawing.tile_length, side)

    def _outside(self, way: str, top: TableTop, side: int) -> Spot:
        """Two columns beyond the last stack of the row."""
        row = [s.spot for s in top.stacks.values() if abs(s.spot.y - self._base_y(side)) < 1e-3]
        if way == "right":
            return max(row, key=_along).moved(2 * self.drawing.pitch, 0, side)
        return min(row, key=_along).moved(-2 * self.drawing.pitch, 0, side)

    def _base_y(self, side: int) -> float:
        return self.drawing.wall(side, 1, 1).y

    def _base_of(self, column: str, top: TableTop) -> Spot:
        """The spot at which a column of the pile was built and still stands."""
        side = PILE_TRAYS[1]
        return self.drawing.wall(side, int(column[1:]), self.staging.columns(side))

    def _lay_across(self, step: Arrange, top: TableTop) -> tuple[Carry, TableTop]:
        """One tile, turned, over the tops of its neighbours."""
        (place,) = step.tiles
        stack = top.stack_of(place)
        block = Block((stack,), stack.level(place))
        over = tuple(self._current(column, top) for column in step.to)
        spot = replace(over[len(over) // 2], crossed=not stack.spot.crossed)
        clear = top.highest * self.drawing.tile_height + CLEARANCE
        after = top.without((place,))
        level = max(after.support(each) for each in over)
        after = after.with_column(spot, (place,), over)
        return Carry((place,), block.grasp, grasp([spot], level), clear), after

    def _current(self, column: str, top: TableTop) -> Spot:
        """Where a column of the pile stands now, wherever it slid: by its lowest tile."""
        number = int(column[1:])
        lowest = max(
            (place for place in self.staging.slots if getattr(place, "column", 0) == number),
            key=lambda place: getattr(place, "level", 0),
        )
        return top.stack_of(lowest).spot

    # How the indicator is turned

    def _turn_up(self, place: Place, top: TableTop) -> Plan:
        stack = top.stack_of(place)
        clear = top.highest * self.drawing.tile_height + CLEARANCE
        hold = grasp([stack.spot], stack.level(place))
        return Plan((TurnOver(place, hold, clear),), top)


def grasp(spots: Sequence[Spot], level: int) -> Grasp:
    """The jaws over one column, or over two that touch."""
    middle = Spot(
        round(sum(spot.x for spot in spots) / len(spots), 6),
        round(sum(spot.y for spot in spots) / len(spots), 6),
        spots[0].crossed,
    )
    return Grasp(middle, level, len(spots) == 2)


def _along(spot: Spot) -> float:
    """How jaws tell their two columns apart: by x, or by y when they are turned."""
    return spot.y if spot.crossed else spot.x


def _stacks(tiles: Sequence[Place], top: TableTop) -> list[Stack]:
    stacks: list[Stack] = []
    for place in tiles:
        stack = top.stack_of(place)
        if stack not in stacks:
            stacks.append(stack)
    return stacks


def _of(stack: Stack, tiles: Sequence[Place]) -> list[Place]:
    return [place for place in stack.tiles if place in tiles]


def _taken(step: Step, top: TableTop) -> tuple[Place, ...]:
    """The tiles that people take off the field in a guided step."""
    match step:
        case Packet():
            places: tuple[Place, ...] = step.places
        case Replace() | DrawLot():
            places = (step.place,)
        case Build() | Throw() | Choose() | Arrange() | TurnUp() | ReturnLots():
            places = ()
    return tuple(place for place in places if place in top.at)
