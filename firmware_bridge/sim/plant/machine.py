"""The plant: simulates one table's mechanics and tracks every tile by identity and place.

It is built from the table's modules, and implements `Wiring` for all the table's boards. A change
of an output moves a part, a part moves sensors and tiles, and a sensor's change reaches its board
at once. An order that no mechanism can execute raises ImpossibleOrderError, and its board latches a
fault.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from config.layout.field import Field
from config.layout.staging import Fill
from config.schema import Table, TileSize
from firmware_bridge.sim.faults.injected_fault import InjectedFault
from firmware_bridge.sim.faults.injection import InjectedFaults
from firmware_bridge.sim.faults.kinds import Realm
from firmware_bridge.sim.faults.parts import motors
from firmware_bridge.sim.plant.below_lid.drum import Drum
from firmware_bridge.sim.plant.below_lid.heads import Head
from firmware_bridge.sim.plant.below_lid.outlet import HeadOutlet, Lane
from firmware_bridge.sim.plant.below_lid.ring import Chain
from firmware_bridge.sim.plant.below_lid.trays import Tray
from firmware_bridge.sim.plant.electrical import (
    BoardInputs,
    ConnectedBoards,
    HomeSwitches,
    MotorSupply,
    Relay,
)
from firmware_bridge.sim.plant.floor import FOREIGN, Floor
from firmware_bridge.sim.plant.on_table.felt import Felt
from firmware_bridge.sim.plant.on_table.gantry import Gantry
from firmware_bridge.sim.plant.on_table.mechanisms import Dome, Flipper, Lid
from firmware_bridge.sim.plant.players import People
from firmware_bridge.sim.plant.slide import STALLED_MA
from firmware_bridge.sim.plant.tiles import Holder, Tile, census, unpack
from firmware_bridge.sim.plant.world import PlantPart, World
from firmware_bridge.sim.stall import boards_side
from rules.geometry import Seat

TAGS = 0xE004_0100_0000_0000
"""The tag of tile 0; an ISO 15693 tag begins with E0, and 0 on the wire means no tag."""
FOREIGN_TAGS = 0xE002_0100_0000_0000
"""The tags of foreign tiles, which have another maker's chip."""
PLAY = 300.0
"""Seconds for which a hand is played if no game determines its end (our value)."""


