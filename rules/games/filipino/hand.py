"""A player's tiles: concealed tiles, sets laid down, flores."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rules.games.filipino.actions import JOKER, Tile, bare
from rules.games.filipino.parameters import SETS, Parameters
from rules.melds import DIGIT, KINDS, Counts, kind_of
from rules.tiles import Face
from rules.values import LazyTable, changed, made

MeldName = Literal["chow", "pong", "kong"]
JOKERS: Final = DIGIT * KINDS
"""The lowest bit of the number of jokers in a packed hand, which is at most four."""
FLORES: Final = JOKERS + DIGIT
"""The lowest bit of the number of flores."""
ODD: Final = sum(1 << DIGIT * kind for kind in range(KINDS))
"""The lowest bit of each kind's digit."""
ONE_JOKER: Final = 1 << JOKERS
_MANY: Final = (1 << DIGIT) - 1


@dataclass(frozen=True, slots=True)
class Meld:
    """A set laid down.

    `tiles` are the faces that the set counts as, jokers with a star; empty if they were not read.
    `concealed` is true if no tile was claimed; `secret` if the set also lies face down (F23).
    """

    name: MeldName
    tiles: tuple[Tile, ...] = ()
    concealed: bool = False
    secret: bool = False

    @property
    def reads(self) -> tuple[Face, ...]:
        """The faces that the set counts as, without stars."""
        return tuple(map(bare, self.tiles))

    @property
    def size(self) -> int:
        return 4 if self.name == "kong" else 3

    def __str__(self) -> str:
        name = "secret kong" if self.secret else self.name
        return " ".join((name, *self.tiles))


def why_not_a_set(name: MeldName, tiles: tuple[Tile, ...], joker: Face | None) -> str | None:
    """The objection to tiles that do not form such a set, or None."""
    text = " ".join(tiles)
    faces = tuple(map(bare, tiles))
    if name == "chow":
        first = faces[0]
        if faces != run_from(first):
            return (
                f"'{text}' is not a chow; name three numbers of one suit in order, such as"
                " 3m 4m 5m."
            )
    elif len(set(faces)) > 1:
        return f"'{text}' is not a {name}; all its tiles must count as the same face."
    elif list(tiles) != sorted(tiles):
        return f"'{text}' names jokers first; write them last: '{' '.join(sorted(tiles))}'."
    if joker is not None and joker + JOKER in tiles:
        return f"In '{text}' the joker {joker} counts as its own face; write it without the star."
    return None


def run_from(first: Face) -> tuple[Face, ...]:
    """The run that begins with that face; shorter at the end of the suit and for honours."""
    number, suit = int(first[0]), first[1]
    if suit not in "mps":
        return (first,)
    return tuple(f"{each}{suit}" for each in range(number, min(number + 3, 10)))


def runs_through(face: Face) -> Iterator[tuple[Face, ...]]:
    """Each run that contains the tile, the lowest first; none for honours."""
    for first in range(int(face[0]) - 2, int(face[0]) + 1):
        run = run_from(f"{first}{face[1]}") if first > 0 else ()
        if len(run) == 3:
            yield run


@dataclass(frozen=True)
class Hand:
    """The tiles of one seat.

    `concealed` are the known concealed tiles in order, `unknown` is the number of the others.
    `dead` is true after a false win: the seat can no longer win or claim in this hand (F35).
    """

    concealed: tuple[Face, ...]
    unknown: int = 0
    melds: tuple[Meld, ...] = ()
    flores: tuple[Face | None, ...] = ()
    dead: bool = False

    @property
    def size(self) -> int:
        """The number of concealed tiles, known or not."""
        return len(self.concealed) + self.unknown

    @property
    def sets_open(self) -> int:
        """The number of sets that a win still needs from the concealed tiles."""
        return SETS - len(self.melds)

    def having(self, face: Face) -> int:
        return self.concealed.count(face)

    def plus(self, face: Face | None) -> Hand:
        """The hand with one more tile; None adds an unknown tile."""
        if face is None:
            return self._with(self.concealed, self.unknown + 1)
        concealed = self.concealed
        at = bisect(concealed, _ORDER[face], key=_ORDER.__getitem__)
        hand = self._with((*concealed[:at], face, *concealed[at:]), self.unknown)
        self._count_further(hand, (face,), 1)
        return hand

    def without(self, faces: Iterable[Face | None]) -> Hand | None:
        """The hand without these tiles, or None if it cannot contain them all.

        A face that is not among the known tiles, and None, are taken from the unknown tiles.
        """
        known, unknown = list(self.concealed), self.unknown
        gone = []
        for face in faces:
            if face in known:
                known.remove(face)
                gone.append(face)
            elif unknown:
                unknown -= 1
            else:
                return None
        hand = self._with(tuple(known), unknown)
        self._count_further(hand, gone, -1)
        return hand

    def packed(self, joker: Face | None, house: Parameters) -> int:
        """The known tiles as one number (`packed_tiles`); computed once for each hand."""
        known: tuple[Face | None, Parameters, int] | None = self.__dict__.get("_packed")
        if known is None or known[0] != joker or known[1] is not house:
            known = joker, house, packed_tiles(self.concealed, house, joker)
            self.__dict__["_packed"] = known
        return known[2]

    def _with(self, concealed: tuple[Face, ...], unknown: int) -> Hand:
        return made(
            Hand,
            concealed=concealed,
            unknown=unknown,
            melds=self.melds,
            flores=self.flores,
            dead=self.dead,
        )

    def _count_further(self, hand: Hand, faces: Sequence[Face], sign: Literal[1, -1]) -> None:
        """Packs `hand`, which has these tiles more (sign 1) or fewer (sign -1) than this hand."""
        known: tuple[Face | None, Parameters, int] | None = self.__dict__.get("_packed")
        if known is not None:
            joker, house, packed = known
            packed += sign * packed_tiles(faces, house, joker)
            hand.__dict__["_packed"] = joker, house, packed

    def laying_out(self, face: Face | None) -> Hand | None:
        """The hand with this flores laid out, or None if the hand cannot contain it."""
        rest = self.without((face,))
        return rest and changed(rest, flores=(*self.flores, face))

    def laying(self, meld: Meld, tiles: Iterable[Face | None]) -> Hand | None:
        """The hand with that set laid down, and without these tiles."""
        rest = self.without(tiles)
        return rest and changed(rest, melds=(*self.melds, meld))


def in_order(faces: Iterable[Face]) -> tuple[Face, ...]:
    """Tiles sorted by suit, then by number."""
    return tuple(sorted(faces, key=_ORDER.__getitem__))


def packed_tiles(faces: Iterable[Face], house: Parameters, joker: Face | None) -> int:
    """These tiles packed into one integer; tiles equal to the joker count as jokers.

    A packed hand has a digit for each kind, then the numbers of jokers and flores. Packed tiles are
    added as integers, because `sum` counts a hand faster than a loop.
    """
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


def _order(face: Face) -> str:
    return face[-1] + face


_ORDER: Final[LazyTable[Face, str]] = LazyTable(_order)
"""The sort key of each tile: its suit, then its number."""
