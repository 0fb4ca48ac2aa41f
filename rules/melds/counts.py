"""Tile counts of a hand: how many tiles it has of each of the 34 kinds.

Kinds are 0-8 characters, 9-17 circles, 18-26 bamboos, 27-33 E S W N White Green Red. `Counts` is
four numbers, one for each suit and one for the honours. Each number has one octal digit for each
kind, the lowest kind last: `0o111` is one each of 1, 2 and 3. A suit is therefore an integer that
serves as a table index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from rules.errors import NotationError
from rules.tiles import Face

Kind = int
"""The face of a tile as a number from 0 to 33."""

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
    """The kind of a face. Raises NotationError for a flower or a card, which forms no sets."""
    for kind in range(KINDS):
        if face == face_of(kind):
            return kind
    raise NotationError(
        f"'{face}' is not a tile that forms sets; write one such as 1m, 9p, 5s or 7z."
    )


@cache
def face_of(kind: Kind) -> Face:
    """The face of a kind, 0 to 33."""
    suit, place = divmod(kind, SUIT)
    return f"{place + 1}{'mpsz'[suit]}"


def is_honour(kind: Kind) -> bool:
    """Whether a kind is a wind or a dragon."""
    return kind >= HONOURS


class Counts(NamedTuple):
    """The number of tiles of each kind; at most seven of one kind."""

    characters: int = 0
    circles: int = 0
    bamboos: int = 0
    honours: int = 0

    @classmethod
    def of(cls, kinds: Iterable[Kind]) -> Counts:
        """The counts of these tiles."""
        return cls.unpacked(sum(map(_ONE_OF.__getitem__, kinds)))

    @classmethod
    def of_faces(cls, faces: Iterable[Face]) -> Counts:
        """The counts of these faces. Raises NotationError as `kind_of` does."""
        return cls.of(map(kind_of, faces))

    @classmethod
    def unpacked(cls, packed: int) -> Counts:
        """The counts from one number with the digits of all kinds.

        The number is the sum of `1 << 3 * kind` over the tiles; higher bits are ignored. Counting a
        hand with `sum` is faster than with a loop.
        """
        return cls(
            packed & SUIT_DIGITS,
            packed >> SUIT_BITS & SUIT_DIGITS,
            packed >> 2 * SUIT_BITS & SUIT_DIGITS,
            packed >> 3 * SUIT_BITS & HONOUR_DIGITS,
        )

    @classmethod
    def of_numbers(cls, numbers: Sequence[int]) -> Counts:
        """The counts from 34 numbers, one for each kind."""
        return cls.of(kind for kind, number in enumerate(numbers) for _ in range(number))

    def having(self, kind: Kind) -> int:
        """The number of tiles of that kind."""
        return self[kind // SUIT] >> DIGIT * (kind % SUIT) & 7

    def plus(self, kind: Kind, number: int = 1) -> Counts:
        """The counts with `number` more tiles of that kind."""
        return Counts(*self._changed(kind, number))

    def minus(self, kind: Kind, number: int = 1) -> Counts:
        """The counts with `number` fewer tiles of that kind. The caller checks that they exist."""
        return Counts(*self._changed(kind, -number))

    def with_suit(self, at: int, suit: int) -> Counts:
        """The counts with the number of suit `at` (0 to 3) replaced by `suit`."""
        suits = list(self)
        suits[at] = suit
        return Counts(*suits)

    def less(self, kinds: Iterable[Kind]) -> Counts | None:
        """The counts without these tiles, or None if one of them is missing."""
        left = self
        for kind in kinds:
            if not left.having(kind):
                return None
            left = left.minus(kind)
        return left

    def kinds(self) -> Iterator[Kind]:
        """Each kind of which there is a tile, once, in order."""
        for first, suit in zip(range(0, KINDS, SUIT), self, strict=True):
            left, kind = suit, first
            while left:
                if left & 7:
                    yield kind
                left >>= DIGIT
                kind += 1

    @property
    def lowest(self) -> Kind:
        """The lowest kind of which there is a tile; KINDS if there are no tiles."""
        for at, suit in enumerate(self):
            if suit:
                return SUIT * at + ((suit & -suit).bit_length() - 1) // DIGIT
        return KINDS

    def tiles(self) -> Iterator[Kind]:
        """The kind of each tile, in order."""
        for kind in self.kinds():
            for _ in range(self.having(kind)):
                yield kind

    @property
    def size(self) -> int:
        """The number of tiles."""
        return sum(map(digits, self))

    def _changed(self, kind: Kind, number: int) -> list[int]:
        suits = list(self)
        suits[kind // SUIT] += number << DIGIT * (kind % SUIT)
        return suits


def digits(suit: int) -> int:
    """The sum of a suit's octal digits, which is its number of tiles."""
    return (
        (suit & 0o111111111).bit_count()
        + 2 * (suit & 0o222222222).bit_count()
        + 4 * (suit & 0o444444444).bit_count()
    )
