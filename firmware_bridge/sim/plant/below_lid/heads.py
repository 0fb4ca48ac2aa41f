"""The heads: at each port of the drum, a wheel lifts single tiles onto the head's belt.

A tile's way is through this package: `drum`, `wheel`, `belt`, the `magazine` if the table has one,
the tiles that wait in the head, `pusher`, `outlet`, and `trays` or `lanes`. A tile has arrived at
the head when its leading edge reaches the counter.
"""

from __future__ import annotations

from config.schema import HeadsModule, MagazineModule, TileSize
from firmware_bridge.sim.plant.below_lid.belt import Belt
from firmware_bridge.sim.plant.below_lid.drum import Drum
from firmware_bridge.sim.plant.below_lid.magazine import Magazine
from firmware_bridge.sim.plant.below_lid.outlet import HeadOutlet
from firmware_bridge.sim.plant.below_lid.pusher import Pusher
from firmware_bridge.sim.plant.below_lid.wheel import Wheel
from firmware_bridge.sim.plant.tiles import Holder, Tile
from firmware_bridge.sim.plant.world import World

FULL = 6
"""The number of waiting tiles from which S6 reports a full belt."""
BELT_MA = 400.0
"""A belt motor's normal current, milliamperes (our value)."""
STUCK_MA = 1500
"""A belt motor's current with a stuck tile, milliamperes: above normal, below its limit."""


