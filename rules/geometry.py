"""Geometry of tile layouts: seats, walls, piles, boneyards, and the order of tiles in them.

Seats are numbered counter-clockwise seen from above. A wall belongs to the seat behind it; its
columns are numbered from the owner's right, which is clockwise. In a column the upper tile comes
before the lower one. Every place has a short text: `w3.15u` `p2.3` `b7` `k4` `h2`; `parse_place`
parses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Literal

from rules.errors import IllegalSetupError, NotationError

Seat = int
"""A seat, from 0, counter-clockwise; seat + 1 sits to the right and plays next."""

End = Literal["right", "left"]
Direction = Literal["counter_clockwise", "clockwise"]
UPPER, LOWER = 0, 1


def count_seats(start: Seat, number: int, seats: int) -> Seat:
    """Counts seats counter-clockwise from 1 at `start`; returns seat `number` (W2, F7, PG 4.3)."""
    return (start + number - 1) % seats


@cache
def counter_clockwise(start: Seat, seats: int) -> tuple[Seat, ...]:
    """All seats once, counter-clockwise, beginning with `start`."""
    return tuple((start + step) % seats for step in range(seats))


@cache
def clockwise(start: Seat, seats: int) -> tuple[Seat, ...]:
    """All seats once, clockwise (the default turn of dominoes, C8), beginning with `start`."""
    return tuple((start - step) % seats for step in range(seats))


def around(start: Seat, seats: int, direction: Direction) -> tuple[Seat, ...]:
    """All seats once in that direction, for games with a house rule for it (C8, PG A13)."""
    return (clockwise if direction == "clockwise" else counter_clockwise)(start, seats)


@dataclass(frozen=True, slots=True, order=True)
class WallPlace:
    """A tile of a wall: its owner's seat, its column (1 at his right), upper 0 or lower 1."""

    owner: Seat
    column: int
    level: int

    def __str__(self) -> str:
        return f"w{self.owner}.{self.column}{'ul'[self.level]}"


@dataclass(frozen=True, slots=True, order=True)
class PilePlace:
    """A tile of the pile: column from the operator's right, level from the top, both from 1."""

    column: int
    level: int

    def __str__(self) -> str:
        return f"p{self.column}.{self.level}"


@dataclass(frozen=True, slots=True, order=True)
class BoneyardPlace:
    """A tile of the boneyard, numbered from 1."""

    number: int

    def __str__(self) -> str:
        return f"b{self.number}"


@dataclass(frozen=True, slots=True, order=True)
class CardPlace:
    """A card tile of the pile of cards, numbered from 1 at the top."""

    number: int

    def __str__(self) -> str:
        return f"k{self.number}"


@dataclass(frozen=True, slots=True, order=True)
class HandPlace:
    """A seat's hand, as a whole."""

    seat: Seat

    def __str__(self) -> str:
        return f"h{self.seat}"


Place = WallPlace | PilePlace | BoneyardPlace | CardPlace | HandPlace


@dataclass(frozen=True, slots=True)
class Break:
    """Where a wall is opened or a pile is cut: the last place that stays, the first one dealt."""

    after: Place
    first: Place


_PLACE = re.compile(
    r"w(?P<owner>0|[1-9][0-9]{0,3})\.(?P<column>[1-9][0-9]{0,3})(?P<row>[ul])"
    r"|p(?P<pile>[1-9][0-9]{0,3})\.(?P<level>[1-9][0-9]{0,3})"
    r"|(?P<kind>[bkh])(?P<number>0|[1-9][0-9]{0,3})"
)


def parse_place(text: str) -> Place:
    """Parses the text of a place. Raises NotationError for any other text."""
    found = _PLACE.fullmatch(text)
    if found is None:
        raise NotationError(f"'{text}' is not a place; write one as w3.15u, p2.3, b7, k4 or h2.")
    if found["owner"] is not None:
        return WallPlace(int(found["owner"]), int(found["column"]), "ul".index(found["row"]))
    if found["pile"] is not None:
        return PilePlace(int(found["pile"]), int(found["level"]))
    number = int(found["number"])
    match found["kind"]:
        case "b":
            return BoneyardPlace(number)
        case "k":
            return CardPlace(number)
    return HandPlace(number)


