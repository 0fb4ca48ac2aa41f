"""Table top: the positions of tiles on the field, as a frozen value that every carry replaces.

A stack is a column of places at one spot, bottom first. The planner computes a carry and the table
top after it; the stations execute the carry. The table top contains no faces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from config.layout.field import Field, Spot
from config.layout.staging import Staging
from rules.geometry import Place, Seat

LOOSE_LEVELS = 2
"""Height of loose tiles during play, in levels: a whole set covers the middle in two layers."""
_NEAR = 0.001


@dataclass(frozen=True, slots=True)
class Stack:
    """Places at one spot, bottom first; the lowest is at level `base`, on the stacks at `over`."""

    spot: Spot
    tiles: tuple[Place, ...]
    base: int = 0
    over: tuple[Spot, ...] = ()

    @property
    def top(self) -> int:
        """The level above the highest tile."""
        return self.base + len(self.tiles)

    def level(self, place: Place) -> int:
        """The level of a tile of this stack, counted from the felt."""
        return self.base + self.tiles.index(place)


Key = tuple[Spot, int]
"""Key of a stack: its spot and the level at which it begins."""


@dataclass(frozen=True)
class TableTop:
    """All stacks, the stack of each place, and the length of each hand's row.

    `loose_levels` is the height of tiles that people may have put anywhere, in levels.
    """

    field: Field
    seats: int
    stacks: Mapping[Key, Stack]
    at: Mapping[Place, Key]
    reach: Mapping[Seat, float]
    loose_levels: int = 0

    def stack_of(self, place: Place) -> Stack:
        """The stack that contains a place. Raises KeyError if its tile is not on the field."""
        return self.stacks[self.at[place]]

    @property
    def highest(self) -> int:
        """The highest level of the stacks and of loose tiles."""
        return max(self.loose_levels, 0, *(stack.top for stack in self.stacks.values()))

    def resting_on(self, stack: Stack) -> Stack | None:
        """The stack that lies across this one; None if there is none."""
        return next((other for other in self.stacks.values() if stack.spot in other.over), None)

    def support(self, spot: Spot) -> int:
        """The level at which a tile would be if it were set down at this spot."""
        return max((s.top for s in self.stacks.values() if _same(s.spot, spot)), default=0)

    def neighbours(self, stack: Stack) -> list[Stack]:
        """The stacks that touch this one in its row and begin at its level."""
        return [
            other
            for other in self.stacks.values()
            if other.base == stack.base
            and other.spot.crossed == stack.spot.crossed
            and _touch(stack.spot, other.spot, self.field.pitch)
        ]

    def without(self, tiles: Iterable[Place]) -> TableTop:
        """The table top without these tiles."""
        stacks, at = dict(self.stacks), dict(self.at)
        for place in tiles:
            key = at.pop(place)
            stack = stacks[key]
            rest = tuple(tile for tile in stack.tiles if tile != place)
            if rest:
                stacks[key] = replace(stack, tiles=rest)
            else:
                del stacks[key]
        return replace(self, stacks=MappingProxyType(stacks), at=MappingProxyType(at))

    def taken_up(self, tiles: Iterable[Place]) -> TableTop:
        """The table top after players took up these tiles; the hands' rows are free.

        From then on loose tiles can be anywhere on the field.
        """
        left = self.without(place for place in tiles if place in self.at)
        return replace(left, reach=MappingProxyType({}), loose_levels=LOOSE_LEVELS)

    def with_column(
        self, spot: Spot, tiles: tuple[Place, ...], over: tuple[Spot, ...] = ()
    ) -> TableTop:
        """The table top with these tiles, bottom first, set down at a spot."""
        stacks, at = dict(self.stacks), dict(self.at)
        level = self.support(over[0]) if over else self.support(spot)
        below = next(
            (
                key
                for key, stack in stacks.items()
                if stack.top == level
                and _same(stack.spot, spot)
                and stack.spot.crossed == spot.crossed
            ),
            None,
        )
        if below is None or over:
            key = (spot, level)
            stacks[key] = Stack(spot, tiles, level, over)
        else:
            key = below
            stacks[key] = replace(stacks[key], tiles=stacks[key].tiles + tiles)
        at.update(dict.fromkeys(tiles, key))
        return replace(self, stacks=MappingProxyType(stacks), at=MappingProxyType(at))


def raised(staging: Staging, field: Field, seats: int) -> TableTop:
    """The table top after the lifts have raised the trays."""
    columns: dict[tuple[int, int], dict[int, Place]] = {}
    for place, slot in staging.slots.items():
        columns.setdefault((slot.tray, slot.column), {})[slot.level] = place
    stacks: dict[Key, Stack] = {}
    for (tray, column), levels in columns.items():
        spot = field.wall(tray, column, staging.columns(tray))
        tiles = tuple(levels[level] for level in sorted(levels, reverse=True))
        stacks[(spot, 0)] = Stack(spot, tiles)
    at = {place: key for key, stack in stacks.items() for place in stack.tiles}
    return TableTop(
        field, seats, MappingProxyType(stacks), MappingProxyType(at), MappingProxyType({})
    )


def _same(one: Spot, other: Spot) -> bool:
    return abs(one.x - other.x) < _NEAR and abs(one.y - other.y) < _NEAR


def _touch(one: Spot, other: Spot, pitch: float) -> bool:
    """Whether two columns of one row are side by side."""
    x, y = abs(one.x - other.x), abs(one.y - other.y)
    along, across = (y, x) if one.crossed else (x, y)
    return across < _NEAR and abs(along - pitch) < _NEAR
