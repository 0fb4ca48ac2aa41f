"""The heads: at each port of the drum, a wheel lifts single tiles onto the head's belt.

A wheel picks its next tile after a random time. Its minimum is the time in which a tile passes. Its
mean grows in inverse proportion to the number of tiles in the drum below `plenty`, at the end of
every mix. A tile has arrived at the head when its leading edge reaches the counter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from config.schema import HeadsModule, TileSize
from firmware_bridge.sim.plant.below_lid.belt import Belt
from firmware_bridge.sim.plant.below_lid.drum import Drum
from firmware_bridge.sim.plant.below_lid.pusher import Pusher
from firmware_bridge.sim.plant.tiles import Holder, Tile
from firmware_bridge.sim.plant.world import World

FULL = 6
"""The number of waiting tiles from which S6 reports a full belt."""
GAP = 0.005
"""Minimum distance between two tiles on a belt, metres, by the wheel's magnets (our value)."""
SHAPE = 4.0
"""Shape parameter of the gamma distribution of a wheel's times (our value)."""
LOOSEN_PROBABILITY = 0.6
"""The probability that a reversal of the wheel loosens a stuck tile (our value)."""
BELT_MA = 400.0
"""A belt motor's normal current, milliamperes (our value)."""
STUCK_MA = 1500
"""A belt motor's current with a stuck tile, milliamperes: above normal, below its limit."""


@dataclass(frozen=True)
class HeadOutlet:
    """The receiver of a head's tiles: a hand lane while it is open, else a tray, in stacks.

    `to_lane` passes a tile to an open lane and returns whether it did; `to_tray` pushes a stack.
    `surplus_tile` is the top tile of a stack that is too high, and `replacement` the tile to take
    in place of another, so that no stack becomes empty. `is_in_lane` is whether a tile lies in a
    hand lane, `was_in_wall` whether it was raised onto the felt.
    """

    to_lane: Callable[[Tile], bool]
    to_tray: Callable[[list[Tile]], None]
    surplus_tile: Callable[[], Tile | None]
    replacement: Callable[[Tile], Tile]
    is_in_lane: Callable[[Tile], bool]
    was_in_wall: Callable[[Tile], bool]
    levels: int


