"""Trays, in which the walls are collected, and lifts, which raise the walls onto the felt.

Stacks line up in the order in which they are pushed: the first is column 1 from the owner's
right. The lift's plate takes what stands in the tray when it leaves its lower end; while it is
away the tray below can be filled again.
"""

from __future__ import annotations

from itertools import chain, repeat

from config.layout.field import Field, Spot
from config.schema import TraysModule
from firmware_bridge.sim.plant.felt import Felt
from firmware_bridge.sim.plant.slide import Slide
from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError, Tile
from firmware_bridge.sim.plant.world import World


class Tray:
    """One side's tray and lift."""

    def __init__(
        self, world: World, side: int, trays: TraysModule, field: Field, felt: Felt
    ) -> None:
        module = trays.sides[side]
        self.stacks: list[list[Tile]] = []
        """What stands in the tray, in order of arrival, each stack bottom tile first."""
        self.due: tuple[int, ...] = ()
        """How high each column is to be, as far as people know."""
        self.channels = frozenset({module.lift})
        self._row = Holder(f"tray {side}")
        self._plate = Holder(f"lift {side}")
        self.holders = (self._row, self._plate)
        self._side = side
        self._most = trays.columns
        self._field = field
        self._felt = felt
        self._carried: list[list[Tile]] = []
        self._raised = trays.columns
        """How many columns its last wall had."""
        self._slide = Slide(
            world,
            f"lift{side}",
            module.lift,
            module.up,
            module.down,
            trays.lift,
            leave_near=self._load,
            reach_far=self._stand,
            leave_far=self._sink,
            reach_near=self._unload,
        )

    def rest(self) -> None:
        self._slide.rest()

    def output(self, channel: str, value: int) -> None:
        self._slide.drive(value)

    def spot(self, column: int) -> Spot:
        """Where a column of the last wall raised stands, or would."""
        return self._field.wall(self._side, column, self._raised)

    def push(self, stack: list[Tile]) -> None:
        """A head pushes a stack in. Raises Impossible, with nothing moved, if the tray is full."""
        if len(self.stacks) >= self._most:
            raise ImpossibleOrderError(f"{self._row.name} is full with {self._most} stacks.")
        for tile in stack:
            if tile.holder is not None:
                tile.holder.give(tile, self._row)
        self.stacks.append(stack)

    def take_out(self, tile: Tile) -> Tile:
        """A person takes one tile away; what lay on it sinks down.

        A stack that is lower than the last one then gets the last one's top tile instead.
        """
        for stacks in (self.stacks, self._carried):
            for stack in stacks:
                if tile in stack:
                    stack.remove(tile)
                    if 0 < len(stack) < len(stacks[-1]):
                        stack.append(stacks[-1].pop())
            stacks[:] = [stack for stack in stacks if stack]
        assert tile.holder is not None
        return tile.holder.take(tile)

    @property
    def row(self) -> list[list[Tile]]:
        """What people see who look into it: its stacks, on the lift or below it."""
        return self._carried + self.stacks

    @property
    def too_high(self) -> Tile | None:
        """The top of the first stack that is higher than it should be."""
        for stacks in (self._carried, self.stacks):
            for stack, height in zip(stacks, chain(self.due, repeat(0)), strict=False):
                if len(stack) > height:
                    return stack[-1]
        return None

    # The lift's ends

    def _load(self) -> None:
        if self._carried and self.stacks:
            raise ImpossibleOrderError(f"{self._plate.name} stands on tiles and cannot rise.")
        if self._carried:
            return  # it was stopped in the very moment in which it set off
        columns = len(self.stacks) or self._raised
        if any(self._felt.standing(spot) for spot in self._spots(columns)):
            raise ImpossibleOrderError(f"{self._plate.name} cannot rise under a standing wall.")
        self._pass_all(self._row, self._plate)
        self._carried, self.stacks = self.stacks, []

    def _stand(self) -> None:
        if not self._carried:
            return
        spots = self._spots(len(self._carried))
        if any(self._felt.standing(spot) for spot in spots):
            raise ImpossibleOrderError(f"{self._plate.name} rose against tiles on the felt.")
        self._raised = len(self._carried)
        for spot, stack in zip(spots, self._carried, strict=True):
            self._felt.stand(spot, [self._plate.take(tile) for tile in stack])
        self._carried = []

    def _sink(self) -> None:
        if any(self._felt.standing(spot) for spot in self._spots(self._raised)):
            raise ImpossibleOrderError(
                f"{self._plate.name} cannot sink: its wall still stands on it."
            )

    def _unload(self) -> None:
        if self._carried and self.stacks:
            raise ImpossibleOrderError(f"{self._plate.name} came down loaded on a filled tray.")
        if self._carried:
            self._pass_all(self._plate, self._row)
            self._carried, self.stacks = [], self._carried

    def _spots(self, columns: int) -> list[Spot]:
        return [self._field.wall(self._side, column, columns) for column in range(1, columns + 1)]

    @staticmethod
    def _pass_all(one: Holder, other: Holder) -> None:
        for tile in list(one.tiles):
            one.give(tile, other)
