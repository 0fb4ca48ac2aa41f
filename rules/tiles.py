"""Tile sets as multisets of faces, and the notation of a face.

`1m`-`9m` `1p`-`9p` `1s`-`9s` number tiles, `1z`-`7z` E S W N White Green Red, `1f`-`8f` flowers;
`6-4` dominoes and pai gow tiles, the higher half first; `4h` `10s` `Kd` cards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property

from rules.errors import RulesError

Face = str
"""What a tile shows, in the notation above; `None` where nobody has seen it."""


@dataclass(frozen=True)
class TileSet:
    """A set as it comes in its case: `faces[i]` is the face of the set's i-th tile."""

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
        """The face itself if the set has it; raises RulesError with the face otherwise."""
        if face not in self:
            such = f", which has '{self.faces[0]}' and others" if self.faces else ""
            raise RulesError(f"'{face}' is no tile of the set {self.name}{such}.")
        return face


@cache
def tile_set(name: str) -> TileSet:
    """The set of that name, made on first use.

    Raises RulesError for a name that no set has.
    """
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
"""The eleven kinds of which a pai gow set has two, strongest first (4.1)."""
PAI_GOW_SINGLES = ("6-3", "5-4", "5-3", "6-2", "4-3", "5-2", "4-1", "3-2", "4-2", "2-1")
"""The ten kinds of which it has one; 4-2 and 2-1 are Gee Joon (4.1)."""


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
