"""The lid over the well: while it is fully open, people can push tiles in."""

from __future__ import annotations

from collections.abc import Callable

from config.schema import LidModule
from firmware_bridge.sim.plant.slide import Slide
from firmware_bridge.sim.plant.tiles import Holder
from firmware_bridge.sim.plant.world import World


class Lid:
    """A lid. `opens` is called when it leaves its closed end, `opened` when it is fully open."""

    holders: tuple[Holder, ...] = ()

    def __init__(
        self,
        world: World,
        module: LidModule,
        opens: Callable[[], None],
        opened: Callable[[], None],
    ) -> None:
        self.channels = frozenset({module.motor})
        self._slide = Slide(
            world,
            "lid",
            module.motor,
            module.opened,
            module.closed,
            module.seconds,
            leave_near=opens,
            reach_far=opened,
        )

    def is_open(self) -> bool:
        return self._slide.at_far

    def is_closed(self) -> bool:
        return self._slide.at_near

    def reset_sensors(self) -> None:
        self._slide.reset_sensors()

    def output(self, channel: str, value: int) -> None:
        self._slide.drive(value)