class Head:
    """The head at one port of the drum: wheel, belt, counter, waiting tiles and pusher.

    With a `magazine` the tiles fall from the counter into its pockets, and wait after they have
    left them.
    """

    def __init__(
        self,
        world: World,
        number: int,
        heads: HeadsModule,
        tile: TileSize,
        drum: Drum,
        outlet: HeadOutlet,
        magazine: MagazineModule | None = None,
    ) -> None:
        module = heads.ports[number]
        self.waiting = Holder(f"head {number}")
        self._part = f"head{number}"
        self._world = world
        self._module = module
        self._drum = drum
        self._outlet = outlet
        self._full = False
        self._belt = Belt(
            world,
            f"belt {number}",
            module.belt or module.wheel,
            module.counter,
            heads.counter_distance_mm / 1000 / heads.belt_speed,
            tile.length_mm / 1000 / heads.belt_speed,
            self._arrive,
            self._on_stuck,
        )
        self._wheel = Wheel(
            world, number, heads, tile, drum, self._belt, self._turn_down, self._give_surplus
        )
        self._magazine = (
            Magazine(world, magazine, self._wait, lambda: self._belt.is_at_counter)
            if magazine
            else None
        )
        self._pusher = (
            Pusher(
                world,
                module.pusher,
                module.vane,
                heads.push,
                outlet.levels,
                self.waiting,
                self._push_on,
            )
            if module.pusher and module.vane
            else None
        )
        if self._pusher is not None:
            drum.on_set(self._pusher.begin_set)

    @property
    def channels(self) -> frozenset[str]:
        module = self._module
        motors = (module.wheel, module.belt, module.pusher, module.turner)
        sorting = self._magazine.channels if self._magazine is not None else frozenset()
        return frozenset(motor for motor in motors if motor) | sorting

    @property
    def holders(self) -> tuple[Holder, ...]:
        sorting = (self._magazine.well,) if self._magazine is not None else ()
        return (self._belt.holder, *sorting, self.waiting)

    @property
    def uncounted(self) -> list[Tile]:
        """The tiles on their way to the counter."""
        return self._belt.uncounted

    @property
    def left_over(self) -> list[Tile]:
        """The tiles in front of the pusher, which are left over after a build.

        Without a pusher people take every tile from here, and only the last one can be left over.
        """
        return self.waiting.tiles[:] if self._pusher is not None else self.waiting.tiles[-1:]

    def reset_sensors(self) -> None:
        self._belt.reset_sensors()
        if self._module.belt is None:
            self._belt.run(True)
        if self._pusher is not None:
            self._pusher.reset_sensors()
        if self._magazine is not None:
            self._magazine.reset_sensors()
        for sensor in (self._module.full, self._module.face):
            if sensor:
                self._world.sense(sensor, False)

    def output(self, channel: str, value: int) -> None:
        module = self._module
        if channel == module.wheel:
            self._turn_wheel(value)
        elif channel == module.belt:
            self._belt.run(value > 0, self._slip() if value > 0 else 1.0)
            self._wheel.update()
        elif channel == module.pusher and self._pusher is not None:
            self._pusher.drive(value)
        elif self._magazine is not None and channel in self._magazine.channels:
            self._magazine.output(channel, value)
        elif channel == module.turner and value > 0 and self.waiting.tiles:
            self.waiting.tiles[-1].up = not self.waiting.tiles[-1].up
            self._report_sensors()

    # From the counter into the tray

    def _arrive(self, tile: Tile) -> None:
        if self._magazine is not None:
            self._magazine.receive(tile)
        elif not self._outlet.to_lane(tile):
            self._wait(tile)

    def _wait(self, tile: Tile) -> None:
        self.waiting.put(tile)
        self._report_sensors()

    def _push_on(self, batch: list[Tile]) -> None:
        self._outlet.to_tray(batch)
        self._report_sensors()

    def _report_sensors(self) -> None:
        full = len(self.waiting) >= FULL
        if self._module.full and full != self._full:
            self._full = full
            self._world.sense(self._module.full, full)
        if self._module.face:
            up = bool(self.waiting.tiles) and self.waiting.tiles[-1].up
            self._world.sense(self._module.face, up)

    @property
    def belt_current(self) -> str | None:
        """The analogue input that measures the belt motor's current, if there is one."""
        return self._module.belt_current

    def current(self) -> float:
        """The belt motor's current, milliamperes; lower if the belt slips."""
        if self._belt.stuck is not None:
            return STUCK_MA
        return BELT_MA / self._belt.slowness if self._belt.running else 0.0

    # Injected faults: a slipping belt, a stuck tile, a surplus tile, a tile that is face up

    def _slip(self) -> float:
        injected_faults = self._world.injected_faults
        hit = injected_faults.on_occasion("slipping_belt", self._part)
        if hit is None:
            return 1.0
        injected_faults.deactivate("slipping_belt", self._part)
        injected_faults.activate("slipping_belt", self._part, self._belt.restore_speed)
        return hit.amount

    def _on_stuck(self) -> None:
        self._world.injected_faults.activate("jam", self._part, self._clear)
        self._world.draw(self._module.belt or self._module.wheel, STUCK_MA)
        if self._pusher is not None:
            self._pusher.block(True)
        self._wheel.update()

    def _turn_wheel(self, value: int) -> None:
        """Set the wheel motor's value; a reversal may loosen the stuck tile."""
        if self._belt.stuck is not None and self._wheel.loosens(value):
            self._world.injected_faults.deactivate("jam", self._part)
            self._belt.loosen()
            self._continue()
        self._wheel.turn(value)

    def _clear(self) -> None:
        """Take the stuck tile out by hand and put it into the drum."""
        tile = self._belt.stuck
        assert tile is not None
        self._give_back(tile)
        self._continue()

    def _continue(self) -> None:
        self._world.draw(self._module.belt or self._module.wheel, 0)
        if self._pusher is not None:
            self._pusher.block(False)
        self._wheel.update()

    def _give_back(self, tile: Tile) -> None:
        self._drum.give(self._world.take_out(tile))

    def _give_surplus(self, second: Tile) -> None:
        """Give the surplus tile back: the second tile, or the tile that is one too many now.

        People see the second tile in this head and in a hand lane, because they count a hand. In
        stacks, the tiles after the second one moved up by one place: a stack is too high, or a
        tile waits in the head that belongs to no stack. Once the second tile is in a wall and
        neither of these shows, the fault remains.
        """
        waits = self.waiting.tiles[-1:]
        if second.holder in self.holders or self._outlet.is_in_lane(second):
            self._give_back(second)
        elif surplus := self._outlet.surplus_tile() or (waits[0] if waits else None):
            self._give_back(surplus)
        elif not self._outlet.was_in_wall(second):
            self._give_back(self._outlet.replacement(second))

    def _turn_down(self, tile: Tile) -> None:
        tile.up = False
        self._report_sensors()

    # People

    def take_out(self, tile: Tile) -> Tile:
        """Take one tile away by hand, from the belt, the magazine or the waiting tiles."""
        if tile.holder is self._belt.holder:
            stuck = tile is self._belt.stuck
            taken = self._belt.take_out(tile)
            if stuck:
                if self._pusher is not None:
                    self._pusher.remove(tile)
                # Taking the tile out also clears the jam.
                self._world.injected_faults.deactivate("jam", self._part)
                self._continue()
            return taken
        if self._magazine is not None and tile.holder is self._magazine.well:
            return self._magazine.take_out(tile)
        self.waiting.take(tile)
        if self._pusher is not None:
            self._pusher.remove(tile)
        self._report_sensors()
        return tile
