"""A hand packed into one integer: a digit for each kind, then the numbers of jokers and flores.

Packed tiles are added as integers; a sum counts a hand faster than a loop does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.games.filipino.parameters import Parameters
from rules.lazy import LazyTable
from rules.melds import DIGIT, KINDS, Counts, kind_of
from rules.tiles import Face

JOKERS: Final = DIGIT * KINDS
"""The bit from which a packed hand counts its jokers, at most four."""
FLORES: Final = JOKERS + DIGIT
"""The bit from which it counts its flores."""
ODD: Final = sum(1 << DIGIT * kind for kind in range(KINDS))
"""The lowest bit of each kind's digit."""
ONE_JOKER: Final = 1 << JOKERS
_MANY: Final = (1 << DIGIT) - 1


def packed_tiles(faces: Iterable[Face], house: Parameters, joker: Face | None) -> int:
    """These tiles packed; those like the joker count as jokers."""
    return sum(map(_PACKED[joker, house.honours_as_flores].__getitem__, faces))


def packed_one(face: Face, house: Parameters, joker: Face | None) -> int:
    """One tile packed."""
    return _PACKED[joker, house.honours_as_flores][face]


def unpacked(packed: int) -> tuple[Counts, int]:
    """A hand without flores as counts of its plain tiles, and the number of its jokers."""
    return Counts.unpacked(packed), packed >> JOKERS & _MANY


def _packed(key: tuple[Face | None, bool]) -> LazyTable[Face, int]:
    """What each face adds to a packed hand beside this joker, where honours are flores or not."""
    joker, honours_as_flores = key
    flores = "zf" if honours_as_flores else "f"

    def number(face: Face) -> int:
        if face[-1] in flores:
            return 1 << FLORES
        return ONE_JOKER if face == joker else 1 << DIGIT * kind_of(face)

    return LazyTable(number)


_PACKED: Final[LazyTable[tuple[Face | None, bool], LazyTable[Face, int]]] = LazyTable(_packed)
