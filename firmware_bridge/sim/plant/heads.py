"""The heads: at each port of the drum, a wheel lifts single tiles onto the head's belt.

A wheel picks its next tile after a random time. The time has a minimum, in which a tile passes, and
a mean that grows in proportion as the drum holds fewer than `plenty` tiles (the end of every mix).
A tile has arrived when its leading edge reaches the counter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from config.schema import HeadsModule, TileSize
from firmware_bridge.sim.plant.belt import Belt
from firmware_bridge.sim.plant.drum import Drum
from firmware_bridge.sim.plant.pusher import Pusher
from firmware_bridge.sim.plant.tiles import Holder, Tile
from firmware_bridge.sim.plant.world import World

FULL = 6
"""Number of waiting tiles at which the belt is full (S6)."""
GAP = 0.005
"""The least distance between two tiles on a belt, metres: the wheel's magnets sit apart (ours)."""
SHAPE = 4.0
"""The gamma distribution's shape: how regular the wheels are (ours)."""
LOOSENS = 0.6
"""The chance that a reversal of the wheel loosens a stuck tile (ours)."""
BELT_MA = 400.0
"""A belt motor's normal current (our value)."""
STUCK_MA = 1500
"""A belt motor's current with a stuck tile: above normal, below its limit."""


@dataclass(frozen=True)
class Onward:
    """Where a head's tiles go: singly into a lane while that is open, else in stacks, pushed on.

    `too_high()` is the top tile of a stack that is higher than it should be, `instead` the one to
    take so that no stack is emptied; `in_a_lane` tells of a tile that lies in a hand lane,
    `in_a_wall` of one that was raised onto the felt.
    """

    lane: Callable[[Tile], bool]
    stack: Callable[[list[Tile]], None]
    too_high: Callable[[], Tile | None]
    instead: Callable[[Tile], Tile]
    in_a_lane: Callable[[Tile], bool]
    in_a_wall: Callable[[Tile], bool]
    levels: int


