"""The dice dome: shaken by the board, seeded by the plant, loaded by tests."""

from __future__ import annotations

from collections import deque

from config.schema import Dice as DiceModule
from firmware_bridge.sim.plant.tiles import Holder
from firmware_bridge.sim.plant.world import World


class Dome:
    """`loaded` throws come first, in order; then the dice are fair."""

    holders: tuple[Holder, ...] = ()

    def __init__(self, world: World, module: DiceModule) -> None:
        self.channels = frozenset({module.unit})
        self.loaded: deque[tuple[int, ...]] = deque()
        self.fallen: list[tuple[int, ...]] = []
        """What every throw has shown, in order; a cocked die shows 0."""
        self._chance = world.stream("dice")
        self._mishaps = world.mishaps

    def rest(self) -> None:
        """Nothing to tell."""

    def output(self, channel: str, value: int) -> None:
        """The shaker runs or stands; the dice show only once it stands."""

    def throw(self, count: int) -> tuple[int, ...]:
        if self.loaded:
            thrown = self.loaded.popleft()
        else:
            thrown = tuple(self._chance.randint(1, 6) for _ in range(count))
        if self._mishaps.strikes("cocked_die", "dice"):
            thrown = (0, *thrown[1:])
        self.fallen.append(thrown)
        return thrown