class Plant:
    """The mechanics of one table. `faces` are the faces of one set, in order.

    `seats` is the number of seats to which hands are dealt (None: the table's), `play` the seconds
    for which people play a hand, `people` the class of the simulated people. `chance` False sets
    every duration to its mean. `injected_faults` are the faults to simulate.
    """

    def __init__(
        self,
        table: Table,
        tile: TileSize,
        faces: tuple[str, ...],
        seed: int,
        loop: asyncio.AbstractEventLoop,
        *,
        seats: int | None = None,
        play: float = PLAY,
        chance: bool = True,
        people: type[People] = People,
        injected_faults: Iterable[InjectedFault] = (),
    ) -> None:
        modules = table.modules
        self.table = table
        self.field = Field(table, tile)
        self.felt = Felt(self.field, seats or table.field.seats)
        self.boxes = tuple(Holder(f"box {number}") for number in range(table.sets))
        self.tiles = unpack(self.boxes, faces)
        self.shown: dict[str, int] = {}
        """The present values of lamps and other outputs that only people see."""
        self.output_observers: list[Callable[[str, int], None]] = []
        """Functions called at every change of an output and every start of an axis (value 1)."""
        self.injected_faults = InjectedFaults(table, injected_faults, seed)
        self.injected_faults.appliers[Realm.PLANT] = self._apply_outside_fault
        self._boards = ConnectedBoards(table, loop, self.injected_faults)
        self.world = world = World(
            loop,
            self._boards.sense,
            self._boards.refuse,
            self._boards.draw,
            self.take_out,
            self._uncounted,
            self.injected_faults,
            seed,
            chance,
        )
        self.floor = Floor(world)
        self.tiles += tuple(self.floor.stock(len(self.tiles), faces))
        self.drum = Drum(world, modules.drum, self.floor) if modules.drum else None
        self.dome = Dome(world, modules.dice) if modules.dice else None
        self.people = people(world, modules, self.boxes, self.drum, self.felt, play)
        self.lid = (
            Lid(world, modules.lid, self.people.lid_opens, self.people.lid_opened)
            if modules.lid
            else None
        )
        if self.lid is not None:
            self.people.watch_lid(self.lid.is_open, self.lid.is_closed)
        self.trays = self._trays()
        self.flipper = self._flipper()
        self.chain = Chain(world, modules.chain, len(self.trays)) if modules.chain else None
        self.lanes = self._lanes()
        self.heads = self._heads(tile)
        self.gantry = self._gantry()
        self.relays = tuple(Relay(world, relay) for relay in modules.relay)
        self._supply = MotorSupply(table, self.relays)
        self._home_switches = HomeSwitches(table, self._boards.sense)
        one_each = (self.drum, self.dome, self.flipper, self.people, self.lid, self.chain)
        self._parts: tuple[PlantPart, ...] = (
            *(part for part in one_each if part is not None),
            *self.trays,
            *self.lanes,
            *self.heads,
            *self.relays,
            self.floor,
        )
        self._current_readings = self._current_sensors()
        self._part_of_motor = {
            motor: part for part, names in motors(table).items() for motor in names
        }
        self._handlers = {name: part.output for part in self._parts for name in part.channels}
        if self.gantry is not None:
            self._handlers.update(dict.fromkeys(self.gantry.channels, self.gantry.output))

    def connect(self, boards: Mapping[str, BoardInputs]) -> None:
        """Connect the table's boards to the plant, by name."""
        self._boards.connect(boards)

    def power_on(self) -> None:
        """Set the state at power-on: lid and lifts down, jaws open, both sets in their boxes."""
        self.injected_faults.begin(self.world.loop)
        for part in self._parts:
            part.reset_sensors()
        if self.gantry is not None:
            self.gantry.reset_sensors()
        self._home_switches.reset_sensors()
        for sensor in (*self.table.modules.emergency, *self.table.modules.curtain):
            self.sense(sensor, False)

    def expect(self, fills: Iterable[Fill]) -> None:
        """Set the heights of the walls' columns that the players expect."""
        heights = {fill.tray: fill.stacks for fill in fills}
        for side, tray in enumerate(self.trays):
            tray.expected_heights = heights.get(side, ())

    def census(self) -> dict[str, int]:
        """The number of tiles in each holder. ImpossibleOrderError if one is lost or double."""
        return census(self.tiles, self._holders())

    def hands(self) -> dict[Seat, list[Tile]]:
        """The tiles before each seat."""
        return self.felt.hands()

    # Actions of people

    def emergency_stop(self, pressed: bool) -> None:
        """Press or release the emergency stop, which is wired to every board."""
        for sensor in self.table.modules.emergency:
            self.sense(sensor, pressed)

    def reach_in(self, inside: bool) -> None:
        """Interrupt or leave the light curtain, which is wired to every board."""
        for sensor in self.table.modules.curtain:
            self.sense(sensor, inside)

    def sense(self, channel: str, active: bool) -> None:
        """Report a sensor's change to its board at once, subject to injected faults."""
        self._boards.sense(channel, active)

    def repair(self, code_or_kind: str, part: str) -> bool:
        """Repair a part by hand; return whether it had a fault."""
        with boards_side():
            return self.injected_faults.repair(code_or_kind, part)

    def take_out(self, tile: Tile) -> Tile:
        """Take a tile away by hand, from any place."""
        for head in self.heads:
            if tile.holder in head.holders:
                return head.take_out(tile)
        for tray in self.trays:
            if tile.holder in tray.holders:
                return tray.take_out(tile)
        if self.gantry is not None and tile.holder is self.gantry.held:
            return self.gantry.take_out(tile)
        if tile.holder is self.felt:
            return self.felt.lift(tile)
        assert tile.holder is not None
        return tile.holder.take(tile)

    def put_back_left_over(self) -> None:
        """Put every tile that is left over at a head after a build back into the drum by hand.

        A person who then repairs the set takes a wrong tile out of it. Without a wrong tile the
        left-over tile stays in the drum, and the table finds it again.
        """
        assert self.drum is not None
        for tile in [tile for head in self.heads for tile in head.left_over]:
            self.drum.give(self.take_out(tile))

    def put_away(self) -> None:
        """Put every tile of the table's sets back into its box, from any place.

        This also finds missing tiles and foreign tiles.
        """
        for kind in ("double_feed", "missing_tile", "foreign_tile", "extra_tile", "added_tile"):
            self.repair(kind, "table")
        for tile in self.tiles:
            box = self.boxes[tile.set] if tile.set < len(self.boxes) else self.floor.spare
            if tile.holder is not box and tile.holder is not self.floor.spare:
                box.put(self.take_out(tile))
                tile.up = False
        self.felt.sweep()
        self.people.start_over()

    # The wiring of the boards

    def output(self, channel: str, value: int) -> None:
        for observe in self.output_observers:
            observe(channel, value)
        self._boards.end_draw(channel)
        if value:
            self._supply.check(channel)
        if self.injected_faults:
            self._check_occasions(channel, value)
        handler = self._handlers.get(channel)
        if handler is None:
            self.shown[channel] = value
        else:
            handler(channel, value)

    def axis_begins(self, axis: str, start: float, target: float, seconds: float) -> None:
        for observe in self.output_observers:
            observe(axis, 1)
        self._supply.check(axis)
        if self.injected_faults:
            self.injected_faults.output_changed(self.table.board_of(axis))
        self._home_switches.axis_begins(axis, start, target)
        if self.gantry is not None and axis in self.gantry.channels:
            self.gantry.axis_begins(axis, start, target, seconds)

    def axis_ends(self, axis: str, position: float) -> None:
        self._home_switches.axis_ends(axis, position)
        if self.gantry is not None and axis in self.gantry.channels:
            self.gantry.axis_ends(axis, position)

    def dice(self, channel: str, count: int) -> tuple[int, ...]:
        return self.dome.throw(count) if self.dome is not None else (0,) * count

    def tag(self, channel: str) -> int | None:
        number = self.gantry.tag() if self.gantry is not None else None
        if number is None:
            return None
        foreign = any(tile.number == number and tile.face == FOREIGN for tile in self.tiles)
        return (FOREIGN_TAGS if foreign else TAGS) + number

    def analog(self, channel: str) -> int:
        """A current sensor's value, one millivolt for each milliampere."""
        return round(self._current_readings[channel]())

    # Tiles by place

    def _holders(self) -> tuple[Holder, ...]:
        held = (self.gantry.held,) if self.gantry is not None else ()
        return (*(holder for part in self._parts for holder in part.holders), self.felt, *held)

    def _uncounted(self) -> list[Tile]:
        """The tiles in the drum, on belts before a counter, and on the floor."""
        drum = self.drum.well.tiles if self.drum is not None else []
        coming = [tile for head in self.heads for tile in head.uncounted]
        return [*drum, *coming, *self.floor.fallen.tiles]

    # Construction

    def _trays(self) -> tuple[Tray, ...]:
        trays = self.table.modules.trays
        if trays is None:
            return ()
        sides = range(len(trays.sides))
        return tuple(Tray(self.world, side, trays, self.field, self.felt) for side in sides)

    def _flipper(self) -> Flipper | None:
        module = self.table.modules.flipper
        if module is None:
            return None
        tray = self.trays[module.tray]
        return Flipper(self.world, module, self.felt, lambda: tray.spot(module.column))

    def _lanes(self) -> tuple[Lane, ...]:
        lanes = self.table.modules.lanes
        if lanes is None:
            return ()
        return tuple(Lane(self.world, seat, lanes, self.felt) for seat in range(len(lanes.seats)))

    def _heads(self, tile: TileSize) -> tuple[Head, ...]:
        modules = self.table.modules
        if modules.heads is None or self.drum is None:
            return ()
        levels = modules.trays.levels if modules.trays else 1
        outlets = (
            HeadOutlet(number, port.trays, self.trays, self.lanes, self.chain, self.felt, levels)
            for number, port in enumerate(modules.heads.ports)
        )
        return tuple(
            Head(self.world, number, modules.heads, tile, self.drum, outlet, modules.magazine)
            for number, outlet in enumerate(outlets)
        )

    def _current_sensors(self) -> dict[str, Callable[[], float]]:
        """The function that gives each analogue input's current, milliamperes."""
        modules = self.table.modules
        readings: dict[str, Callable[[], float]] = {}
        if modules.drum and modules.drum.current and self.drum is not None:
            readings[modules.drum.current] = self.drum.current
        for head in self.heads:
            if head.belt_current:
                readings[head.belt_current] = head.current
        return readings

    def _gantry(self) -> Gantry | None:
        module = self.table.modules.gantry
        if module is None:
            return None

        def later(seconds: float, action: Callable[[], None]) -> None:
            self.world.later(module.grip, seconds, action)

        reader = self.table.modules.reader
        return Gantry(
            module, reader, self.field, self.felt, self._boards.sense, later, self.injected_faults
        )

    # Injected faults

    def _check_occasions(self, channel: str, value: int) -> None:
        """Count a change of an output as an occasion for the faults that it can cause."""
        self.injected_faults.output_changed(self.table.board_of(channel))
        part = self._part_of_motor.get(channel)
        if value and part and self.injected_faults.on_occasion("over_current", part):
            self.world.loop.call_soon(self._boards.draw, channel, STALLED_MA)

    def _apply_outside_fault(self, injected: InjectedFault) -> None:
        """Apply a fault that people cause: a tile, an emergency stop, a hand in the curtain."""
        if injected.kind == "added_tile":
            if self.drum is not None and self.drum.has_room(1):
                self.floor.add(self.drum.give)
            return
        apply = {"emergency_stop": self.emergency_stop, "reach_in": self.reach_in}[injected.kind]
        apply(True)
        self.injected_faults.activate(injected.kind, injected.part, partial(apply, False))
        if injected.amount:
            self.world.loop.call_later(injected.amount, self.repair, injected.kind, injected.part)
