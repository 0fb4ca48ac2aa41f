"""The small mechanisms on the table: lid over the well, flipper below a wall, dice dome."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from config.layout.field import Spot
from config.schema import DiceModule, FlipperModule, LidModule
from firmware_bridge.sim.plant.on_table.felt import Felt
from firmware_bridge.sim.plant.slide import Slide
from firmware_bridge.sim.plant.tiles import Holder
from firmware_bridge.sim.plant.world import World


class Lid:
    """The lid over the well. While it is fully open, people can push tiles in.

    `opens` is called when it leaves its closed end, `opened` when it is fully open.
    """

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


class Flipper:
    """An arm below a wall that turns the uppermost tile of one spot face up.

    `target` returns the spot whose tile it turns, for the present wall.
    """

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


class Dome:
    """A dice dome. Throws in `preset` are used first; the plant's seed determines the others."""

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
