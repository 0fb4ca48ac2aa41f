"""Dice dome: the plant's seed determines its throws, and tests can preset them."""

from __future__ import annotations

from collections import deque

from config.schema import DiceModule
from firmware_bridge.sim.plant.tiles import Holder
from firmware_bridge.sim.plant.world import World


class Dome:
    """A dice dome. The throws in `preset` are used first, in order; further throws are random."""

    holders: tuple[Holder, ...] = ()

    def __init__(self, world: World, module: DiceModule) -> None:
        self.channels = frozenset({module.unit})
        self.preset: deque[tuple[int, ...]] = deque()
        self.throws: list[tuple[int, ...]] = []
        """The faces of every throw, in order; a cocked die shows 0."""
        self._chance = world.stream("dice")
        self._injected_faults = world.injected_faults

    def reset_sensors(self) -> None:
        """Do nothing: a dome has no sensor."""

    def output(self, channel: str, value: int) -> None:
        """Start or stop the shaker; the dice can be read once it is stopped."""

    def throw(self, count: int) -> tuple[int, ...]:
        if self.preset:
            thrown = self.preset.popleft()
        else:
            thrown = tuple(self._chance.randint(1, 6) for _ in range(count))
        if self._injected_faults.on_occasion("cocked_die", "dice"):
            thrown = (0, *thrown[1:])
        self.throws.append(thrown)
        return thrown
