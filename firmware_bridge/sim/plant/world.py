"""World: the services for the plant's parts - time, random streams, sensors, refused orders."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Protocol

from firmware_bridge.sim.faults.injection import InjectedFaults
from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError, Tile


class PlantPart(Protocol):
    """A mechanism with its output channels, and the holders of the tiles in it."""

    @property
    def channels(self) -> frozenset[str]: ...

    @property
    def holders(self) -> tuple[Holder, ...]: ...

    def output(self, channel: str, value: int) -> None:
        """Called when one of the part's outputs takes this value. Raises ImpossibleOrderError."""

    def reset_sensors(self) -> None:
        """Set the part's sensors to the state at power-on."""


@dataclass(frozen=True)
class World:
    """The services that the parts of one plant share.

    `sense(channel, active)` sets a sensor's level. `refuse(channel, why)` latches a fault at the
    board of a channel. `draw(motor, milliamps)` sets a motor's current. `take_out(tile)` takes a
    tile out by hand, from any place. `uncounted()` returns the tiles that have not passed a counter
    yet, and those on the floor. `chance` False sets every duration to its mean; the order of the
    tiles still depends on the seed.
    """

    loop: asyncio.AbstractEventLoop
    sense: Callable[[str, bool], None]
    refuse: Callable[[str, str], None]
    draw: Callable[[str, int], None]
    take_out: Callable[[Tile], Tile]
    uncounted: Callable[[], list[Tile]]
    injected_faults: InjectedFaults
    seed: int
    chance: bool = True

    @property
    def now(self) -> float:
        return self.loop.time()

    def later(
        self, channel: str, seconds: float, action: Callable[[], None]
    ) -> asyncio.TimerHandle:
        """Call later, after these seconds; an ImpossibleOrderError faults the channel's board."""

        def act() -> None:
            try:
                action()
            except ImpossibleOrderError as refusal:
                self.refuse(channel, str(refusal))

        return self.loop.call_later(seconds, act)

    def blink(self, sensor: str, seconds: float) -> None:
        """Activate a sensor for this number of seconds."""
        self.sense(sensor, True)
        self.loop.call_later(seconds, self.sense, sensor, False)

    def stream(self, name: str) -> Random:
        """A separate random stream for a part, so that parts do not change each other's values."""
        return Random(f"{self.seed}:{name}")
