"""Plans the moves of a step and the table top after them; pure functions.

The gripper takes a block of one or two touching columns from above. Tiles that cover the step's
tiles are parked first; columns that do not touch are carried separately. A step for which the table
has no module becomes a `Prompt`.

`fastest_order` reorders packets to minimise empty gantry travel; every hand receives the same
tiles. The order of packets in the rules is a custom: the break determines the tiles of each packet,
so the order of delivery does not change them. `preview` plans a complete set-up without a machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from config.layout.field import Field, Spot
from config.layout.staging import Slot, Staging, stage
from config.schema import Table, TileSize
from controller.run.planning.carries import Arranging, Block, Carrying, available, covering
from controller.run.planning.least_times import move_seconds, top_bound
from controller.run.planning.moves import Carry, FlipIndicator, Move, Present, Prompt, Shake
from controller.run.planning.setup_forecast import rest_of, seats_of
from controller.run.planning.table_top import TableTop, raised
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


@dataclass(frozen=True)
class Plan:
    """The moves of one step, in order, and the table top after them."""

    moves: tuple[Move, ...]
    top: TableTop


@dataclass(frozen=True)
class Planner:
    """Plans for one table, one staged layout and one number of seats."""

    table: Table
    tile_field: Field
    staging: Staging
    seats: int
    hands: Mapping[Seat, tuple[Place, ...]] = field(default_factory=dict)
    """The places in each hand lane, if the table fills lanes before the walls."""

    @property
    def carries(self) -> bool:
        """Whether the gantry moves tiles in this game."""
        return self.table.modules.gantry is not None and bool(self.staging.fills)

    @property
    def turns(self) -> bool:
        """Whether the gripper can turn a tile over."""
        gantry = self.table.modules.gantry
        return gantry is not None and gantry.turner is not None

    @property
    def levels(self) -> int:
        """The largest number of levels that the gripper takes."""
        gantry = self.table.modules.gantry
        return gantry.levels if gantry else 0

    def with_lanes(self, end: Setup) -> Planner:
        """The planner with the places in lanes and trays assigned, after the throws are known.

        `end` is the complete set-up that follows from the throws.
        """
        flipper, indicator = self.table.modules.flipper, end.ready and end.ready.indicator
        shown = None
        if flipper and indicator:
            shown = (indicator, Slot(flipper.tray, flipper.column, 1))
        held: dict[Seat, tuple[Place, ...]] = {}
        beyond: list[Place] = []
        for seat, places in end.hands.items():
            size = self.staging.lanes[seat]
            held[seat] = places[:size]
            beyond += places[size:]
        staging = self.staging.with_rest((*beyond, *rest_of(end)), shown)
        return replace(self, staging=staging, hands=MappingProxyType(held))

    def raised(self) -> Plan:
        """The table top after the lifts, and the moves that join two halves of a pile."""
        top = raised(self.staging, self.tile_field, self.seats)
        if not (self.carries and self.staging.halves):
            return Plan((), top)
        moves, top = self._arranging.halves(top)
        return Plan(tuple(moves), top)

    def plan(self, step: Step, top: TableTop) -> Plan:
        """Plan a step that begins with this table top."""
        match step:
            case Throw() if self.table.modules.dice is not None:
                return Plan((Shake(step.dice, step.times),), top)
            case Packet() if self._in_lane(step):
                return self._present(step, top)
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
                moves, after = self._arranging.carries(step, top)
                return Plan(tuple(moves), after)
            case TurnUp() if self.carries and self.turns:
                return Plan((self._carrying.turn_over(step.place, top),), top)
            case TurnUp() if self.table.modules.flipper is not None and self.hands:
                spot = top.stack_of(step.place).spot
                return Plan((FlipIndicator(step.place, spot),), top)
        return Plan((Prompt(step),), top.without(_taken(step, top)))

    def deliver(self, places: Sequence[Place], seat: Seat, top: TableTop) -> Plan:
        """Plan to bring tiles to a seat; tiles that cover them are parked."""
        moves: list[Move] = []
        wanted = list(places)
        while wanted:
            block = self.available(wanted, top)
            if block is None:
                over = covering(wanted[0], top, self.levels)
                carry, top = self._carrying.to_parking(over, top)
            else:
                carry, top = self._carrying.to_seat(block, seat, top)
                wanted = [place for place in wanted if place not in carry.tiles]
            moves.append(carry)
        return Plan(tuple(moves), top)

    def available(self, wanted: Sequence[Place], top: TableTop) -> Block | None:
        """The first free block of wanted tiles, as large as possible; None if there is none."""
        return available(wanted, top, self.levels)

    def hand_over(self, block: Block, seat: Seat, top: TableTop) -> Plan:
        """Plan to carry one block to a seat."""
        carry, top = self._carrying.to_seat(block, seat, top)
        return Plan((carry,), top)

    def _present(self, packet: Packet, top: TableTop) -> Plan:
        """Plan a packet from a lane, which delivers all its tiles with the seat's first packet.

        Tiles of the packet that are not in the lane are taken from the wall by people.
        """
        seat, moves = packet.seat, list[Move]()
        if seat not in top.reach:
            reach = MappingProxyType({**top.reach, seat: 1.0})
            moves, top = [Present(seat, self.hands[seat])], replace(top, reach=reach)
        beyond = tuple(place for place in packet.places if place not in self.hands[seat])
        if beyond:
            moves.append(Prompt(replace(packet, places=beyond)))
        return Plan(tuple(moves), top.without(place for place in beyond if place in top.at))

    def _in_lane(self, packet: Packet) -> bool:
        """Whether a hand lane holds tiles of this packet; packets of the play are in the wall."""
        return not set(packet.places).isdisjoint(self.hands.get(packet.seat, ()))

    def _put_back(self, places: Sequence[Place], top: TableTop) -> TableTop:
        """The table top after people returned drawn tiles to their places, lower ones first."""
        for place in sorted(places, key=lambda at: -self.staging.slots[at].level):
            slot = self.staging.slots[place]
            spot = self.tile_field.wall(slot.tray, slot.column, self.staging.columns(slot.tray))
            top = (top.without((place,)) if place in top.at else top).with_column(spot, (place,))
        return top

    @property
    def _carrying(self) -> Carrying:
        return Carrying(self.tile_field, self.seats)

    @property
    def _arranging(self) -> Arranging:
        return Arranging(self._carrying, self.staging)


def _taken(step: Step, top: TableTop) -> tuple[Place, ...]:
    """The tiles that people take from the field in a guided step."""
    match step:
        case Packet():
            places: tuple[Place, ...] = step.places
        case Replace() | DrawLot():
            places = (step.place,)
        case Build() | Throw() | Choose() | Arrange() | TurnUp() | ReturnLots():
            places = ()
    return tuple(place for place in places if place in top.at)


def fastest_order(
    packets: Sequence[Packet], planner: Planner, top: TableTop
) -> Iterator[tuple[Packet, Plan]]:
    """Yield plans in the new order, each with its packet."""
    open_packets = list(packets)
    left = {packet: list(packet.places) for packet in packets}
    jaws = Spot(0.0, 0.0, False)
    while open_packets:
        free = [
            (block, packet)
            for packet in open_packets
            if (block := planner.available(left[packet], top)) is not None
        ]
        if free:
            block, packet = min(free, key=lambda each: _distance(jaws, each[0].grasp.spot))
            plan = planner.hand_over(block, packet.seat, top)
        else:
            packet = open_packets[0]
            plan = planner.deliver(left[packet], packet.seat, top)
        yield packet, plan
        top = plan.top
        for move in plan.moves:
            if isinstance(move, Carry):
                jaws = move.target.spot
                if move.seat is not None:
                    left[packet] = [place for place in left[packet] if place not in move.tiles]
        if not left[packet]:
            open_packets.remove(packet)


def _distance(one: Spot, other: Spot) -> float:
    """Distance that determines the travel time: the longer one, because both axes move together."""
    return max(abs(one.x - other.x), abs(one.y - other.y))


@dataclass(frozen=True)
class Preview:
    """The moves of a table for a complete set-up, and their least durations.

    `seconds_each` are the durations of the moves; `seconds` is their sum plus the time in which the
    walls are raised.
    """

    staging: Staging
    moves: tuple[Move, ...]
    seconds_each: tuple[float, ...]
    seconds: float
    top: TableTop


def preview(
    setup: Setup, table: Table, tile: TileSize, hands: Mapping[Seat, int] | None
) -> Preview:
    """Plan every step of a complete set-up. Raises DoesNotFitError.

    `hands` are the numbers of tiles in hand lanes by seat, None if lanes are not used.
    """
    staging = stage(setup.layout, table, hands)
    planner = Planner(table, Field(table, tile), staging, seats_of(setup))
    if hands:
        planner = planner.with_lanes(setup)
    raised = planner.raised()
    moves, top = list(raised.moves), raised.top
    for step, _ in setup.done:
        if not isinstance(step, Build):
            plan = planner.plan(step, top)
            moves += plan.moves
            top = plan.top
    height = tile.height_mm / 1000
    return Preview(
        planner.staging,
        tuple(moves),
        tuple(round(seconds, 3) for seconds in move_seconds(moves, table, height)),
        round(top_bound(moves, table, staging, height), 3),
        top,
    )
