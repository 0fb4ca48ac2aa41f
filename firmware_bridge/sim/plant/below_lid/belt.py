"""A head's belt: carries tiles from the wheel past the counter (S1) to the head.

The counter is active from a tile's leading edge to its trailing edge. While the belt is stopped,
every tile keeps its place, including the tile in front of the counter. A tile that sticks at the
counter stops all tiles, even if the motor runs, until the tile is loosened or taken out.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from firmware_bridge.sim.plant.tiles import Holder, Tile
from firmware_bridge.sim.plant.world import World


@dataclass(frozen=True)
class _Edge:
    """An arrival of a tile, a new level of the counter, or both; `at` is in seconds of running."""

    at: float
    tile: Tile | None = None
    level: bool | None = None
    sticks: bool = False


class Belt:
    """A belt. `seconds_to_counter` and `seconds_to_pass` are the times of a tile at normal speed.

    `arrive` is called for each tile at its leading edge, before the counter becomes active;
    `stuck` is called instead for a tile that sticks at the counter.
    """

    def __init__(
        self,
        world: World,
        name: str,
        motor: str,
        counter: str,
        seconds_to_counter: float,
        seconds_to_pass: float,
        arrive: Callable[[Tile], None],
        stuck: Callable[[], None],
    ) -> None:
        self.holder = Holder(name)
        self.slowness = 1.0
        """The factor by which the belt is slower than normal."""
        self._world = world
        self._motor = motor
        self._counter = counter
        self._to_counter = seconds_to_counter
        self._to_pass = seconds_to_pass
        self._arrive = arrive
        self._report_stuck = stuck
        self._edges: deque[_Edge] = deque()
        self._on = False
        self._stuck: Tile | None = None
        self._moving = False
        self._ran = 0.0
        self._since = 0.0
        self._next: asyncio.TimerHandle | None = None

    @property
    def running(self) -> bool:
        """Whether the belt moves, so that the wheel can lay a tile on it."""
        return self._moving

    @property
    def stuck(self) -> Tile | None:
        """The tile that sticks at the counter."""
        return self._stuck

    @property
    def is_at_counter(self) -> bool:
        """Whether a tile is in front of the counter."""
        return self._stuck is not None or bool(self._edges and not self._edges[0].level)

    def reset_sensors(self) -> None:
        self._world.sense(self._counter, False)

    def run(self, on: bool, slow: float = 1.0) -> None:
        """Switch the belt's motor on or off."""
        if on == self._on:
            return
        self._on = on
        if on:
            self.slowness = slow
        self._update_motion()

    def restore_speed(self) -> None:
        """Restore the normal speed, after the belt has been tightened."""
        self._ran, self._since, self.slowness = self._clock, self._world.now, 1.0
        self._schedule()

    def lay(self, tile: Tile, second: Tile | None = None, *, sticks: bool = False) -> None:
        """Lay a tile on the belt, at least one tile's length behind the last.

        A `second` tile follows end to end, so that the counter detects one long tile. A tile that
        `sticks` stops at the counter.
        """
        self.holder.put(tile)
        leading = self._clock + self._to_counter
        trailing = leading + self._to_pass * tile.relative_length
        self._edges.append(_Edge(leading, tile, level=True, sticks=sticks))
        if second is not None:
            self.holder.put(second)
            self._edges.append(_Edge(trailing, second))
            trailing += self._to_pass * second.relative_length
        self._edges.append(_Edge(trailing, level=False))
        if self._next is None:
            self._schedule()

    def loosen(self) -> None:
        """Free the stuck tile, which then continues."""
        tile, self._stuck = self._stuck, None
        if tile is not None:
            self._arrive(self.holder.take(tile))
            self._update_motion()

    def take_out(self, tile: Tile) -> Tile:
        """Take a tile off by hand, from any place; the counter no longer detects it."""
        if tile is self._stuck:
            self._stuck = None
            self._world.sense(self._counter, False)
            self._edges.popleft()
            self._update_motion()
            return self.holder.take(tile)
        at = next(n for n, edge in enumerate(self._edges) if edge.tile is tile)
        if self._edges[at].level:
            after = self._edges[at + 1]
            if after.tile is None:
                del self._edges[at + 1]
            else:  # the second of two tiles that lie end to end is now a single tile
                self._edges[at + 1] = _Edge(after.at, after.tile, level=True)
        del self._edges[at]
        self._schedule()
        return self.holder.take(tile)

    @property
    def uncounted(self) -> list[Tile]:
        """The tiles that have not reached the counter."""
        return [tile for tile in self.holder.tiles if tile is not self._stuck]

    @property
    def _clock(self) -> float:
        """Seconds that the belt has run."""
        return self._ran + (
            (self._world.now - self._since) / self.slowness if self._moving else 0.0
        )

    def _update_motion(self) -> None:
        """Start or stop the belt: it moves if the motor runs and no tile sticks."""
        moves = self._on and self._stuck is None
        if moves != self._moving:
            self._ran, self._since = self._clock, self._world.now
            self._moving = moves
        self._schedule()

    def _schedule(self) -> None:
        if self._next is not None:
            self._next.cancel()
            self._next = None
        if self._moving and self._edges:
            wait = max(0.0, self._edges[0].at - self._clock) * self.slowness
            self._next = self._world.later(self._motor, wait, self._pass_edge)

    def _pass_edge(self) -> None:
        self._next = None
        edge = self._edges.popleft()
        if edge.sticks:
            self._stuck = edge.tile
            self._update_motion()
            self._world.sense(self._counter, True)
            self._report_stuck()
            return
        self._schedule()
        if edge.tile is not None:
            self._arrive(self.holder.take(edge.tile))
        if edge.level is not None:
            self._world.sense(self._counter, edge.level)
