"""The heads: at each port of the drum a wheel lifts tiles out, one by one, onto the head's belt.

A wheel finds its next tile after a time that has a least value, for a tile must pass, and a mean
that grows in proportion as fewer than `plenty` tiles lie in the drum: the tail of every mix. A
tile has arrived when its leading edge reaches the counter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from config.schema import Heads, TileSize
from firmware_bridge.sim.plant.belt import Belt
from firmware_bridge.sim.plant.drum import Drum
from firmware_bridge.sim.plant.pusher import Pusher
from firmware_bridge.sim.plant.tiles import Holder, Tile
from firmware_bridge.sim.plant.world import World

FULL = 6
"""So many tiles waiting make the belt full (S6)."""
GAP = 0.005
"""The least distance between two tiles on a belt, metres: the wheel's magnets sit apart (ours)."""
SHAPE = 4.0
"""The gamma distribution's shape: how regular the wheels are (ours)."""


@dataclass(frozen=True)
class Onward:
    """Where a head's tiles go: singly into a lane while that is open, else in stacks, pushed on."""

    lane: Callable[[Tile], bool]
    stack: Callable[[list[Tile]], None]
    levels: int


class Head:
    """One port: wheel, belt, counter, pusher."""

    def __init__(
        self,
        world: World,
        number: int,
        heads: Heads,
        tile: TileSize,
        drum: Drum,
        onward: Onward,
    ) -> None:
        module = heads.ports[number]
        self.waiting = Holder(f"head {number}")
        self._world = world
        self._module = module
        self._spacing = heads.spacing
        self._plenty = heads.plenty
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
        self._belt = Belt(
            world,
            f"belt {number}",
            module.belt or module.wheel,
            module.counter,
            heads.counter_distance_mm / 1000 / heads.belt_speed,
            tile.length_mm / 1000 / heads.belt_speed,
            self._arrive,
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
            self._wheel = value
            self._look()
        elif channel == module.belt:
            self._belt.run(value > 0)
            self._look()
        elif channel == module.pusher and self._pusher is not None:
            self._pusher.drive(value)
        elif channel == module.turner and value > 0 and self.waiting.tiles:
            self.waiting.tiles[-1].up = not self.waiting.tiles[-1].up
            self._tell()

    # From the drum to the counter

    def _look(self) -> None:
        """The wheel looks for its next tile, or stops on its way to it and keeps that way."""
        looks = self._wheel > 0 and self._drum.stirring and self._belt.running and len(self._drum)
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
        return self._pass + spread

    def _picks(self) -> None:
        self._pick, self._way = None, 1.0
        if len(self._drum):
            self._belt.lay(self._drum.pick())
        self._look()

    def _arrive(self, tile: Tile) -> None:
        if not self._onward.lane(tile):
            self.waiting.put(tile)
            self._tell()

    # From the head into the tray

    def _push_on(self, batch: list[Tile]) -> None:
        self._onward.stack(batch)
        self._tell()

    def _tell(self) -> None:
        full = len(self.waiting) >= FULL
        if self._module.full and full != self._full:
            self._full = full
            self._world.sense(self._module.full, full)
        if self._module.face:
            up = bool(self.waiting.tiles) and self.waiting.tiles[-1].up
            self._world.sense(self._module.face, up)
