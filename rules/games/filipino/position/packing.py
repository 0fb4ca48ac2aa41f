"""A hand packed into one integer: a digit for each kind, then the numbers of jokers and flores.

Packed tiles are added as integers, because `sum` counts a hand faster than a loop.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.games.filipino.parameters import Parameters
from rules.melds import DIGIT, KINDS, Counts, kind_of
from rules.tiles import Face
from rules.values.lazy import LazyTable

JOKERS: Final = DIGIT * KINDS
"""The lowest bit of the number of jokers in a packed hand, which is at most four."""
FLORES: Final = JOKERS + DIGIT
"""The lowest bit of the number of flores."""
ODD: Final = sum(1 << DIGIT * kind for kind in range(KINDS))
"""The lowest bit of each kind's digit."""
ONE_JOKER: Final = 1 << JOKERS
_MANY: Final = (1 << DIGIT) - 1


def packed_tiles(faces: Iterable[Face], house: Parameters, joker: Face | None) -> int:
    """These tiles as a packed number; tiles equal to the joker count as jokers."""
    return sum(map(_PACKED[joker, house.honours_as_flores].__getitem__, faces))


def packed_one(face: Face, house: Parameters, joker: Face | None) -> int:
    """One tile as a packed number."""
    return _PACKED[joker, house.honours_as_flores][face]


def unpacked(packed: int) -> tuple[Counts, int]:
    """The counts of the natural tiles of a packed hand without flores, and its number of jokers."""
    return Counts.unpacked(packed), packed >> JOKERS & _MANY


def _packed(key: tuple[Face | None, bool]) -> LazyTable[Face, int]:
    """The packed number of each face; the key is the joker and whether honours are flores."""
    joker, honours_as_flores = key
    flores = "zf" if honours_as_flores else "f"

    def number(face: Face) -> int:
        if face[-1] in flores:
            return 1 << FLORES
        return ONE_JOKER if face == joker else 1 << DIGIT * kind_of(face)

    return LazyTable(number)


_PACKED: Final[LazyTable[tuple[Face | None, bool], LazyTable[Face, int]]] = LazyTable(_packed)
