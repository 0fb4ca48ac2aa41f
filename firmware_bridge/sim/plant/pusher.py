"""A head's pusher: it lifts the waiting tiles onto one another and pushes the stack on.

One turn takes `push` seconds; at its end the vane (S23) passes its sensor. Stopped there the pusher
stands ready, and covers the sensor until it turns again: a board whose power fails in that moment
finds it so. Running on, it begins another turn. A turn takes what waits at its start, so whoever
counts the tiles decides how high the stack gets. Nobody sends it off with nothing to push, unless
it ran on before: then its driver has not seen the vane, and it turns empty.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError, Tile
from firmware_bridge.sim.plant.world import World

BLINK = 0.02
"""What the vane takes to pass its sensor, seconds."""


class Pusher:
    """`push_on` receives each stack, bottom tile first, still held by `waiting`."""

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
        self._done = 0.0
        """Seconds of the present turn that are over."""
        self._since = 0.0
        self._blocked = False
        self._pressed = False
        """Whether it pressed against a stuck tile: that comes before it once it is loose."""
        self._ran_on = False
        """Whether it was not stopped in its last blink."""
        self._next: asyncio.TimerHandle | None = None
        self._covered = False
        """Whether the vane stands before its sensor."""

    def rest(self) -> None:
        self._world.sense(self._vane, False)

    def drive(self, value: int) -> None:
        """The motor took this value; backwards returns it to its start. Raises Impossible."""
        if value > 0 and self._running:
            return
        if self._next is not None:
            self._next.cancel()
            self._next = None
        if self._running and self._batch and not self._blocked:
            self._done += self._world.now - self._since
        if value and self._covered:
            self._uncover()
        self._running = value > 0
        self._pressed = self._blocked or (self._pressed and not self._waiting.tiles)
        if value > 0:
            self._turn()
        elif value < 0:
            self._batch, self._done = [], 0.0

    def block(self, blocked: bool) -> None:
        """A stuck tile is in its way: it presses against that and gets nowhere, until it is out."""
        if blocked == self._blocked:
            return
        self._blocked = blocked
        if not self._running:
            return
        self._pressed = True
        if self._next is not None:
            self._next.cancel()
            self._next = None
        if not blocked:
            self._next = self._world.later(self._motor, 0.0, self._turn)
        elif self._batch:
            self._done += self._world.now - self._since

    def forget(self, tile: Tile) -> None:
        """A person has taken a waiting tile away."""
        if tile in self._batch:
            self._batch.remove(tile)

    def _turn(self) -> None:
        if self._blocked:
            return
        if not self._batch:
            if not self._waiting.tiles and self._pressed:
                self._next = self._world.later(self._motor, BLINK, self._turn)
                return
            if not self._waiting.tiles and not self._ran_on:
                raise ImpossibleOrderError(
                    f"{self._motor} pushes, and no tile waits in {self._waiting.name}."
                )
            self._batch, self._done = self._waiting.tiles[: self._levels], 0.0
            self._pressed = False
        self._since = self._world.now
        left = max(0.0, self._seconds - self._done)
        self._next = self._world.later(self._motor, left, self._end)

    def _end(self) -> None:
        batch, self._batch = self._batch, []
        self._ran_on = False
        self._next = self._world.later(self._motor, BLINK, self._run_on)
        if batch:
            self._push_on(batch)
        self._covered = True
        self._world.sense(self._vane, True)

    def _uncover(self) -> None:
        self._covered = False
        self._world.sense(self._vane, False)

    def _run_on(self) -> None:
        self._ran_on = True
        self._uncover()
        self._turn()
