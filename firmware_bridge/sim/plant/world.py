"""World: the services for the plant's parts - time, chance, sensors, refusal of orders."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Protocol

from firmware_bridge.sim.faults.injection import InjectedFaults
from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError, Tile


class PlantPart(Protocol):
    """A mechanism behind some output channels, and the places in it where tiles lie."""

    @property
    def channels(self) -> frozenset[str]: ...

    @property
    def holders(self) -> tuple[Holder, ...]: ...

    def output(self, channel: str, value: int) -> None:
        """One of its outputs changed to this value. Raises ImpossibleOrderError."""

    def rest(self) -> None:
        """Set its sensors to the state at power-on."""


@dataclass(frozen=True)
class World:
    """`sense(channel, active)` moves a sensor; `refuse(channel, why)` faults the board of one.

    `draw(motor, milliamps)` is a motor's current from now on; `take_out(tile)` is a person's hand,
    which gets at a tile wherever it lies; `uncounted()` are the tiles that have still to pass a
    counter, or lie on the floor. `mishaps` are asked at every occasion for one. `chance` False
    makes every duration its mean; which tile comes next stays a matter of the seed.
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
        """A sensor is active for a moment."""
        self.sense(sensor, True)
        self.loop.call_later(seconds, self.sense, sensor, False)

    def stream(self, name: str) -> Random:
        """A part's own chances, so that one part's do not shift another's."""
        return Random(f"{self.seed}:{name}")
