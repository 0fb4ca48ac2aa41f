"""The motors' supply: through contacts of safety relays, which close while a coil has current."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from config.schema import AxisChannel, MotorChannel, RelayModule, Table
from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError
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


class MotorSupply:
    """The supply of all motors and axes: a relay supplies those of its coil's board.

    `relays` are in the order of the table's relay modules. A motor without a relay always has
    power.
    """

    def __init__(self, table: Table, relays: Sequence[Relay]) -> None:
        self._relay_of = {
            name: relay
            for relay, module in zip(relays, table.modules.relay, strict=True)
            for name, channel in table.boards[table.board_of(module.coil)].channels.items()
            if isinstance(channel, MotorChannel | AxisChannel)
        }

    def check(self, channel: str) -> None:
        """Raise ImpossibleOrderError if the channel is a motor or axis without power."""
        relay = self._relay_of.get(channel)
        if relay is not None and not relay.closed:
            raise ImpossibleOrderError(f"{channel} cannot run: its relay is open.")
