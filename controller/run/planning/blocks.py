"""Blocks that the jaws can take: one or two touching columns, from a level up to the top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from config.layout.field import Spot
from controller.run.planning.moves import Grasp
from controller.run.planning.table_top import Stack, TableTop
from rules.geometry import Place


@dataclass(frozen=True)
class Block:
    """A block: its one or two stacks, and the level at which the jaws close."""

    stacks: tuple[Stack, ...]
    level: int

    @property
    def columns(self) -> tuple[tuple[Place, ...], ...]:
        """The places of each column, bottom first."""
        return tuple(stack.tiles[self.level - stack.base :] for stack in self.stacks)

    @property
    def tiles(self) -> tuple[Place, ...]:
        """All places, column by column, top first."""
        return tuple(place for column in self.columns for place in reversed(column))

    @property
    def grasp(self) -> Grasp:
        """The position of the jaws for this block."""
        return grasp([stack.spot for stack in self.stacks], self.level)


def grasp(spots: Sequence[Spot], level: int) -> Grasp:
    """The position of the jaws over one column, or over two columns that touch."""
    middle = Spot(
        round(sum(spot.x for spot in spots) / len(spots), 6),
        round(sum(spot.y for spot in spots) / len(spots), 6),
        spots[0].crossed,
    )
    return Grasp(middle, level, len(spots) == 2)


def available(wanted: Sequence[Place], top: TableTop, levels: int) -> Block | None:
    """The first free block of wanted tiles, at most `levels` high; None if there is none."""
    for place in wanted:
        stack = top.stack_of(place)
        level = _free_from(stack, wanted, top, levels)
        if level is None or place not in stack.tiles[level - stack.base :]:
            continue
        for other in top.neighbours(stack):
            if _free_from(other, wanted, top, levels) == level:
                return Block((stack, other), level)
        return Block((stack,), level)
    return None


def covering(place: Place, top: TableTop, levels: int) -> Block:
    """The tiles above a tile, as a block with those of a neighbour stack of the same height."""
    stack = top.stack_of(place)
    across = top.resting_on(stack)
    if across is not None:
        return Block((across,), across.base)
    level = max(stack.level(place) + 1, stack.top - levels)
    for other in top.neighbours(stack):
        if other.top == stack.top and top.resting_on(other) is None:
            return Block((stack, other), level)
    return Block((stack,), level)


def _free_from(stack: Stack, wanted: Sequence[Place], top: TableTop, levels: int) -> int | None:
    """The level from which all tiles of a stack are wanted and free; None if there is none."""
    if top.resting_on(stack) is not None:
        return None
    level = stack.top
    for place in reversed(stack.tiles[-levels:]):
        if place not in wanted:
            break
        level -= 1
    return level if level < stack.top else None
