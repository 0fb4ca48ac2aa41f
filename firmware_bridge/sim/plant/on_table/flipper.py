"""The flipper: an arm below a wall that turns the uppermost tile of one spot face up."""

from __future__ import annotations

from collections.abc import Callable

from config.layout.field import Spot
from config.schema import FlipperModule
from firmware_bridge.sim.plant.on_table.felt import Felt
from firmware_bridge.sim.plant.slide import Slide
from firmware_bridge.sim.plant.tiles import Holder
from firmware_bridge.sim.plant.world import World


class Flipper:
    """A flipper. `target` returns the spot whose tile it turns, for the present wall."""

    holders: tuple[Holder, ...] = ()

    def __init__(
        self, world: World, module: FlipperModule, felt: Felt, target: Callable[[], Spot]
    ) -> None:
        self.channels = frozenset({module.motor})
        self._target = target
        self._felt = felt
        self._slide = Slide(
            world,
            "flipper",
            module.motor,
            module.flipped,
            module.home,
            module.flip,
            reach_far=self._flip,
        )

    def reset_sensors(self) -> None:
        self._slide.reset_sensors()

    def output(self, channel: str, value: int) -> None:
        self._slide.drive(value)

    def _flip(self) -> None:
        self._felt.turn_over(self._felt.top_tile(self._target()))
