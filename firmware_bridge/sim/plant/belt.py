"""A head's belt: carries tiles from the wheel past the counter (S1) to the head.

The counter is active from a tile's leading edge to its trailing edge. While the belt is stopped,
every tile keeps its place, the one in front of the counter included. A tile that sticks at the
counter stops all tiles, even if the motor runs, until it is loosened or taken out.
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
    """When, in seconds of running, a tile arrives, or the counter changes to a level."""

    at: float
    tile: Tile | None = None
    level: bool | None = None
    sticks: bool = False


class Belt:
    """`seconds_to_counter` and `seconds_to_pass` are a tile's at the belt's speed.

    `arrive` is called for each tile at its leading edge, before the counter becomes active;
    `stuck` is called instead for a tile that sticks there.
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
        self.on_it = Holder(name)
        self.slow = 1.0
        """Factor by which it is slower than normal."""
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
        self._moves = False
        self._ran = 0.0
        self._since = 0.0
        self._next: asyncio.TimerHandle | None = None

    @property
    def running(self) -> bool:
        """Whether it moves, so that the wheel can lay a tile on it."""
        return self._moves

    @property
    def stuck(self) -> Tile | None:
        """The tile that sticks at the counter."""
        return self._stuck

    def rest(self) -> None:
        self._world.sense(self._counter, False)

    def run(self, on: bool, slow: float = 1.0) -> None:
        """Switch the belt's motor on or off."""
        if on == self._on:
            return
        self._on = on
        if on:
            self.slow = slow
        self._move()

    def hasten(self) -> None:
        """Restore the normal speed, after the belt has been tightened."""
        self._ran, self._since, self.slow = self._clock, self._world.now, 1.0
        self._schedule()

    def lay(self, tile: Tile, second: Tile | None = None, *, sticks: bool = False) -> None:
        """Lay a tile on the belt, at least one tile's length behind the last.

        A `second` follows it end to end, so that the counter sees one long tile. A tile that
        `sticks` gets no further than the counter.
        """
        self.on_it.put(tile)
        leading = self._clock + self._to_counter
        trailing = leading + self._to_pass * tile.long
        self._edges.append(_Edge(leading, tile, level=True, sticks=sticks))
        if second is not None:
            self.on_it.put(second)
            self._edges.append(_Edge(trailing, second))
            trailing += self._to_pass * second.long
        self._edges.append(_Edge(trailing, level=False))
        if self._next is None:
            self._schedule()

    def loosen(self) -> None:
        """Free the stuck tile, which continues."""
        tile, self._stuck = self._stuck, None
        if tile is not None:
            self._arrive(self.on_it.take(tile))
            self._move()

    def take_out(self, tile: Tile) -> Tile:
        """Take a tile off by hand, from any place; the counter no longer detects it."""
        if tile is self._stuck:
            self._stuck = None
            self._world.sense(self._counter, False)
            self._edges.popleft()
            self._move()
            return self.on_it.take(tile)
        at = next(n for n, edge in enumerate(self._edges) if edge.tile is tile)
        if self._edges[at].level:
            after = self._edges[at + 1]
            if after.tile is None:
                del self._edges[at + 1]
            else:  # the second of two that lie end to end is now a tile by itself
                self._edges[at + 1] = _Edge(after.at, after.tile, level=True)
        del self._edges[at]
        self._schedule()
        return self.on_it.take(tile)

    @property
    def coming(self) -> list[Tile]:
        """The tiles that have not reached the counter."""
        return [tile for tile in self.on_it.tiles if tile is not self._stuck]

    @property
    def _clock(self) -> float:
        """Seconds that the belt has run."""
        return self._ran + ((self._world.now - self._since) / self.slow if self._moves else 0.0)

    def _move(self) -> None:
        """Begin to move, or stop."""
        moves = self._on and self._stuck is None
        if moves != self._moves:
            self._ran, self._since = self._clock, self._world.now
            self._moves = moves
        self._schedule()

    def _schedule(self) -> None:
        if self._next is not None:
            self._next.cancel()
            self._next = None
        if self._moves and self._edges:
            wait = max(0.0, self._edges[0].at - self._clock) * self.slow
            self._next = self._world.later(self._motor, wait, self._edge)

    def _edge(self) -> None:
        self._next = None
        edge = self._edges.popleft()
        if edge.sticks:
            self._stuck = edge.tile
            self._move()
            self._world.sense(self._counter, True)
            self._report_stuck()
            return
        self._schedule()
        if edge.tile is not None:
            self._arrive(self.on_it.take(edge.tile))
        if edge.level is not None:
            self._world.sense(self._counter, edge.level)
