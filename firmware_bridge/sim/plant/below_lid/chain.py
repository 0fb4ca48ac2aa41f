"""The chain of a single-port table: carries the head's outlet from side to side, in a ring.

Zero (S4) is active while the outlet is at side 0. A corner passes its sensor (S5) as the outlet
reaches each side. If the chain stops there, S5 stays active until the chain moves on.
"""

from __future__ import annotations

import asyncio

from config.schema import ChainModule
from firmware_bridge.sim.plant.tiles import Holder
from firmware_bridge.sim.plant.world import World

CORNER_PULSE = 0.02
"""Seconds that zero and a corner take to pass their sensors."""


class Chain:
    """Moves the outlet. `side` is the outlet's position, None between two sides."""

    holders: tuple[Holder, ...] = ()

    def __init__(self, world: World, module: ChainModule, sides: int) -> None:
        self.channels = frozenset({module.motor})
        self._world = world
        self._module = module
        self._sides = sides
        self._direction = 0
        self._from = 0.0
        self._since = 0.0
        self._next: asyncio.TimerHandle | None = None
        self._leave_timer: asyncio.TimerHandle | None = None
        """The timer at which the sensors of the present side become inactive."""

    @property
    def side(self) -> int | None:
        there = self._from == int(self._from)
        rests = self._direction == 0 or self._world.now - self._since < CORNER_PULSE + 1e-9
        return int(self._from) if there and rests else None

    def reset_sensors(self) -> None:
        self._world.sense(self._module.zero, self.side == 0)
        self._world.sense(self._module.corner, False)

    def output(self, channel: str, value: int) -> None:
        direction = (value > 0) - (value < 0)
        if direction == self._direction:
            return
        if self.side is None:
            self._from = self._position
        self._since, self._direction = self._world.now, direction
        for timer in (self._next, self._leave_timer):
            if timer is not None:
                timer.cancel()
        if direction:
            whole = self._from == int(self._from)
            part = 1.0 if whole else (1 - self._from % 1 if direction > 0 else self._from % 1)
            self._schedule_side(part)

    @property
    def _position(self) -> float:
        run = self._direction * (self._world.now - self._since) / self._module.seconds_per_side
        return (self._from + run) % self._sides

    def _schedule_side(self, part: float) -> None:
        """Move to the next side, at a distance of this share of a side."""
        if self._from == int(self._from):
            self._leave_timer = self._world.loop.call_later(CORNER_PULSE, self._leave_side)
        seconds = part * self._module.seconds_per_side
        self._next = self._world.later(self._module.motor, seconds, self._reach_side)

    def _reach_side(self) -> None:
        self._from = float(round(self._position)) % self._sides
        self._since = self._world.now
        self._schedule_side(1.0)
        if self._from == 0.0:
            self._world.sense(self._module.zero, True)
        self._world.sense(self._module.corner, True)

    def _leave_side(self) -> None:
        self._world.sense(self._module.zero, False)
        self._world.sense(self._module.corner, False)
