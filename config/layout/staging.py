"""Assigns each tile place of a game's layout to a slot in a tray.

A game names places such as `w3.15u`, `p2.3`, `b7`, `k4`; a machine builds stacks in trays.
`stage` returns the stacks that each tray must hold and the slot of every place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from config.schema import Table
from rules.errors import WallwrightError
from rules.geometry import (
    BareTable,
    Boneyard,
    CardPile,
    Layout,
    Pile,
    PilePlace,
    Place,
    Seat,
    Walls,
)

PILE_TRAYS = (2, 0)
"""The trays of the upper and the lower half of a pile, on a table whose trays are half as high.

The two halves are on opposite sides, column facing column, so that a gantry carries the upper half
straight across and sets it on the lower half."""

RING = (0, 3, 2, 1)
"""The trays clockwise, in the order in which walls are used up."""
HAND_SIDES, HAND_LEVELS = 4, 4
"""The number of sides and levels of tiles that people set up on a table without trays."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A tile's place in a raised tray: column from the right, level from the top, both from 1."""

    tray: int
    column: int
    level: int


@dataclass(frozen=True)
class Fill:
    """The stacks to build in one tray: their heights, in column order from the right."""

    tray: int
    stacks: tuple[int, ...]

    @property
    def tiles(self) -> int:
        return sum(self.stacks)


@dataclass(frozen=True)
class Staging:
    """A layout in trays. `halves` is true if a pile is built as two halves in `PILE_TRAYS`.

    `by_hand` is true if the table has no trays: players build the same stacks by hand.
    """

    layout: Layout
    fills: tuple[Fill, ...]
    slots: dict[Place, Slot]
    halves: bool = False
    by_hand: bool = False
    lanes: Mapping[Seat, int] = field(default_factory=dict)
    """Tiles in each hand lane, where hands are picked before the walls."""

    def lanes_of(self, trays: Iterable[int]) -> list[Seat]:
        """The lanes filled by the head that fills these trays: those of the same sides."""
        return [seat for seat in self.lanes if seat in trays]

    def with_rest(self, rest: Sequence[Place], shown: tuple[Place, Slot] | None) -> Staging:
        """Returns the staging with `rest`, the tiles not taken by the hand lanes, in the walls.

        The tiles were not read, so any assignment of places is right: places are assigned in wall
        order, clockwise. Only `shown`, the indicator, has to be at the flipper.
        """
        slots = [
            Slot(fill.tray, column, level)
            for tray in RING
            for fill in self.fills
            if fill.tray == tray
            for column, height in enumerate(fill.stacks, 1)
            for level in range(1, height + 1)
        ]
        given: dict[Place, Slot] = {}
        if shown is not None:
            place, slot = shown
            slots.remove(slot)
            given[place] = slot
        others = [place for place in rest if place not in given]
        return replace(self, slots=given | dict(zip(others, slots, strict=True)))

    def columns(self, tray: int) -> int:
        """The number of columns in a tray."""
        return next((len(fill.stacks) for fill in self.fills if fill.tray == tray), 0)


class DoesNotFitError(WallwrightError, ValueError):
    """Raised for a layout that the table's trays cannot hold; the message gives the reason."""


def stage(layout: Layout, table: Table, hands: Mapping[Seat, int] | None = None) -> Staging:
    """Assigns the tiles of a layout to the trays of a table.

    With `hands` (numbers of tiles by seat), these tiles go into the hand lanes before the walls are
    built. Raises DoesNotFitError with the conflicting numbers.
    """
    trays = table.modules.trays
    if isinstance(layout, BareTable):
        return Staging(layout, (), {})
    magazine = table.modules.magazine
    if magazine is not None and layout.count > magazine.pockets:
        # In two parts each tile would keep its part, so the order would not be uniform.
        raise DoesNotFitError(
            f"has {layout.count} tiles, but the magazine has {magazine.pockets} pockets, and each"
            " tile of the set needs one"
        )
    if trays is None:
        return replace(_shape(layout, HAND_SIDES, HAND_LEVELS), by_hand=True)
    staging = (
        _beside_lanes(layout, hands, trays.levels)
        if hands
        else _shape(layout, len(trays.sides), trays.levels)
    )
    for fill in staging.fills:
        if fill.tray >= len(trays.sides):
            # A tray in between can be empty, if the hand lanes take all its tiles.
            needed = max(each.tray for each in staging.fills) + 1
            raise DoesNotFitError(f"needs {needed} trays, but the table has {len(trays.sides)}")
        if len(fill.stacks) > trays.columns or max(fill.stacks) > trays.levels:
            raise DoesNotFitError(
                f"needs {len(fill.stacks)} columns of {max(fill.stacks)} in a tray,"
                f" but a tray holds {trays.columns} of {trays.levels}"
            )
    return staging


def _beside_lanes(layout: Layout, hands: Mapping[Seat, int], levels: int) -> Staging:
    """The walls of the tiles that the hands leave, divided evenly between the sides.

    A column that is not full is the first one.
    """
    left = layout.count - sum(hands.values())
    high = 1 if isinstance(layout, Boneyard) else levels
    begun = left % high
    heights = ((begun,) if begun else ()) + (high,) * (left // high)
    fills = []
    first = 0
    for number, tray in enumerate(RING):
        count = len(heights) // len(RING) + (number < len(heights) % len(RING))
        if count:
            fills.append(Fill(tray, heights[first : first + count]))
        first += count
    return Staging(layout, tuple(fills), {}, lanes=dict(hands))


def _shape(layout: Layout, trays: int, levels: int) -> Staging:
    match layout:
        case Walls():
            return _walls(layout)
        case Pile():
            return _pile(layout, levels)
        case Boneyard():
            return _rows(layout, trays, 1 if trays > 1 else levels)
        case CardPile():
            return _rows(layout, trays, levels)
        case BareTable():
            return Staging(layout, (), {})


def _walls(walls: Walls) -> Staging:
    fills = tuple(
        Fill(owner, (walls.levels,) * columns) for owner, columns in enumerate(walls.columns)
    )
    return Staging(
        walls,
        fills,
        {at: Slot(at.owner, at.column, at.level + 1) for at in walls.places},
    )


def _pile(pile: Pile, levels: int) -> Staging:
    if levels >= pile.levels:
        fill = Fill(0, (pile.levels,) * pile.columns)
        return Staging(pile, (fill,), {at: Slot(0, at.column, at.level) for at in pile.places})
    half = pile.levels // 2
    fills = tuple(Fill(tray, (half,) * pile.columns) for tray in PILE_TRAYS)
    return Staging(pile, fills, {at: _half(at, pile, half) for at in pile.places}, halves=True)


def _half(at: PilePlace, pile: Pile, half: int) -> Slot:
    lower, level = divmod(at.level - 1, half)
    column = at.column if lower else pile.columns + 1 - at.column
    return Slot(PILE_TRAYS[lower], column, level + 1)


def _rows(layout: Boneyard | CardPile, trays: int, levels: int) -> Staging:
    """Tiles in order, tray by tray, each column from the top, divided as evenly as possible."""
    places: tuple[Place, ...] = layout.places
    slots: dict[Place, Slot] = {}
    fills = []
    first = 0
    for tray in range(trays):
        count = len(places) // trays + (tray < len(places) % trays)
        whole, rest = divmod(count, levels)
        for number, place in enumerate(places[first : first + count]):
            column, level = divmod(number, levels)
            slots[place] = Slot(tray, column + 1, level + 1)
        if count:
            fills.append(Fill(tray, (levels,) * whole + ((rest,) if rest else ())))
        first += count
    return Staging(layout, tuple(fills), slots)
