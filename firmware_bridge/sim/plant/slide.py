"""A motor between two switches: a lift, the lid, a lane's presenter, the flipper.

Forward is towards the far switch. Stopped on the way it stays where it is, and neither switch is
active. The direction counts, not how hard it is driven.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_bridge.sim.plant.world import World


def _nothing() -> None:
    """What most ends of most slides do."""


class Slide:
    """`leave_near` and `leave_far` may raise Impossible: then it does not move at all."""

    def __init__(
        self,
        world: World,
        motor: str,
        far: str,
        near: str,
        seconds: float,
        *,
        leave_near: Callable[[], None] = _nothing,
        reach_far: Callable[[], None] = _nothing,
        leave_far: Callable[[], None] = _nothing,
        reach_near: Callable[[], None] = _nothing,
    ) -> None:
        self._world = world
        self._motor = motor
        self._switch = {1: far, -1: near}
        self._seconds = seconds
        self._leave = {1: leave_near, -1: leave_far}
        self._reach = {1: reach_far, -1: reach_near}
        self._way = 0
        self._from = 0.0
        self._since = 0.0
        self._arrival: asyncio.TimerHandle | None = None

    @property
    def position(self) -> float:
        """From 0.0, near, to 1.0, far."""
        run = (self._world.now - self._since) / self._seconds
        return min(1.0, max(0.0, self._from + self._way * run))

    @property
    def at_far(self) -> bool:
        return self._way == 0 and self._from == 1.0

    @property
    def at_near(self) -> bool:
        return self._way == 0 and self._from == 0.0

    def rest(self) -> None:
        """Near, at power-on."""
        self._world.sense(self._switch[1], self._from == 1.0)
        self._world.sense(self._switch[-1], self._from == 0.0)

    def drive(self, value: int) -> None:
        """The motor took this value. Raises Impossible if it may not leave its end."""
        way = (value > 0) - (value < 0)
        if way == self._way:
            return
        self._from, self._since, self._way = self.position, self._world.now, 0
        if self._arrival is not None:
            self._arrival.cancel()
            self._arrival = None
        goal = 1.0 if way > 0 else 0.0
        if way == 0 or self._from == goal:
            return
        if self._from == 1.0 - goal:
            self._leave[way]()
            self._world.sense(self._switch[-way], False)
        self._way = way
        left = abs(goal - self._from) * self._seconds
        self._arrival = self._world.later(self._motor, left, self._arrive)

    def _arrive(self) -> None:
        way, self._arrival = self._way, None
        self._from, self._since, self._way = (1.0 if way > 0 else 0.0), self._world.now, 0
        self._reach[way]()
        self._world.sense(self._switch[way], True)
