"""Tiles and holders: every tile of the plant is in exactly one holder.

`Holder.put` refuses a tile that is in another holder, `Holder.take` one that is not in this holder,
and `census` counts all tiles, so that no tile is lost or doubled.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from firmware_bridge.executor.channels import ImpossibleOrderError

__all__ = ["Holder", "ImpossibleOrderError", "Tile", "census", "change_places"]


@dataclass(eq=False, slots=True)
class Tile:
    """One physical tile: its tag number, its set (0 or 1), its face, and which side is up.

    `long` is its length, in lengths of the table's own tiles.
    """

    number: int
    set: int
    face: str
    up: bool = False
    holder: Holder | None = None
    long: float = 1.0

    def __repr__(self) -> str:
        where = self.holder.name if self.holder else "nowhere"
        return f"<tile {self.number} {self.face} in {where}>"


def change_places(one: Tile, other: Tile) -> None:
    """A person puts each of two tiles exactly where the other lay, the same side up.

    What is exchanged is number, set, face and length: stack, column or belt, and whoever remembers
    what was set up at a place, keep their `Tile`, which is from now on the other of the two.
    """
    one.number, other.number = other.number, one.number
    one.set, other.set = other.set, one.set
    one.face, other.face = other.face, one.face
    one.long, other.long = other.long, one.long


@dataclass(eq=False)
class Holder:
    """Anything that holds tiles: the drum, a belt, a tray, the felt, the gripper, a box."""

    name: str
    tiles: list[Tile] = field(default_factory=list)

    def put(self, tile: Tile) -> None:
        """Lay a tile in, on top. Raises Impossible if it lies somewhere already."""
        if tile.holder is not None:
            raise ImpossibleOrderError(f"{tile} cannot lie in {self.name} too.")
        tile.holder = self
        self.tiles.append(tile)

    def take(self, tile: Tile) -> Tile:
        """Take a tile out. Raises Impossible if it does not lie here."""
        if tile.holder is not self:
            raise ImpossibleOrderError(f"{tile} does not lie in {self.name}.")
        self.tiles.remove(tile)
        tile.holder = None
        return tile

    def give(self, tile: Tile, to: Holder) -> None:
        """Pass a tile on."""
        to.put(self.take(tile))

    def __len__(self) -> int:
        return len(self.tiles)


def census(tiles: Iterable[Tile], holders: Iterable[Holder]) -> dict[str, int]:
    """Tiles by holder's name; raises Impossible if one is nowhere, or listed where it is not."""
    counts: dict[str, int] = {}
    listed: set[int] = set()
    for holder in holders:
        for tile in holder.tiles:
            if tile.holder is not holder or tile.number in listed:
                raise ImpossibleOrderError(f"{tile} is listed in {holder.name} as well.")
            listed.add(tile.number)
        counts[holder.name] = counts.get(holder.name, 0) + len(holder.tiles)
    for tile in tiles:
        if tile.number not in listed:
            raise ImpossibleOrderError(f"{tile} is in no holder of the plant.")
    return counts