class Head:
    """The head at one port of the drum: wheel, belt, counter and pusher."""

    def __init__(
        self,
        world: World,
        number: int,
        heads: HeadsModule,
        tile: TileSize,
        drum: Drum,
        outlet: HeadOutlet,
    ) -> None:
        module = heads.ports[number]
        self.waiting = Holder(f"head {number}")
        self._number = number
        self._part = f"head{number}"
        self._world = world
        self._module = module
        self._spacing = heads.spacing
        self._plenty = heads.plenty
        self._length, self._speed = tile.length_mm / 1000, heads.belt_speed
        self._pass_seconds = (tile.length_mm / 1000 + GAP) / heads.belt_speed
        self._drum = drum
        self._outlet = outlet
        self._wheel = 0
        self._full = False
        self._pick: asyncio.TimerHandle | None = None
        self._interval_drawn = 0.0
        """Random seconds from the last tile to the next."""
        self._share_left = 1.0
        """The share of this time that remains until the next tile."""
        self._chance = world.stream(f"head {number}")
        self._wheel_slowness = 1.0
        """The factor by which the wheel is slower than normal."""
        self._extra_delay = 0.0
        """Seconds by which the next tile is later, because the last tile was longer than normal."""
        self._reversals_left = 0.0
        """The number of reversals of the wheel until the stuck tile is loose."""
        self._drum_reversals_left = 0.0
        """The number of reversals of the drum until the tile that lies across the port moves."""
        self._drum_reversed = False
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
        drum.subscribe(self._update_wheel)

    @property
    def channels(self) -> frozenset[str]:
        module = self._module
        motors = (module.wheel, module.belt, module.pusher, module.turner)
        return frozenset(motor for motor in motors if motor)

    @property
    def holders(self) -> tuple[Holder, ...]:
        return (self._belt.holder, self.waiting)

    @property
    def uncounted(self) -> list[Tile]:
        """The tiles on their way to the counter."""
        return self._belt.uncounted

    def reset_sensors(self) -> None:
        self._belt.reset_sensors()
        if self._module.belt is None:
            self._belt.run(True)
        if self._pusher is not None:
            self._pusher.reset_sensors()
        for sensor in (self._module.full, self._module.face):
            if sensor:
                self._world.sense(sensor, False)

    def output(self, channel: str, value: int) -> None:
        module = self._module
        if channel == module.wheel:
            self._turn_wheel(value)
        elif channel == module.belt:
            self._belt.run(value > 0, self._slip() if value > 0 else 1.0)
            self._update_wheel()
        elif channel == module.pusher and self._pusher is not None:
            self._pusher.drive(value)
        elif channel == module.turner and value > 0 and self.waiting.tiles:
            self.waiting.tiles[-1].up = not self.waiting.tiles[-1].up
            self._report_sensors()

    # From the drum to the counter

    def _update_wheel(self) -> None:
        """Start the time until the wheel's next tile, or stop it and keep the remaining share."""
        self._check_drum_reversal()
        picks = (
            self._wheel > 0
            and self._drum.stirring
            and self._belt.running
            and not self._drum_reversals_left
            and len(self._drum)
        )
        if picks and self._pick is None:
            self._interval_drawn = self._interval()
            self._pick = self._world.later(
                self._module.wheel, self._interval_drawn * self._share_left, self._pick_tile
            )
        elif not picks and self._pick is not None:
            self._share_left = max(0.0, self._pick.when() - self._world.now) / self._interval_drawn
            self._pick.cancel()
            self._pick = None

    def _interval(self) -> float:
        """Seconds from this tile to the next; the mean does not depend on the minimum."""
        mean = self._spacing * max(1.0, self._plenty / len(self._drum))
        spread = max(0.0, mean - self._pass_seconds)
        if self._world.chance:
            spread *= self._chance.gammavariate(SHAPE, 1 / SHAPE)
        extra, self._extra_delay = self._extra_delay, 0.0
        return (self._pass_seconds * self._belt.slowness + spread + extra) * self._wheel_slowness

    def _pick_tile(self) -> None:
        self._pick, self._share_left = None, 1.0
        if len(self._drum):
            self._lift()
        self._update_wheel()

    def _lift(self) -> None:
        """Lift a tile onto the belt, with any injected fault."""
        injected_faults = self._world.injected_faults
        if hit := injected_faults.on_occasion("starved", self._part):
            self._drum_reversals_left = hit.amount
            injected_faults.activate("starved", self._part, self._free_port)
            return
        tile = self._drum.pick(self._number)
        if injected_faults.on_occasion("face_up", self._part):
            tile.up = True
            injected_faults.activate("face_up", self._part, partial(self._turn_down, tile))
        second = self._second_tile()
        hit = None if second else injected_faults.on_occasion("jam", self._part)
        if hit is not None:
            self._reversals_left = hit.size or self._draw_reversals()
        self._extra_delay = (
            tile.relative_length - 1.0 + (second.relative_length if second else 0.0)
        ) * self._tile_time
        self._belt.lay(tile, second, sticks=hit is not None)

    @property
    def _tile_time(self) -> float:
        """Seconds that one of the table's own tiles takes to pass a point of the belt."""
        return self._length / self._speed * self._belt.slowness

    def _arrive(self, tile: Tile) -> None:
        if not self._outlet.to_lane(tile):
            self.waiting.put(tile)
            self._report_sensors()

    @property
    def belt_current(self) -> str | None:
        """The analogue input that measures the belt motor's current, if there is one."""
        return self._module.belt_current

    def current(self) -> float:
        """The belt motor's current, milliamperes; lower if the belt slips."""
        if self._belt.stuck is not None:
            return STUCK_MA
        return BELT_MA / self._belt.slowness if self._belt.running else 0.0

    # From the head into the tray

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

    # Injected faults

    def _turn_wheel(self, value: int) -> None:
        injected_faults = self._world.injected_faults
        if value > 0 >= self._wheel:
            hit = injected_faults.on_occasion("weak_motor", self._part)
            self._wheel_slowness = hit.amount if hit else 1.0
            if hit:
                injected_faults.deactivate("weak_motor", self._part)
                injected_faults.activate("weak_motor", self._part, self._restore_wheel)
        if value < 0 <= self._wheel and self._belt.stuck is not None:
            self._reversals_left -= 1
            if self._reversals_left <= 0:
                injected_faults.deactivate("jam", self._part)
                self._loosen()
        self._wheel = value
        self._update_wheel()

    def _slip(self) -> float:
        injected_faults = self._world.injected_faults
        hit = injected_faults.on_occasion("slipping_belt", self._part)
        if hit is None:
            return 1.0
        injected_faults.deactivate("slipping_belt", self._part)
        injected_faults.activate("slipping_belt", self._part, self._belt.restore_speed)
        return hit.amount

    def _second_tile(self) -> Tile | None:
        """A second tile that an injected fault lifts with the first."""
        injected_faults = self._world.injected_faults
        if not (len(self._drum) and injected_faults.on_occasion("double_feed", self._part)):
            return None
        tile = self._drum.pick(self._number)
        injected_faults.activate("double_feed", self._part, partial(self._give_surplus, tile))
        return tile

    def _on_stuck(self) -> None:
        self._world.injected_faults.activate("jam", self._part, self._clear)
        self._world.draw(self._module.belt or self._module.wheel, STUCK_MA)
        if self._pusher is not None:
            self._pusher.block(True)
        self._update_wheel()

    def _draw_reversals(self) -> float:
        chance, turns = self._world.injected_faults.stream(f"{self._part} {self._world.now}"), 1.0
        while self._world.chance and chance.random() > LOOSEN_PROBABILITY:
            turns += 1
        return turns

    def _loosen(self) -> None:
        self._belt.loosen()
        self._continue()

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
        self._update_wheel()

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

    def _restore_wheel(self) -> None:
        self._wheel_slowness = 1.0

    def _check_drum_reversal(self) -> None:
        """Count a reversal of the drum, which may move the tile that lies across the port."""
        reverses = self._drum.reversing and not self._drum_reversed
        self._drum_reversed = self._drum.reversing
        if reverses and self._drum_reversals_left:
            self._drum_reversals_left = max(0.0, self._drum_reversals_left - 1)
            if not self._drum_reversals_left:
                self._world.injected_faults.deactivate("starved", self._part)

    def _free_port(self) -> None:
        self._drum_reversals_left = 0.0
        self._update_wheel()

    def take_out(self, tile: Tile) -> Tile:
        """Take one tile away by hand, from the belt or from the waiting tiles."""
        if tile.holder is self._belt.holder:
            stuck = tile is self._belt.stuck
            taken = self._belt.take_out(tile)
            if stuck:
                # Taking the tile out also clears the jam.
                self._world.injected_faults.deactivate("jam", self._part)
                self._continue()
            return taken
        self.waiting.take(tile)
        if self._pusher is not None:
            self._pusher.remove(tile)
        self._report_sensors()
        return tile
