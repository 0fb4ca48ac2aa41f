"""A motor between two switches: a lift, the lid, a lane's presenter, the flipper.

Forward is towards the far switch. Stopped on the way it stays where it is, and neither switch is
active. The direction counts, not how hard it is driven. What catches or is in the way holds it
half way to where it was going, in that direction alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_bridge.sim.plant.world import World

STALLED_MA = 5000
"""What a motor draws against a hand, more than any board allows (ours)."""


def _nothing() -> None:
    """What most ends of most slides do."""


class Slide:
    """`leave_near` and `leave_far` may raise Impossible: then it does not move at all.

    `part` is its name among the mishaps.
    """

    def __init__(
        self,
        world: World,
        part: str,
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
        self._part = part
        self._motor = motor
        self._switch = {1: far, -1: near}
        self._usual = seconds
        self._seconds = seconds
        """From end to end, as fast as its motor is now."""
        self._leave = {1: leave_near, -1: leave_far}
        self._reach = {1: reach_far, -1: reach_near}
        self._way = 0
        self._from = 0.0
        self._since = 0.0
        self._arrival: asyncio.TimerHandle | None = None
        self._hand: int | None = None
        """The direction in which something is in its way."""
        self._caught: tuple[int, float] | None = None
        """The direction in which it hangs, and after how many further starts it comes free."""

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
        sets_off = self._from == 1.0 - goal
        if sets_off:
            self._leave[way]()
            self._world.sense(self._switch[-way], False)
        self._seconds = self._usual * self._weakness()
        self._tug(way)
        if sets_off:
            self._meet(way)
        elif self._is_held(way):
            return
        self._way = way
        left = abs(goal - self._from) * self._seconds
        if way in (self._hand, self._caught[0] if self._caught else None):
            self._arrival = self._world.later(self._motor, left / 2, self._stop_half_way)
        else:
            self._arrival = self._world.later(self._motor, left, self._arrive)

    def _arrive(self) -> None:
        way, self._arrival = self._way, None
        self._from, self._since, self._way = (1.0 if way > 0 else 0.0), self._world.now, 0
        self._reach[way]()
        self._world.sense(self._switch[way], True)

    # Mishaps

    def _weakness(self) -> float:
        injected_faults = self._world.injected_faults
        hit = injected_faults.on_occasion("weak_motor", self._part)
        if hit is None:
            return 1.0
        injected_faults.deactivate("weak_motor", self._part)
        injected_faults.activate("weak_motor", self._part, _nothing)
        return hit.amount

    def _meet(self, way: int) -> None:
        """It sets off from an end: something may be in its way, or catch."""
        injected_faults = self._world.injected_faults
        if hit := injected_faults.on_occasion("half_up", self._part):
            self._caught = (way, hit.amount)
            injected_faults.activate("half_up", self._part, self._come_free)
        if hit := injected_faults.on_occasion("obstruction", self._part):
            self._hand = way
            injected_faults.activate("obstruction", self._part, self._clear)
            if hit.amount:
                self._world.loop.call_later(hit.amount, self._withdraw)

    def _tug(self, way: int) -> None:
        """One start more in the direction in which it hangs."""
        if self._caught is not None and self._caught[0] == way:
            self._caught = (way, self._caught[1] - 1)
            if self._caught[1] <= 0:
                self._come_free()
                self._world.injected_faults.deactivate("half_up", self._part)

    def _is_held(self, way: int) -> bool:
        """Whether it is driven against what holds it already."""
        if self._hand == way:
            self._world.loop.call_soon(self._world.draw, self._motor, STALLED_MA)
            return True
        return self._caught is not None and self._caught[0] == way

    def _stop_half_way(self) -> None:
        way, self._arrival = self._way, None
        self._from, self._since, self._way = self.position, self._world.now, 0
        if self._hand == way:
            self._world.draw(self._motor, STALLED_MA)

    def _come_free(self) -> None:
        self._caught = None

    def _clear(self) -> None:
        self._hand = None

    def _withdraw(self) -> None:
        if self._hand is not None:
            self._clear()
            self._world.injected_faults.deactivate("obstruction", self._part)
