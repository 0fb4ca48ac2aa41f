"""The chain of a single-port table: carries the head's outlet from side to side, in a ring.

Zero (S4) is active while the outlet is at side 0. A corner passes its sensor (S5) as the outlet
reaches each side. If the chain stops there, S5 stays active until the chain moves on.
"""

from __future__ import annotations

from config.schema import ChainModule
from firmware_bridge.sim.plant.below_lid.ring import Ring
from firmware_bridge.sim.plant.tiles import Holder
from firmware_bridge.sim.plant.world import World


class Chain:
    """Moves the outlet. `side` is the outlet's position, None between two sides."""

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
