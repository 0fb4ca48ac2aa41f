"""The positions of tiles on the field: a frozen value that every carry replaces.

A stack is a column of places at one spot, bottom first. The planner reads the table top, plans a
carry and gets the next value; the stations do the carrying. The table top contains no faces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from config.layout.field import Field, Spot
from config.layout.staging import Staging
from rules.geometry import Place, Seat

STREWN = 2
"""Height of discard piles, in levels: the middle holds a whole set in two layers."""
_NEAR = 0.001


@dataclass(frozen=True, slots=True)
class Stack:
    """Places at one spot, bottom first; the lowest lies on level `base`, on the stacks `over`."""

    spot: Spot
    tiles: tuple[Place, ...]
    base: int = 0
    over: tuple[Spot, ...] = ()

    @property
    def top(self) -> int:
        return self.base + len(self.tiles)

    def level(self, place: Place) -> int:
        """The level on which a tile of this stack lies, from the felt."""
        return self.base + self.tiles.index(place)


Key = tuple[Spot, int]
"""A stack's own key: where it stands and on which level it begins."""


@dataclass(frozen=True)
class TableTop:
    """All stacks, the stack of each place, and the length of each hand's row.

    `strewn` is how many levels of tiles people may have laid anywhere by hand.
    """

    field: Field
    seats: int
    stacks: Mapping[Key, Stack]
    at: Mapping[Place, Key]
    reach: Mapping[Seat, float]
    strewn: int = 0

    def stack_of(self, place: Place) -> Stack:
        """The stack that holds a place's tile; raises KeyError if it is not on the field."""
        return self.stacks[self.at[place]]

    @property
    def highest(self) -> int:
        """The highest level that any stack reaches, or people's tiles may."""
        return max(self.strewn, 0, *(stack.top for stack in self.stacks.values()))

    def resting_on(self, stack: Stack) -> Stack | None:
        """A stack that lies across this one, if any."""
        return next((other for other in self.stacks.values() if stack.spot in other.over), None)

    def support(self, spot: Spot) -> int:
        """The level on which a tile set down exactly here would rest."""
        return max((s.top for s in self.stacks.values() if _same(s.spot, spot)), default=0)

    def neighbours(self, stack: Stack) -> list[Stack]:
        """The stacks that touch this one on its row and begin on its level."""
        return [
            other
            for other in self.stacks.values()
            if other.base == stack.base
            and other.spot.crossed == stack.spot.crossed
            and _touch(stack.spot, other.spot, self.field.pitch)
        ]

    def without(self, tiles: Iterable[Place]) -> TableTop:
        """The field after these tiles have been lifted off."""
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
        """The field once players hold these tiles: their rows are free, and tiles lie about."""
        left = self.without(place for place in tiles if place in self.at)
        return replace(left, reach=MappingProxyType({}), strewn=STREWN)

    def with_column(
        self, spot: Spot, tiles: tuple[Place, ...], over: tuple[Spot, ...] = ()
    ) -> TableTop:
        """The field after these tiles, bottom first, have been set down at a spot."""
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
    """The field just after the lifts have raised what the trays held."""
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
    """Whether two columns of one row stand side by side."""
    x, y = abs(one.x - other.x), abs(one.y - other.y)
    along, across = (y, x) if one.crossed else (x, y)
    return across < _NEAR and abs(along - pitch) < _NEAR
