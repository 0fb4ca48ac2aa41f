"""The safety relay: its contact in the motors' supply closes while its coil has current."""

from __future__ import annotations

import asyncio

from config.schema import RelayModule
from firmware_bridge.sim.plant.tiles import Holder
from firmware_bridge.sim.plant.world import World

SHARE = 0.5
"""The time in which the contact closes or opens, as a share of the relay's maximum (our value)."""


class Relay:
    """A relay. Its motors have no power while it is open; a `welded` contact stays closed."""

    holders: tuple[Holder, ...] = ()

    def __init__(self, world: World, module: RelayModule) -> None:
        self.channels = frozenset({module.coil})
        self.closed = False
        """Whether the motors have power."""
        self.dead = False
        """Whether the coil is burnt out."""
        self.welded = False
        self._world = world
        self._module = module
        self._coil = False
        self._moving: asyncio.TimerHandle | None = None

    def reset_sensors(self) -> None:
        """Report the contact's state to its sensor."""
        self._settle()

    def output(self, channel: str, value: int) -> None:
        self._coil = bool(value)
        if self._moving is not None:
            self._moving.cancel()
        self._moving = self._world.later(channel, SHARE * self._module.seconds, self._settle)

    def _settle(self) -> None:
        self.closed = self.welded or (self._coil and not self.dead)
        if self._module.contact is not None:
            self._world.sense(self._module.contact, self.closed)
