"""Tile counts of a hand: how many it has of each of the 34 kinds.

Kinds are 0-8 characters, 9-17 circles, 18-26 bamboos, 27-33 E S W N White Green Red. `Counts` is
four numbers, one a suit and one for the honours, that have an octal digit for each kind, the
lowest kind last: `0o111` is one each of 1, 2 and 3. So a suit is a small integer that serves as a
table index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from rules.errors import NotationError
from rules.tiles import Face

Kind = int
"""What a tile shows as a number from 0 to 33; two tiles of a kind are the same tile."""

KINDS: Final = 34
SUIT: Final = 9
HONOURS: Final = 27
"""The first honour; every kind below it is a number tile."""
DIGIT: Final = 3
"""Bits of an octal digit."""
SUIT_BITS: Final = DIGIT * SUIT
SUIT_DIGITS: Final = (1 << SUIT_BITS) - 1
HONOUR_DIGITS: Final = (1 << DIGIT * (KINDS - HONOURS)) - 1
_ONE_OF: Final = tuple(1 << DIGIT * kind for kind in range(KINDS))


@cache
def kind_of(face: Face) -> Kind:
    """The kind of a face; raises NotationError for one that no set is made of, a flower or card."""
    for kind in range(KINDS):
        if face == face_of(kind):
            return kind
    raise NotationError(f"'{face}' is no tile that sets are made of, such as 1m, 9p, 5s or 7z.")


@cache
def face_of(kind: Kind) -> Face:
    """The face of a kind, 0 to 33."""
    suit, place = divmod(kind, SUIT)
    return f"{place + 1}{'mpsz'[suit]}"


def is_honour(kind: Kind) -> bool:
    """Whether a kind is a wind or a dragon."""
    return kind >= HONOURS


class Counts(NamedTuple):
    """How many of each kind; at most seven of one."""

    characters: int = 0
    circles: int = 0
    bamboos: int = 0
    honours: int = 0

    @classmethod
    def of(cls, kinds: Iterable[Kind]) -> Counts:
        """These tiles counted."""
        return cls.unpacked(sum(map(_ONE_OF.__getitem__, kinds)))

    @classmethod
    def of_faces(cls, faces: Iterable[Face]) -> Counts:
        """These faces counted; raises NotationError as `kind_of` does."""
        return cls.of(map(kind_of, faces))

    @classmethod
    def unpacked(cls, packed: int) -> Counts:
        """From one number that has all kinds' digits: the sum of `1 << 3 * kind` over the tiles.

        Higher bits are left out. A sum counts a hand faster than a loop does.
        """
        return cls(
            packed & SUIT_DIGITS,
            packed >> SUIT_BITS & SUIT_DIGITS,
            packed >> 2 * SUIT_BITS & SUIT_DIGITS,
            packed >> 3 * SUIT_BITS & HONOUR_DIGITS,
        )

    @classmethod
    def of_numbers(cls, numbers: Sequence[int]) -> Counts:
        """From 34 numbers, one a kind."""
        return cls.of(kind for kind, number in enumerate(numbers) for _ in range(number))

    def having(self, kind: Kind) -> int:
        """How many of that kind there are."""
        return self[kind // SUIT] >> DIGIT * (kind % SUIT) & 7

    def plus(self, kind: Kind, number: int = 1) -> Counts:
        """With so many more of that kind."""
        return Counts(*self._changed(kind, number))

    def minus(self, kind: Kind, number: int = 1) -> Counts:
        """With so many fewer of that kind. The caller guarantees that they are there."""
        return Counts(*self._changed(kind, -number))

    def with_suit(self, at: int, suit: int) -> Counts:
        """With another number for one of the four suits."""
        suits = list(self)
        suits[at] = suit
        return Counts(*suits)

    def less(self, kinds: Iterable[Kind]) -> Counts | None:
        """Without these tiles, or None if they are not all there."""
        left = self
        for kind in kinds:
            if not left.having(kind):
                return None
            left = left.minus(kind)
        return left

    def kinds(self) -> Iterator[Kind]:
        """Each kind that is there, once, in order."""
        for first, suit in zip(range(0, KINDS, SUIT), self, strict=True):
            left, kind = suit, first
            while left:
                if left & 7:
                    yield kind
                left >>= DIGIT
                kind += 1

    @property
    def lowest(self) -> Kind:
        """The lowest kind that is there; KINDS if there is none."""
        for at, suit in enumerate(self):
            if suit:
                return SUIT * at + ((suit & -suit).bit_length() - 1) // DIGIT
        return KINDS

    def tiles(self) -> Iterator[Kind]:
        """Each tile, in order."""
        for kind in self.kinds():
            for _ in range(self.having(kind)):
                yield kind

    @property
    def size(self) -> int:
        """How many tiles there are."""
        return sum(map(digits, self))

    def _changed(self, kind: Kind, number: int) -> list[int]:
        suits = list(self)
        suits[kind // SUIT] += number << DIGIT * (kind % SUIT)
        return suits


def digits(suit: int) -> int:
    """The sum of a suit's octal digits: its tiles."""
    return (
        (suit & 0o111111111).bit_count()
        + 2 * (suit & 0o222222222).bit_count()
        + 4 * (suit & 0o444444444).bit_count()
    )