class Head:
    """One port: wheel, belt, counter, pusher."""

    def __init__(
        self,
        world: World,
        number: int,
        heads: HeadsModule,
        tile: TileSize,
        drum: Drum,
        onward: Onward,
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
        self._pass = (tile.length_mm / 1000 + GAP) / heads.belt_speed
        self._drum = drum
        self._onward = onward
        self._wheel = 0
        self._full = False
        self._pick: asyncio.TimerHandle | None = None
        self._whole = 0.0
        """Seconds from the last tile to the next, as drawn."""
        self._way = 1.0
        """The share of its way to the next tile that the wheel has still to turn."""
        self._chance = world.stream(f"head {number}")
        self._weak = 1.0
        """Factor by which the wheel is slower than normal."""
        self._extra = 0.0
        """How much later the next tile must come, since the last one was longer than usual."""
        self._turns_left = 0.0
        """How many more reversals of the wheel loosen the tile that sticks."""
        self._starved = 0.0
        """How many more reversals of the drum move the tile that lies across the port."""
        self._drum_reversed = False
        self._belt = Belt(
            world,
            f"belt {number}",
            module.belt or module.wheel,
            module.counter,
            heads.counter_distance_mm / 1000 / heads.belt_speed,
            tile.length_mm / 1000 / heads.belt_speed,
            self._arrive,
            self._stuck,
        )
        self._pusher = (
            Pusher(
                world,
                module.pusher,
                module.vane,
                heads.push,
                onward.levels,
                self.waiting,
                self._push_on,
            )
            if module.pusher and module.vane
            else None
        )
        drum.notify(self._look)

    @property
    def channels(self) -> frozenset[str]:
        module = self._module
        motors = (module.wheel, module.belt, module.pusher, module.turner)
        return frozenset(motor for motor in motors if motor)

    @property
    def holders(self) -> tuple[Holder, ...]:
        return (self._belt.on_it, self.waiting)

    @property
    def uncounted(self) -> list[Tile]:
        """The tiles on their way to the counter."""
        return self._belt.coming

    def rest(self) -> None:
        self._belt.rest()
        if self._module.belt is None:
            self._belt.run(True)
        if self._pusher is not None:
            self._pusher.rest()
        for sensor in (self._module.full, self._module.face):
            if sensor:
                self._world.sense(sensor, False)

    def output(self, channel: str, value: int) -> None:
        module = self._module
        if channel == module.wheel:
            self._turn_wheel(value)
        elif channel == module.belt:
            self._belt.run(value > 0, self._slip() if value > 0 else 1.0)
            self._look()
        elif channel == module.pusher and self._pusher is not None:
            self._pusher.drive(value)
        elif channel == module.turner and value > 0 and self.waiting.tiles:
            self.waiting.tiles[-1].up = not self.waiting.tiles[-1].up
            self._emit()

    # Path from the drum to the counter

    def _look(self) -> None:
        """Start the wheel's search for its next tile, or stop it and keep its progress."""
        self._mind_the_drum()
        looks = (
            self._wheel > 0
            and self._drum.stirring
            and self._belt.running
            and not self._starved
            and len(self._drum)
        )
        if looks and self._pick is None:
            self._whole = self._interval()
            self._pick = self._world.later(self._module.wheel, self._whole * self._way, self._picks)
        elif not looks and self._pick is not None:
            self._way = max(0.0, self._pick.when() - self._world.now) / self._whole
            self._pick.cancel()
            self._pick = None

    def _interval(self) -> float:
        """From this tile to the next; its mean holds whatever its least value is."""
        mean = self._spacing * max(1.0, self._plenty / len(self._drum))
        spread = max(0.0, mean - self._pass)
        if self._world.chance:
            spread *= self._chance.gammavariate(SHAPE, 1 / SHAPE)
        extra, self._extra = self._extra, 0.0
        return (self._pass * self._belt.slow + spread + extra) * self._weak

    def _picks(self) -> None:
        self._pick, self._way = None, 1.0
        if len(self._drum):
            self._lift()
        self._look()

    def _lift(self) -> None:
        """Lift a tile onto the belt, with any injected fault."""
        injected_faults = self._world.injected_faults
        if hit := injected_faults.on_occasion("starved", self._part):
            self._starved = hit.amount
            injected_faults.activate("starved", self._part, self._uncover)
            return
        tile = self._drum.pick(self._number)
        if injected_faults.on_occasion("face_up", self._part):
            tile.up = True
            injected_faults.activate("face_up", self._part, partial(self._turn_down, tile))
        second = self._second()
        hit = None if second else injected_faults.on_occasion("jam", self._part)
        if hit is not None:
            self._turns_left = hit.size or self._draw_turns()
        self._extra = (tile.long - 1.0 + (second.long if second else 0.0)) * self._tile_time
        self._belt.lay(tile, second, sticks=hit is not None)

    @property
    def _tile_time(self) -> float:
        """Seconds that one of the table's own tiles takes to pass a point of the belt."""
        return self._length / self._speed * self._belt.slow

    def _arrive(self, tile: Tile) -> None:
        if not self._onward.lane(tile):
            self.waiting.put(tile)
            self._emit()

    @property
    def belt_current(self) -> str | None:
        """The analogue input that measures its belt."""
        return self._module.belt_current

    def current(self) -> float:
        """The belt motor's current, milliamperes; lower if the belt slips."""
        if self._belt.stuck is not None:
            return STUCK_MA
        return BELT_MA / self._belt.slow if self._belt.running else 0.0

    # From the head into the tray

    def _push_on(self, batch: list[Tile]) -> None:
        self._onward.stack(batch)
        self._emit()

    def _emit(self) -> None:
        full = len(self.waiting) >= FULL
        if self._module.full and full != self._full:
            self._full = full
            self._world.sense(self._module.full, full)
        if self._module.face:
            up = bool(self.waiting.tiles) and self.waiting.tiles[-1].up
            self._world.sense(self._module.face, up)

    # Mishaps

    def _turn_wheel(self, value: int) -> None:
        injected_faults = self._world.injected_faults
        if value > 0 >= self._wheel:
            hit = injected_faults.on_occasion("weak_motor", self._part)
            self._weak = hit.amount if hit else 1.0
            if hit:
                injected_faults.deactivate("weak_motor", self._part)
                injected_faults.activate("weak_motor", self._part, self._strengthen)
        if value < 0 <= self._wheel and self._belt.stuck is not None:
            self._turns_left -= 1
            if self._turns_left <= 0:
                injected_faults.deactivate("jam", self._part)
                self._loosen()
        self._wheel = value
        self._look()

    def _slip(self) -> float:
        injected_faults = self._world.injected_faults
        hit = injected_faults.on_occasion("slipping_belt", self._part)
        if hit is None:
            return 1.0
        injected_faults.deactivate("slipping_belt", self._part)
        injected_faults.activate("slipping_belt", self._part, self._belt.hasten)
        return hit.amount

    def _second(self) -> Tile | None:
        """A second tile that an injected fault lifts with the first."""
        injected_faults = self._world.injected_faults
        if not (len(self._drum) and injected_faults.on_occasion("double_feed", self._part)):
            return None
        tile = self._drum.pick(self._number)
        injected_faults.activate("double_feed", self._part, partial(self._give_surplus, tile))
        return tile

    def _stuck(self) -> None:
        self._world.injected_faults.activate("jam", self._part, self._clear)
        self._world.draw(self._module.belt or self._module.wheel, STUCK_MA)
        if self._pusher is not None:
            self._pusher.block(True)
        self._look()

    def _draw_turns(self) -> float:
        chance, turns = self._world.injected_faults.stream(f"{self._part} {self._world.now}"), 1.0
        while self._world.chance and chance.random() > LOOSENS:
            turns += 1
        return turns

    def _loosen(self) -> None:
        self._belt.loosen()
        self._go_on()

    def _clear(self) -> None:
        """Take the stuck tile out by hand and put it into the drum."""
        tile = self._belt.stuck
        assert tile is not None
        self._give_back(tile)
        self._go_on()

    def _go_on(self) -> None:
        self._world.draw(self._module.belt or self._module.wheel, 0)
        if self._pusher is not None:
            self._pusher.block(False)
        self._look()

    def _give_back(self, tile: Tile) -> None:
        self._drum.give(self._world.take_out(tile))

    def _give_surplus(self, second: Tile) -> None:
        """The tile too many: the second one, or what is one too many since that was pushed on.

        A lane shows it, for a hand is counted. In stacks what came after it has moved up by one
        place: a stack is higher than it should be, or one waits here that should not. In a wall
        that shows neither nobody sees it.
        """
        waits = self.waiting.tiles[-1:]
        if second.holder in self.holders or self._onward.in_a_lane(second):
            self._give_back(second)
        elif surplus := self._onward.too_high() or (waits[0] if waits else None):
            self._give_back(surplus)
        elif not self._onward.in_a_wall(second):
            self._give_back(self._onward.instead(second))

    def _turn_down(self, tile: Tile) -> None:
        tile.up = False
        self._emit()

    def _strengthen(self) -> None:
        self._weak = 1.0

    def _mind_the_drum(self) -> None:
        """Each reversal of the drum may move the tile that lies across the port."""
        reverses = self._drum.reversing and not self._drum_reversed
        self._drum_reversed = self._drum.reversing
        if reverses and self._starved:
            self._starved = max(0.0, self._starved - 1)
            if not self._starved:
                self._world.injected_faults.deactivate("starved", self._part)

    def _uncover(self) -> None:
        self._starved = 0.0
        self._look()

    def take_out(self, tile: Tile) -> Tile:
        """Take one tile away by hand, off the belt or from the waiting place."""
        if tile.holder is self._belt.on_it:
            stuck = tile is self._belt.stuck
            taken = self._belt.take_out(tile)
            if stuck:
                # Taking the tile out also clears the jam.
                self._world.injected_faults.deactivate("jam", self._part)
                self._go_on()
            return taken
        self.waiting.take(tile)
        if self._pusher is not None:
            self._pusher.forget(tile)
        self._emit()
        return tile
