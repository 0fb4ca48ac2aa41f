"""A motor that carries something past places in a ring: the chain's outlet, a magazine's pockets.

A mark passes its sensor as each place arrives; another sensor is active at place 0. If the ring
stops there, both sensors stay active until it moves on.
"""

from __future__ import annotations

import asyncio

from config.schema import ChainModule
from firmware_bridge.sim.plant.tiles import Holder
from firmware_bridge.sim.plant.world import World

RING_PULSE = 0.02
"""Seconds that the mark of a place takes to pass its sensor; less if the places are close."""


class Ring:
    """A ring of `places`, each `seconds` from the next; `zero` and `mark` are its sensors.

    With `shows_rest` the mark is active at power-on too.
    """

    def __init__(
        self,
        world: World,
        motor: str,
        zero: str,
        mark: str,
        seconds: float,
        places: int,
        *,
        shows_rest: bool = False,
    ) -> None:
        self._world = world
        self._motor = motor
        self._zero = zero
        self._mark = mark
        self._seconds = seconds
        self._places = places
        self._shows_rest = shows_rest
        self._pulse = min(RING_PULSE, seconds / 4)
        self._direction = 0
        self._from = 0.0
        self._since = 0.0
        self._next: asyncio.TimerHandle | None = None
        self._leave_timer: asyncio.TimerHandle | None = None
        """The timer at which the sensors of the present place become inactive."""

    @property
    def place(self) -> int | None:
        """The place at which the ring is, None between two places."""
        there = self._from == int(self._from)
        rests = self._direction == 0 or self._world.now - self._since < self._pulse + 1e-9
        return int(self._from) if there and rests else None

    def reset_sensors(self) -> None:
        """Report the position at power-on."""
        self._world.sense(self._zero, self.place == 0)
        self._world.sense(self._mark, self._shows_rest and self.place is not None)

    def drive(self, value: int) -> None:
        """Set the value of the motor; only its sign counts."""
        direction = (value > 0) - (value < 0)
        if direction == self._direction:
            return
        if self.place is None:
            self._from = self._position
        self._since, self._direction = self._world.now, direction
        for timer in (self._next, self._leave_timer):
            if timer is not None:
                timer.cancel()
        if direction:
            whole = self._from == int(self._from)
            part = 1.0 if whole else (1 - self._from % 1 if direction > 0 else self._from % 1)
            self._schedule_place(part)

    @property
    def _position(self) -> float:
        run = self._direction * (self._world.now - self._since) / self._seconds
        return (self._from + run) % self._places

    def _schedule_place(self, part: float) -> None:
        """Move to the next place, at a distance of this share of a place."""
        if self._from == int(self._from):
            self._leave_timer = self._world.loop.call_later(self._pulse, self._leave_place)
        self._next = self._world.later(self._motor, part * self._seconds, self._reach_place)

    def _reach_place(self) -> None:
        self._from = float(round(self._position)) % self._places
        self._since = self._world.now
        self._schedule_place(1.0)
        if self._from == 0.0:
            self._world.sense(self._zero, True)
        self._world.sense(self._mark, True)

    def _leave_place(self) -> None:
        self._world.sense(self._zero, False)
        self._world.sense(self._mark, False)


class Chain:
    """The chain of a single-port table: carries the head's outlet from side to side, in a ring.

    Zero (S4) is active while the outlet is at side 0. A corner passes its sensor (S5) as the outlet
    reaches each side. `side` is the outlet's position, None between two sides.
    """

    holders: tuple[Holder, ...] = ()

    def __init__(self, world: World, module: ChainModule, sides: int) -> None:
        self.channels = frozenset({module.motor})
        self._ring = Ring(
            world, module.motor, module.zero, module.corner, module.seconds_per_side, sides
        )

    @property
    def side(self) -> int | None:
        return self._ring.place

    def reset_sensors(self) -> None:
        self._ring.reset_sensors()

    def output(self, channel: str, value: int) -> None:
        self._ring.drive(value)
