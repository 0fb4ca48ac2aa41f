"""Trays, in which the walls are collected, and lifts, which raise the walls onto the felt.

Stacks line up in the order in which they are pushed: the first one is column 1, counted from the
right of the side's owner. The lift's plate takes all stacks of the tray when it leaves its lower
end. While the plate is up, the tray below can be filled again.
"""

from __future__ import annotations

from itertools import chain, repeat

from config.layout.field import Field, Spot
from config.schema import TraysModule
from firmware_bridge.sim.plant.on_table.felt import Felt
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
        """The stacks in the tray, in order of arrival, each with its bottom tile first."""
        self.expected_heights: tuple[int, ...] = ()
        """The height of each column that people expect; empty if they do not know the game."""
        self.channels = frozenset({module.lift})
        self._row = Holder(f"tray {side}")
        self._plate = Holder(f"lift {side}")
        self.holders = (self._row, self._plate)
        self._side = side
        self._capacity = trays.columns
        self._field = field
        self._felt = felt
        self._carried: list[list[Tile]] = []
        self._raised = trays.columns
        """The number of columns of the last raised wall."""
        self._slide = Slide(
            world,
            f"lift{side}",
            module.lift,
            module.up,
            module.down,
            trays.lift,
            leave_near=self._load,
            reach_far=self._set_up_wall,
            leave_far=self._check_clear,
            reach_near=self._unload,
        )

    def reset_sensors(self) -> None:
        self._slide.reset_sensors()

    def output(self, channel: str, value: int) -> None:
        self._slide.drive(value)

    def spot(self, column: int) -> Spot:
        """The spot of a column of the last raised wall."""
        return self._field.wall(self._side, column, self._raised)

    def push(self, stack: list[Tile]) -> None:
        """Receive a stack from a head. ImpossibleOrderError, with no tile moved, if it is full."""
        if len(self.stacks) >= self._capacity:
            raise ImpossibleOrderError(f"{self._row.name} is full with {self._capacity} stacks.")
        for tile in stack:
            if tile.holder is not None:
                tile.holder.give(tile, self._row)
        self.stacks.append(stack)

    def take_out(self, tile: Tile) -> Tile:
        """Take one tile away by hand; the tiles above it sink down.

        If its stack is then lower than the last stack, the last stack's top tile replaces it.
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
    def all_stacks(self) -> list[list[Tile]]:
        """All stacks, on the lift and in the tray below it."""
        return self._carried + self.stacks

    @property
    def surplus_tile(self) -> Tile | None:
        """The top tile of the first stack that is higher than expected, or None."""
        for stacks in (self._carried, self.stacks):
            for stack, height in zip(stacks, chain(self.expected_heights, repeat(0)), strict=False):
                if len(stack) > height:
                    return stack[-1]
        return None

    # The lift's ends

    def _load(self) -> None:
        if self._carried and self.stacks:
            raise ImpossibleOrderError(f"{self._plate.name} stands on tiles and cannot rise.")
        if self._carried:
            return  # the lift was stopped at the instant of its start and has its stacks already
        columns = len(self.stacks) or self._raised
        if any(self._felt.is_occupied(spot) for spot in self._spots(columns)):
            raise ImpossibleOrderError(f"{self._plate.name} cannot rise under a standing wall.")
        self._move_all(self._row, self._plate)
        self._carried, self.stacks = self.stacks, []

    def _set_up_wall(self) -> None:
        if not self._carried:
            return
        spots = self._spots(len(self._carried))
        if any(self._felt.is_occupied(spot) for spot in spots):
            raise ImpossibleOrderError(f"{self._plate.name} rose against tiles on the felt.")
        self._raised = len(self._carried)
        for spot, stack in zip(spots, self._carried, strict=True):
            self._felt.raise_column(spot, [self._plate.take(tile) for tile in stack])
        self._carried = []

    def _check_clear(self) -> None:
        if any(self._felt.is_occupied(spot) for spot in self._spots(self._raised)):
            raise ImpossibleOrderError(
                f"{self._plate.name} cannot sink: its wall still stands on it."
            )

    def _unload(self) -> None:
        if self._carried and self.stacks:
            raise ImpossibleOrderError(f"{self._plate.name} came down loaded on a filled tray.")
        if self._carried:
            self._move_all(self._plate, self._row)
            self._carried, self.stacks = [], self._carried

    def _spots(self, columns: int) -> list[Spot]:
        return [self._field.wall(self._side, column, columns) for column in range(1, columns + 1)]

    @staticmethod
    def _move_all(one: Holder, other: Holder) -> None:
        for tile in list(one.tiles):
            one.give(tile, other)
