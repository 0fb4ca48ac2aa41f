"""A head's belt: it carries tiles from the wheel past the counter (S1) to the head.

The counter is active from a tile's leading edge to its trailing edge. A belt that stops keeps
every tile where it is, the one before the counter included.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from firmware_bridge.sim.plant.tiles import Holder, Tile
from firmware_bridge.sim.plant.world import World


class Belt:
    """`seconds_to_counter` and `seconds_to_pass` are a tile's at the belt's speed.

    `arrive` receives each tile at its leading edge, before the counter feels it.
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
    ) -> None:
        self.on_it = Holder(name)
        self.running = False
        self._world = world
        self._motor = motor
        self._counter = counter
        self._to_counter = seconds_to_counter
        self._to_pass = seconds_to_pass
        self._arrive = arrive
        self._edges: deque[tuple[float, Tile | None]] = deque()
        """When, in seconds of running, a leading edge (its tile) or a trailing one comes."""
        self._ran = 0.0
        self._since = 0.0
        self._next: asyncio.TimerHandle | None = None

    def rest(self) -> None:
        self._world.sense(self._counter, False)

    def run(self, on: bool) -> None:
        """The belt's motor is on or off."""
        if on == self.running:
            return
        if not on:
            self._ran = self._clock
        self._since, self.running = self._world.now, on
        self._schedule()

    def lay(self, tile: Tile) -> None:
        """The wheel lays a tile on, at least one tile's length behind the last."""
        self.on_it.put(tile)
        leading = self._clock + self._to_counter
        self._edges.append((leading, tile))
        self._edges.append((leading + self._to_pass, None))
        if self._next is None:
            self._schedule()

    @property
    def _clock(self) -> float:
        """Seconds that the belt has run."""
        return self._ran + (self._world.now - self._since if self.running else 0.0)

    def _schedule(self) -> None:
        if self._next is not None:
            self._next.cancel()
            self._next = None
        if self.running and self._edges:
            wait = max(0.0, self._edges[0][0] - self._clock)
            self._next = self._world.later(self._motor, wait, self._edge)

    def _edge(self) -> None:
        self._next = None
        _, tile = self._edges.popleft()
        self._schedule()
        if tile is not None:
            self._arrive(self.on_it.take(tile))
        self._world.sense(self._counter, tile is not None)
