"""Tiles and holders: every tile of the plant is in exactly one holder.

`Holder.put` refuses a tile that is in another holder, `Holder.take` one that is not in this holder,
and `census` counts all tiles, so that no tile is lost or doubled.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from firmware_bridge.executor.channels import ImpossibleOrderError

__all__ = ["Holder", "ImpossibleOrderError", "Tile", "census", "exchange", "unpack"]


@dataclass(eq=False, slots=True)
class Tile:
    """One physical tile: its tag number, its set (0 or 1), its face, and which side is up.

    `relative_length` is its length, in lengths of the table's own tiles.
    """

    number: int
    set: int
    face: str
    up: bool = False
    holder: Holder | None = None
    relative_length: float = 1.0

    def __repr__(self) -> str:
        where = self.holder.name if self.holder else "nowhere"
        return f"<tile {self.number} {self.face} in {where}>"


def exchange(one: Tile, other: Tile) -> None:
    """Put each of two tiles exactly where the other one lies, with the same side up.

    The two objects exchange number, set, face and length, and keep their holders. Every stack,
    column, belt or recorded place that refers to one `Tile` object therefore has the other tile.
    """
    one.number, other.number = other.number, one.number
    one.set, other.set = other.set, one.set
    one.face, other.face = other.face, one.face
    one.relative_length, other.relative_length = other.relative_length, one.relative_length


@dataclass(eq=False)
class Holder:
    """A part that holds tiles: the drum, a belt, a tray, the felt, the gripper, a box."""

    name: str
    tiles: list[Tile] = field(default_factory=list)

    def put(self, tile: Tile) -> None:
        """Lay a tile in, on top. Raises ImpossibleOrderError if another holder has the tile."""
        if tile.holder is not None:
            raise ImpossibleOrderError(
                f"{tile} cannot be put into {self.name}, because another holder has it."
            )
        tile.holder = self
        self.tiles.append(tile)

    def take(self, tile: Tile) -> Tile:
        """Take a tile out. Raises ImpossibleOrderError if the tile is not in this holder."""
        if tile.holder is not self:
            raise ImpossibleOrderError(f"{tile} is not in {self.name}.")
        self.tiles.remove(tile)
        tile.holder = None
        return tile

    def give(self, tile: Tile, to: Holder) -> None:
        """Pass a tile to another holder."""
        to.put(self.take(tile))

    def __len__(self) -> int:
        return len(self.tiles)


def census(tiles: Iterable[Tile], holders: Iterable[Holder]) -> dict[str, int]:
    """The number of tiles in each holder, by its name.

    Raises ImpossibleOrderError if a tile is in no holder, or in two.
    """
    counts: dict[str, int] = {}
    listed: set[int] = set()
    for holder in holders:
        for tile in holder.tiles:
            if tile.holder is not holder or tile.number in listed:
                raise ImpossibleOrderError(
                    f"{tile} is in two holders, of which one is {holder.name}."
                )
            listed.add(tile.number)
        counts[holder.name] = counts.get(holder.name, 0) + len(holder.tiles)
    for tile in tiles:
        if tile.number not in listed:
            raise ImpossibleOrderError(f"{tile} is in no holder of the plant.")
    return counts


def unpack(boxes: Iterable[Holder], faces: tuple[str, ...]) -> tuple[Tile, ...]:
    """New tiles, numbered from 0: one set with these faces in each box."""
    tiles: list[Tile] = []
    for number, box in enumerate(boxes):
        for face in faces:
            tile = Tile(len(tiles), number, face)
            box.put(tile)
            tiles.append(tile)
    return tuple(tiles)
