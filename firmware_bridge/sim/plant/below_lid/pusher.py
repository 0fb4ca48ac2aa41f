"""A head's pusher: stacks the waiting tiles and pushes the stack into the tray.

One turn takes `push` seconds; at its end the vane (S23) passes its sensor. A pusher that is stopped
there keeps the sensor active until it turns again, also through a power failure of its board. A
pusher that is not stopped there begins another turn. A turn takes the tiles that wait at its start,
so the number of lifted tiles determines the height of the stack. Nothing stops a turn without
waiting tiles. It is reported as an impossible order, because a controller that orders it has lost
count, except in two cases in which no sensor could tell the controller: after a turn that was not
stopped, since the vane was missed, and once for each tile that a person has taken out after the
counter had detected it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError, Tile
from firmware_bridge.sim.plant.world import World

VANE_PULSE = 0.02
"""Seconds that the vane takes to pass its sensor."""


class Pusher:
    """A pusher. `push_on` receives each stack, bottom tile first, still held by `waiting`."""

    def __init__(
        self,
        world: World,
        motor: str,
        vane: str,
        seconds: float,
        levels: int,
        waiting: Holder,
        push_on: Callable[[list[Tile]], None],
    ) -> None:
        self._world = world
        self._motor = motor
        self._vane = vane
        self._seconds = seconds
        self._levels = levels
        self._waiting = waiting
        self._push_on = push_on
        self._running = False
        self._batch: list[Tile] = []
        self._elapsed = 0.0
        """Seconds of the present turn that have elapsed."""
        self._since = 0.0
        self._blocked = False
        self._taken = 0
        """Detected tiles of this set that people have taken out and no turn has missed yet."""
        self._ran_on = False
        """Whether the pusher was not stopped while the vane passed its sensor last."""
        self._next: asyncio.TimerHandle | None = None
        self._covered = False
        """Whether the vane covers its sensor."""

    def reset_sensors(self) -> None:
        self._world.sense(self._vane, False)

    def drive(self, value: int) -> None:
        """Set the motor's value; reverse returns the pusher to its start.

        Raises ImpossibleOrderError.
        """
        if value > 0 and self._running:
            return
        if self._next is not None:
            self._next.cancel()
            self._next = None
        if self._running and self._batch and not self._blocked:
            self._elapsed += self._world.now - self._since
        if value and self._covered:
            self._uncover()
        self._running = value > 0
        if value > 0:
            self._turn()
        elif value < 0:
            self._batch, self._elapsed = [], 0.0

    def block(self, blocked: bool) -> None:
        """Set whether a stuck tile blocks the pusher: a blocked pusher does not advance."""
        if blocked == self._blocked:
            return
        self._blocked = blocked
        if not self._running:
            return
        if self._next is not None:
            self._next.cancel()
            self._next = None
        if not blocked:
            self._next = self._world.later(self._motor, 0.0, self._turn)
        elif self._batch:
            self._elapsed += self._world.now - self._since

    def remove(self, tile: Tile) -> None:
        """Remove a tile that the counter has detected and that a person has taken away."""
        self._taken += 1
        if tile in self._batch:
            self._batch.remove(tile)

    def begin_set(self) -> None:
        """Forget the tiles that people have taken out of the set before."""
        self._taken = 0

    def _turn(self) -> None:
        if self._blocked:
            return
        if not self._batch:
            if not (self._waiting.tiles or self._ran_on or self._taken):
                raise ImpossibleOrderError(
                    f"{self._motor} pushes, but no tile waits in {self._waiting.name}."
                )
            self._batch, self._elapsed = self._waiting.tiles[: self._levels], 0.0
        self._since = self._world.now
        left = max(0.0, self._seconds - self._elapsed)
        self._next = self._world.later(self._motor, left, self._end)

    def _end(self) -> None:
        batch, self._batch = self._batch, []
        if not (batch or self._ran_on):
            self._taken -= 1
        self._ran_on = False
        self._next = self._world.later(self._motor, VANE_PULSE, self._continue)
        if batch:
            self._push_on(batch)
        self._covered = True
        self._world.sense(self._vane, True)

    def _uncover(self) -> None:
        self._covered = False
        self._world.sense(self._vane, False)

    def _continue(self) -> None:
        self._ran_on = True
        self._uncover()
        self._turn()
