"""Tile sets as multisets of faces, and the notation of a face.

`1m`-`9m` `1p`-`9p` `1s`-`9s` are number tiles, `1z`-`7z` are E S W N White Green Red, `1f`-`8f` are
flowers. `6-4` is a domino or a pai gow tile, the higher half first. `4h` `10s` `Kd` are cards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property

from rules.errors import RulesError

Face = str
"""The face of a tile in the notation above; `None` in its place is a tile that was not seen."""


@dataclass(frozen=True)
class TileSet:
    """A tile set: its name and the face of each of its tiles."""

    name: str
    faces: tuple[Face, ...]

    def __len__(self) -> int:
        return len(self.faces)

    def __contains__(self, face: object) -> bool:
        return face in self.kinds

    @cached_property
    def kinds(self) -> frozenset[Face]:
        """Each face of the set once."""
        return frozenset(self.faces)

    def require(self, face: Face) -> Face:
        """Returns the face. Raises RulesError if the set does not have it."""
        if face not in self:
            example = f"; its tiles are '{self.faces[0]}' and others" if self.faces else ""
            raise RulesError(f"'{face}' is not a tile of the set {self.name}{example}.")
        return face


@cache
def tile_set(name: str) -> TileSet:
    """Returns the tile set of that name. Raises RulesError for an unknown name."""
    if name not in _SETS:
        raise RulesError(f"There is no tile set '{name}'; there are {', '.join(_SETS)}.")
    return TileSet(name, tuple(_SETS[name]()))


def _numbers() -> list[Face]:
    return [f"{number}{suit}" for suit in "mps" for number in range(1, 10) for _ in range(4)]


def _honours() -> list[Face]:
    return [f"{kind}z" for kind in range(1, 8) for _ in range(4)]


def _flowers() -> list[Face]:
    return [f"{kind}f" for kind in range(1, 9)]


def _double_six() -> Iterable[Face]:
    return (f"{high}-{low}" for high in range(7) for low in range(high + 1))


PAI_GOW_PAIRS = ("6-6", "1-1", "4-4", "3-1", "5-5", "3-3", "2-2", "6-5", "6-4", "6-1", "5-1")
"""The eleven kinds of which a pai gow set has two tiles, strongest first (4.1)."""
PAI_GOW_SINGLES = ("6-3", "5-4", "5-3", "6-2", "4-3", "5-2", "4-1", "3-2", "4-2", "2-1")
"""The ten kinds of which a pai gow set has one tile; 4-2 and 2-1 are Gee Joon (4.1)."""


def _pai_gow() -> list[Face]:
    return [face for face in PAI_GOW_PAIRS for _ in range(2)] + list(PAI_GOW_SINGLES)


def _cards() -> list[Face]:
    ranks = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
    return [rank + suit for suit in "shdc" for rank in ranks]


_SETS: dict[str, Callable[[], Iterable[Face]]] = {
    "mahjong_136": lambda: _numbers() + _honours(),
    "mahjong_144": lambda: _numbers() + _honours() + _flowers(),
    "pai_gow_32": _pai_gow,
    "dominoes_28": _double_six,
    "cards_52": _cards,
    "none": lambda: (),
}
