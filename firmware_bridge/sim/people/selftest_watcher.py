"""Simulated observer of a self-test: covers sensors, and reports which outputs changed.

No players are at the table during a self-test: `NoPeople` presses no key and pushes no tile in.
"""

from __future__ import annotations

from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.sim.plant.players import People
from firmware_bridge.sim.plant.tiles import Tile

REACHING = 1.0
"""Seconds until the observer has reached a sensor (our value)."""
STACK = 2
"""The number of tiles that a pusher gets for a stack."""


class NoPeople(People):
    """A table without players."""

    def _arrive(self) -> None:
        """Do nothing: no players arrive."""

    def output(self, channel: str, value: int) -> None:
        """Do nothing: no players see the lamp."""

    def lid_opened(self) -> None:
        """Do nothing: no players push tiles in."""


class SelftestWatcher:
    """Records every output of a plant that changes; it has no access to the orders."""

    def __init__(self, plant: Plant) -> None:
        self._plant = plant
        self._seen: set[str] = set()
        plant.output_observers.append(self._see)

    def watch(self, channels: tuple[str, ...]) -> None:
        """Observe these channels from now on; give a pusher, flipper or turner its tiles."""
        self._seen.clear()
        plant, modules = self._plant, self._plant.table.modules
        ports = modules.heads.ports if modules.heads else ()
        for head, module in zip(plant.heads, ports, strict=True):
            if module.pusher in channels and not head.waiting.tiles:
                for _ in range(STACK):
                    head.waiting.put(self._a_tile())
        if modules.flipper and modules.flipper.motor in channels:
            spot = plant.trays[modules.flipper.tray].spot(modules.flipper.column)
            plant.felt.raise_column(spot, [self._a_tile()])
        if plant.gantry is not None and modules.gantry:
            for tile in list(plant.gantry.held.tiles):
                plant.boxes[0].put(plant.gantry.take_out(tile))
            if modules.gantry.turner in channels:
                plant.gantry.put_in(self._a_tile())

    def saw(self, channels: tuple[str, ...]) -> bool:
        """Whether one of these channels has changed."""
        return not self._seen.isdisjoint(channels)

    def reach(self, sensor: str, active: bool) -> None:
        """Cover or free a sensor, after the time that a person needs."""
        self._plant.world.loop.call_later(REACHING, self._plant.sense, sensor, active)

    def _a_tile(self) -> Tile:
        box = self._plant.boxes[0]
        return box.take(box.tiles[0])

    def _see(self, channel: str, value: int) -> None:
        self._seen.add(channel)