@dataclass(frozen=True)
class Walls:
    """Four walls, two tiles high: `columns[owner]` columns before each seat, mostly 17 or 18."""

    columns: tuple[int, int, int, int]
    levels: int = 2

    @classmethod
    def even(cls, columns: int) -> Walls:
        return cls((columns,) * 4)

    @property
    def count(self) -> int:
        """Tiles in all four walls."""
        return sum(self.columns) * self.levels

    @cached_property
    def places(self) -> tuple[WallPlace, ...]:
        """Every tile, clockwise from the right end of seat 0's wall."""
        return tuple(self.walk(0, 1))

    def walk(self, owner: Seat, column: int, *, clockwise: bool = True) -> Iterator[WallPlace]:
        """Every tile once around the square, beginning with the upper tile of that column.

        Clockwise goes from an owner's right end to his left end, then to his left neighbour's wall
        (W8). Counter-clockwise goes from his left end to his right end, then to his right
        neighbour's wall (F10). Raises IllegalSetupError for a column that the wall does not have.
        """
        if not 1 <= column <= self.columns[owner]:
            raise IllegalSetupError(
                f"Wall {owner} has columns 1 to {self.columns[owner]}, not {column}."
            )
        columns = self._ring(clockwise)
        begin = columns.index((owner, column))
        for at, number in columns[begin:] + columns[:begin]:
            yield from _wall_column(at, number, self.levels)

    def after(self, owner: Seat, columns: int, end: End = "right") -> tuple[Seat, int]:
        """The column that follows `columns` columns from that end of the owner's wall (W7, F8).

        If the wall has fewer columns, the count continues in the neighbour's wall (E1, E2).
        """
        ring = self._ring(end == "right")
        first = (owner, 1 if end == "right" else self.columns[owner])
        return ring[(ring.index(first) + columns) % len(ring)]

    def open(self, owner: Seat, columns: int, end: End = "right") -> OpenWall:
        """The walls, opened after `columns` columns from that end of the owner's wall (W7, F8)."""
        onward = end == "right"
        first, last = self.after(owner, columns, end), self.after(owner, columns - 1, end)
        return OpenWall(
            forward=tuple(self.walk(*first, clockwise=onward)),
            tail=tuple(self.walk(*last, clockwise=not onward)),
        )

    def _ring(self, clockwise: bool) -> list[tuple[Seat, int]]:
        owners = (0, 3, 2, 1) if clockwise else (0, 1, 2, 3)
        return [
            (owner, column)
            for owner in owners
            for column in (
                range(1, self.columns[owner] + 1)
                if clockwise
                else range(self.columns[owner], 0, -1)
            )
        ]


@lru_cache(maxsize=256)
def _wall_column(owner: Seat, column: int, levels: int) -> tuple[WallPlace, ...]:
    """The places of one column; every call returns the same objects.

    The lookup of a key in a dictionary needs no comparison in Python if it is the same object.
    """
    return tuple(WallPlace(owner, column, level) for level in range(levels))


@dataclass(frozen=True)
class OpenWall:
    """Walls with a gap.

    `forward` has every tile in the order of dealing, `tail` every tile from the other side of the
    gap.
    """

    forward: tuple[WallPlace, ...]
    tail: tuple[WallPlace, ...]

    @property
    def gap(self) -> Break:
        """The last tile that stays and the first tile dealt."""
        return Break(after=self.tail[0], first=self.forward[0])


@dataclass(frozen=True)
class Pile:
    """A woodpile: columns from the operator's right, levels from the top (pai gow: 8 x 4)."""

    columns: int
    levels: int

    @property
    def count(self) -> int:
        return self.columns * self.levels

    @cached_property
    def places(self) -> tuple[PilePlace, ...]:
        """Every tile, column by column from the right, each from the top."""
        return tuple(
            PilePlace(column, level)
            for column in range(1, self.columns + 1)
            for level in range(1, self.levels + 1)
        )


@dataclass(frozen=True)
class Boneyard:
    """Tiles spread face down, one high (C2)."""

    count: int

    @cached_property
    def places(self) -> tuple[BoneyardPlace, ...]:
        return tuple(BoneyardPlace(number) for number in range(1, self.count + 1))


@dataclass(frozen=True)
class CardPile:
    """A pile of card tiles, dealt from the top (D6)."""

    count: int

    @cached_property
    def places(self) -> tuple[CardPlace, ...]:
        return tuple(CardPlace(number) for number in range(1, self.count + 1))


@dataclass(frozen=True)
class BareTable:
    """A table without tiles: backgammon is played on a board of its own."""

    @property
    def count(self) -> int:
        return 0

    @property
    def places(self) -> tuple[Place, ...]:
        return ()


Layout = Walls | Pile | Boneyard | CardPile | BareTable
