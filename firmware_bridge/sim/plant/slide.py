"""A motor between two switches: a lift, the lid, a lane's presenter, the flipper.

Forward is towards the far switch. A part that is stopped between its ends stays there, and neither
switch is active. Only the sign of the motor's value counts. An obstruction or a catch stops the
part half way to its end, in one direction only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_bridge.sim.plant.world import World

STALLED_MA = 12_000
"""A motor's current against an obstruction, milliamperes (our value).

It is above the limit of every board in `config/tables/`, so that one stalled motor trips it."""


def _no_action() -> None:
    """Do nothing: the default action at an end."""


class Slide:
    """A part that a motor drives between two limit switches.

    `part` is its name in injected faults. `leave_near` and `leave_far` are called before the part
    leaves an end; if one raises ImpossibleOrderError, the part does not move. `reach_near` and
    `reach_far` are called when it has reached an end.
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
        leave_near: Callable[[], None] = _no_action,
        reach_far: Callable[[], None] = _no_action,
        leave_far: Callable[[], None] = _no_action,
        reach_near: Callable[[], None] = _no_action,
    ) -> None:
        self._world = world
        self._part = part
        self._motor = motor
        self._switch = {1: far, -1: near}
        self._usual = seconds
        self._seconds = seconds
        """Seconds from end to end at the motor's present speed."""
        self._leave = {1: leave_near, -1: leave_far}
        self._reach = {1: reach_far, -1: reach_near}
        self._direction = 0
        self._from = 0.0
        self._since = 0.0
        self._arrival: asyncio.TimerHandle | None = None
        self._obstructed: int | None = None
        """The direction in which the part is obstructed."""
        self._caught: tuple[int, float] | None = None
        """The direction in which the part is caught, and the starts until it is free."""

    @property
    def position(self) -> float:
        """The position, from 0.0 (near) to 1.0 (far)."""
        run = (self._world.now - self._since) / self._seconds
        return min(1.0, max(0.0, self._from + self._direction * run))

    @property
    def at_far(self) -> bool:
        return self._direction == 0 and self._from == 1.0

    @property
    def at_near(self) -> bool:
        return self._direction == 0 and self._from == 0.0

    def reset_sensors(self) -> None:
        """Report the position at power-on to the switches."""
        self._world.sense(self._switch[1], self._from == 1.0)
        self._world.sense(self._switch[-1], self._from == 0.0)

    def drive(self, value: int) -> None:
        """Set the motor's value. Raises ImpossibleOrderError if the part cannot leave its end."""
        direction = (value > 0) - (value < 0)
        if direction == self._direction:
            return
        self._from, self._since, self._direction = self.position, self._world.now, 0
        if self._arrival is not None:
            self._arrival.cancel()
            self._arrival = None
        goal = 1.0 if direction > 0 else 0.0
        if direction == 0 or self._from == goal:
            return
        sets_off = self._from == 1.0 - goal
        if sets_off:
            self._leave[direction]()
            self._world.sense(self._switch[-direction], False)
        self._seconds = self._usual * self._slowness()
        self._count_start(direction)
        if sets_off:
            self._check_occasions(direction)
        elif self._is_held(direction):
            return
        self._direction = direction
        left = abs(goal - self._from) * self._seconds
        if direction in (self._obstructed, self._caught[0] if self._caught else None):
            self._arrival = self._world.later(self._motor, left / 2, self._stop_half_way)
        else:
            self._arrival = self._world.later(self._motor, left, self._arrive)

    def _arrive(self) -> None:
        direction, self._arrival = self._direction, None
        self._from = 1.0 if direction > 0 else 0.0
        self._since, self._direction = self._world.now, 0
        self._reach[direction]()
        self._world.sense(self._switch[direction], True)

    # Injected faults

    def _slowness(self) -> float:
        injected_faults = self._world.injected_faults
        hit = injected_faults.on_occasion("weak_motor", self._part)
        if hit is None:
            return 1.0
        injected_faults.deactivate("weak_motor", self._part)
        injected_faults.activate("weak_motor", self._part, _no_action)
        return hit.amount

    def _check_occasions(self, direction: int) -> None:
        """Count the occasion of a start from an end: the part may be caught or obstructed."""
        injected_faults = self._world.injected_faults
        if hit := injected_faults.on_occasion("half_up", self._part):
            self._caught = (direction, hit.amount)
            injected_faults.activate("half_up", self._part, self._come_free)
        if hit := injected_faults.on_occasion("obstruction", self._part):
            self._obstructed = direction
            injected_faults.activate("obstruction", self._part, self._remove_obstruction)
            if hit.amount:
                self._world.loop.call_later(hit.amount, self._withdraw)

    def _count_start(self, direction: int) -> None:
        """Count a start in the direction in which the part is caught."""
        if self._caught is not None and self._caught[0] == direction:
            self._caught = (direction, self._caught[1] - 1)
            if self._caught[1] <= 0:
                self._come_free()
                self._world.injected_faults.deactivate("half_up", self._part)

    def _is_held(self, direction: int) -> bool:
        """Whether the part is driven against an obstruction or a catch that stopped it before."""
        if self._obstructed == direction:
            self._world.loop.call_soon(self._world.draw, self._motor, STALLED_MA)
            return True
        return self._caught is not None and self._caught[0] == direction

    def _stop_half_way(self) -> None:
        direction, self._arrival = self._direction, None
        self._from, self._since, self._direction = self.position, self._world.now, 0
        if self._obstructed == direction:
            self._world.draw(self._motor, STALLED_MA)

    def _come_free(self) -> None:
        self._caught = None

    def _remove_obstruction(self) -> None:
        self._obstructed = None

    def _withdraw(self) -> None:
        if self._obstructed is not None:
            self._remove_obstruction()
            self._world.injected_faults.deactivate("obstruction", self._part)
