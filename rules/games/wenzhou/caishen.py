"""Caishen (wild tiles) and White: the value of each tile, given the indicator (W14, W15)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from rules.lazy import LazyTable
from rules.melds import DIGIT, KINDS, Counts, Kind, face_of, kind_of
from rules.tiles import Face

WHITE: Final = "5z"
CAISHEN: Final = 3
"""Tiles like the indicator that are in play."""


@dataclass(frozen=True, slots=True)
class Caishen:
    """The hand's caishen, by the face of the indicator; None while the indicator is unread."""

    face: Face | None

    def is_caishen(self, face: Face | None) -> bool:
        """Whether a tile is one of the three that are like the indicator, and so wild (W14)."""
        return face is not None and face == self.face

    @property
    def kind(self) -> Kind | None:
        """The kind that a caishen has at face value, and White with it."""
        return None if self.face is None else kind_of(self.face)

    def kind_of(self, face: Face) -> Kind:
        """What a tile counts as: White has the indicator's kind, any other its own (W15)."""
        return kind_of(self.face if face == WHITE and self.face is not None else face)

    def face_of(self, kind: Kind) -> Face:
        """The tile that has this kind and is no caishen: White for the indicator's own (E20)."""
        return WHITE if kind == self.kind else face_of(kind)

    def parted(self, faces: Iterable[Face]) -> tuple[Counts, int]:
        """Tiles as counts of what they count as, and the number of caishen apart from them."""
        return unpacked(self.packed(faces))

    def packed(self, faces: Iterable[Face]) -> int:
        """The same as one number: packed hands add up to the packed tiles of both."""
        return sum(map(_PACKED[self.face].__getitem__, faces))

    def one(self, face: Face) -> int:
        """One tile packed."""
        return _PACKED[self.face][face]


def unpacked(packed: int) -> tuple[Counts, int]:
    """A packed hand as counts of what is plain, and the number of caishen."""
    return Counts.unpacked(packed), packed >> WILD


def kinds_under(caishen: Face | None) -> Mapping[Face | None, Kind]:
    """What each face counts as under this caishen (`Caishen.kind_of`), looked up."""
    return _KINDS[caishen]


def _kinds(caishen: Face | None) -> LazyTable[Face | None, Kind]:
    return LazyTable(lambda face: Caishen(caishen).kind_of(face or ""))


_KINDS: Final[LazyTable[Face | None, LazyTable[Face | None, Kind]]] = LazyTable(_kinds)
WILD: Final = DIGIT * KINDS
"""The bit from which a packed hand counts its caishen, above the digits of all kinds."""


def _packed(caishen: Face | None) -> LazyTable[Face, int]:
    """What each face adds to a packed hand while that one is the caishen."""

    def digit(face: Face) -> int:
        return 1 << (WILD if face == caishen else DIGIT * Caishen(caishen).kind_of(face))

    return LazyTable(digit)


_PACKED: Final[LazyTable[Face | None, LazyTable[Face, int]]] = LazyTable(_packed)
