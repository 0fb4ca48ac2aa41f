"""A head's wheel: lifts single tiles out of the drum and lays them onto the head's belt.

The wheel picks its next tile after a random time. The minimum of that time is the time in which a
tile passes. While the drum has fewer than `plenty` tiles, at the end of every mix, the mean grows
in inverse proportion to their number.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from config.schema import HeadsModule, TileSize
from firmware_bridge.sim.plant.below_lid.belt import Belt
from firmware_bridge.sim.plant.below_lid.drum import Drum
from firmware_bridge.sim.plant.tiles import Tile
from firmware_bridge.sim.plant.world import World

GAP = 0.005
"""Minimum distance between two tiles on a belt, metres, by the wheel's magnets (our value)."""
SHAPE = 4.0
"""Shape parameter of the gamma distribution of a wheel's times (our value)."""
LOOSEN_PROBABILITY = 0.6
"""The probability that a reversal of the wheel loosens a stuck tile (our value)."""


class Wheel:
    """The wheel of head `number`, which picks while it, the drum and the belt turn.

    `turn_down` and `give_surplus` repair injected faults by hand: a tile that was lifted face up,
    and the second of two tiles that were lifted together.
    """

    def __init__(
        self,
        world: World,
        number: int,
        heads: HeadsModule,
        tile: TileSize,
        drum: Drum,
        belt: Belt,
        turn_down: Callable[[Tile], None],
        give_surplus: Callable[[Tile], None],
    ) -> None:
        self._number = number
        self._part = f"head{number}"
        self._world = world
        self._motor = heads.ports[number].wheel
        self._spacing = heads.spacing
        self._plenty = heads.plenty
        self._length, self._speed = tile.length_mm / 1000, heads.belt_speed
        self._pass_seconds = (tile.length_mm / 1000 + GAP) / heads.belt_speed
        self._drum = drum
        self._belt = belt
        self._turn_down = turn_down
        self._give_surplus = give_surplus
        self._value = 0
        """The value of the wheel's motor."""
        self._pick: asyncio.TimerHandle | None = None
        self._interval_drawn = 0.0
        """Random seconds from the last tile to the next."""
        self._share_left = 1.0
        """The share of this time that remains until the next tile."""
        self._chance = world.stream(f"head {number}")
        self._slowness = 1.0
        """The factor by which the wheel is slower than normal."""
        self._extra_delay = 0.0
        """Seconds by which the next tile is later, because the last tile was longer than normal."""
        self._reversals_left = 0.0
        """The number of reversals of the wheel until the stuck tile is loose."""
        self._drum_reversals_left = 0.0
        """The number of reversals of the drum until the tile that lies across the port moves."""
        self._drum_reversed = False
        drum.subscribe(self.update)

    def turn(self, value: int) -> None:
        """Set the value of the wheel's motor."""
        injected_faults = self._world.injected_faults
        if value > 0 >= self._value:
            hit = injected_faults.on_occasion("weak_motor", self._part)
            self._slowness = hit.amount if hit else 1.0
            if hit:
                injected_faults.deactivate("weak_motor", self._part)
                injected_faults.activate("weak_motor", self._part, self._restore_speed)
        self._value = value
        self.update()

    def loosens(self, value: int) -> bool:
        """Count a reversal, if this value is one; return whether it loosens the stuck tile."""
        if not value < 0 <= self._value:
            return False
        self._reversals_left -= 1
        return self._reversals_left <= 0

    def update(self) -> None:
        """Start the timer for the next tile, or stop the timer and keep its remaining share.

        To be called whenever the drum or the belt starts or stops.
        """
        self._check_drum_reversal()
        picks = (
            self._value > 0
            and self._drum.stirring
            and self._belt.running
            and not self._drum_reversals_left
            and len(self._drum)
        )
        if picks and self._pick is None:
            self._interval_drawn = self._interval()
            self._pick = self._world.later(
                self._motor, self._interval_drawn * self._share_left, self._pick_tile
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
        return (self._pass_seconds * self._belt.slowness + spread + extra) * self._slowness

    def _pick_tile(self) -> None:
        self._pick, self._share_left = None, 1.0
        if len(self._drum):
            self._lift()
        self.update()

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

    # Injected faults

    def _second_tile(self) -> Tile | None:
        """A second tile that an injected fault lifts with the first."""
        injected_faults = self._world.injected_faults
        if not (len(self._drum) and injected_faults.on_occasion("double_feed", self._part)):
            return None
        tile = self._drum.pick(self._number)
        injected_faults.activate("double_feed", self._part, partial(self._give_surplus, tile))
        return tile

    def _draw_reversals(self) -> float:
        chance, turns = self._world.injected_faults.stream(f"{self._part} {self._world.now}"), 1.0
        while self._world.chance and chance.random() > LOOSEN_PROBABILITY:
            turns += 1
        return turns

    def _restore_speed(self) -> None:
        self._slowness = 1.0

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
        self.update()
