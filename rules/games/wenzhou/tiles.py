"""Tiles of Wenzhou mahjong (W14, W15): the kind that each counts as, and sets laid down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from rules.errors import RulesError
from rules.melds import DIGIT, KINDS, Counts, Kind, face_of, kind_of
from rules.tiles import Face
from rules.values import LazyTable

WHITE: Final = "5z"
CAISHEN: Final = 3
"""The number of tiles in play that are equal to the indicator."""
WILD: Final = DIGIT * KINDS
"""The lowest bit of the number of caishen in a packed hand, above the digits of all kinds."""


@dataclass(frozen=True, slots=True)
class Caishen:
    """The caishen of a hand, by the face of the indicator; None if it has not been read."""

    face: Face | None

    def is_caishen(self, face: Face | None) -> bool:
        """Whether a tile equals the indicator and is therefore wild (W14)."""
        return face is not None and face == self.face

    @property
    def kind(self) -> Kind | None:
        """The kind of a caishen at face value, which is also that of White."""
        return None if self.face is None else kind_of(self.face)

    def kind_of(self, face: Face) -> Kind:
        """The kind of a tile: White has the indicator's kind, other tiles their own (W15)."""
        return kind_of(self.face if face == WHITE and self.face is not None else face)

    def face_of(self, kind: Kind) -> Face:
        """The tile of this kind that is not a caishen: White for the indicator's kind (E20)."""
        return WHITE if kind == self.kind else face_of(kind)

    def parted(self, faces: Iterable[Face]) -> tuple[Counts, int]:
        """The counts of the natural tiles by their kinds, and the number of caishen."""
        return unpacked(self.packed(faces))

    def packed(self, faces: Iterable[Face]) -> int:
        """The natural tiles and the caishen as one number; packed hands can be added."""
        return sum(map(_PACKED[self.face].__getitem__, faces))

    def one(self, face: Face) -> int:
        """One tile as a packed number."""
        return _PACKED[self.face][face]


def unpacked(packed: int) -> tuple[Counts, int]:
    """The counts of the natural tiles of a packed hand, and the number of caishen."""
    return Counts.unpacked(packed), packed >> WILD


def kinds_under(caishen: Face | None) -> Mapping[Face | None, Kind]:
    """A lookup table of the kind that each face counts as (`Caishen.kind_of`)."""
    return _KINDS[caishen]


def _kinds(caishen: Face | None) -> LazyTable[Face | None, Kind]:
    return LazyTable(lambda face: Caishen(caishen).kind_of(face or ""))


_KINDS: Final[LazyTable[Face | None, LazyTable[Face | None, Kind]]] = LazyTable(_kinds)


def _packed(caishen: Face | None) -> LazyTable[Face, int]:
    """The packed number of each face, for this caishen."""

    def digit(face: Face) -> int:
        return 1 << (WILD if face == caishen else DIGIT * Caishen(caishen).kind_of(face))

    return LazyTable(digit)


_PACKED: Final[LazyTable[Face | None, LazyTable[Face, int]]] = LazyTable(_packed)


@dataclass(frozen=True, slots=True)
class SetDown:
    """A set laid down (W19, W21). `concealed` is true for a kong of four own tiles (E17, E19)."""

    what: Literal["chow", "pong", "kong"]
    faces: tuple[Face, ...]
    concealed: bool = False

    def __str__(self) -> str:
        return f"{'concealed ' * self.concealed}{self.what} {' '.join(self.faces)}"


def set_down(faces: tuple[Face, ...], caishen: Caishen, *, concealed: bool = False) -> SetDown:
    """The set that these tiles form.

    Raises RulesError if they form no set, or if a caishen is among them (W21, E20).
    """
    wild = [face for face in faces if caishen.is_caishen(face)]
    if wild:
        raise RulesError(f"'{wild[0]}' is a caishen and cannot be laid down in a set (W21).")
    kinds = sorted(caishen.kind_of(face) for face in faces)
    if len(set(kinds)) == 1 and len(kinds) in (3, 4):
        return SetDown("pong" if len(kinds) == 3 else "kong", faces, concealed)
    if len(kinds) == 3 and is_run(kinds):
        return SetDown("chow", faces)
    raise RulesError(
        f"{' '.join(faces)} is not a chow, pong or kong; give three or four tiles of a set."
    )


def is_run(kinds: list[int]) -> bool:
    """Whether three sorted kinds are consecutive numbers of one suit."""
    low, middle, high = kinds
    return middle == low + 1 and high == low + 2 and low % 9 <= 6 and high < 27
