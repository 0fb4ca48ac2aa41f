"""A player's tiles: concealed tiles, sets laid down, flores."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rules.frozen import changed, made
from rules.games.filipino.actions import JOKER, Tile, bare
from rules.games.filipino.packing import packed_tiles
from rules.games.filipino.parameters import SETS, Parameters
from rules.lazy import LazyTable
from rules.tiles import Face

MeldName = Literal["chow", "pong", "kong"]


@dataclass(frozen=True, slots=True)
class Meld:
    """A set laid down: `tiles` as it reads, jokers starred; none if nobody saw them.

    `concealed`: made of the own hand alone; `secret`: and covered (F23).
    """

    name: MeldName
    tiles: tuple[Tile, ...] = ()
    concealed: bool = False
    secret: bool = False

    @property
    def reads(self) -> tuple[Face, ...]:
        """The faces that the set is made of, whatever jokers stand in it."""
        return tuple(map(bare, self.tiles))

    @property
    def size(self) -> int:
        return 4 if self.name == "kong" else 3

    def __str__(self) -> str:
        name = "secret kong" if self.secret else self.name
        return " ".join((name, *self.tiles))


def defect(name: MeldName, tiles: tuple[Tile, ...], joker: Face | None) -> str | None:
    """Why these tiles are no such set, or None if they are one."""
    said = " ".join(tiles)
    faces = tuple(map(bare, tiles))
    if name == "chow":
        first = faces[0]
        if faces != run_from(first):
            return f"'{said}' is no chow; three numbers of one suit in order are, such as 3m 4m 5m."
    elif len(set(faces)) > 1:
        return f"'{said}' is no {name}; all its tiles read alike."
    elif list(tiles) != sorted(tiles):
        return f"'{said}' names the jokers too early; write '{' '.join(sorted(tiles))}'."
    if joker is not None and joker + JOKER in tiles:
        return f"The joker {joker} stands for itself in '{said}'; write it without the star."
    return None


def run_from(first: Face) -> tuple[Face, ...]:
    """The run that begins with that face; shorter near the suit's end, and for honours."""
    number, suit = int(first[0]), first[1]
    if suit not in "mps":
        return (first,)
    return tuple(f"{each}{suit}" for each in range(number, min(number + 3, 10)))


@dataclass(frozen=True)
class Hand:
    """One seat's tiles.

    `concealed` are the known ones in order, `unknown` counts the others. `dead`: a false win was
    shown, so nothing can be won or claimed with it (F35).
    """

    concealed: tuple[Face, ...]
    unknown: int = 0
    melds: tuple[Meld, ...] = ()
    flores: tuple[Face | None, ...] = ()
    dead: bool = False

    @property
    def size(self) -> int:
        """Concealed tiles, known or not."""
        return len(self.concealed) + self.unknown

    @property
    def sets_open(self) -> int:
        """Sets still to make of the concealed tiles."""
        return SETS - len(self.melds)

    def having(self, face: Face) -> int:
        return self.concealed.count(face)

    def plus(self, face: Face | None) -> Hand:
        """With one more tile."""
        if face is None:
            return self._with(self.concealed, self.unknown + 1)
        concealed = self.concealed
        at = bisect(concealed, _ORDER[face], key=_ORDER.__getitem__)
        hand = self._with((*concealed[:at], face, *concealed[at:]), self.unknown)
        self._count_further(hand, (face,), 1)
        return hand

    def without(self, faces: Iterable[Face | None]) -> Hand | None:
        """Without these tiles, or None if they cannot all be here.

        A face that is not among the known tiles is one of the unknown, and so is None.
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
        """The known tiles in one number (`packing`), computed once for each hand."""
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
        """Packs a hand that has these tiles more, or fewer, than this one."""
        known: tuple[Face | None, Parameters, int] | None = self.__dict__.get("_packed")
        if known is not None:
            joker, house, packed = known
            packed += sign * packed_tiles(faces, house, joker)
            hand.__dict__["_packed"] = joker, house, packed

    def laying_out(self, face: Face | None) -> Hand | None:
        """With a flores of the hand laid out beside it, or None if it is not there."""
        rest = self.without((face,))
        return rest and changed(rest, flores=(*self.flores, face))

    def laying(self, meld: Meld, tiles: Iterable[Face | None]) -> Hand | None:
        """With a set laid down, these tiles of it from the hand."""
        rest = self.without(tiles)
        return rest and changed(rest, melds=(*self.melds, meld))


def in_order(faces: Iterable[Face]) -> tuple[Face, ...]:
    """Tiles as people sort them: suit by suit."""
    return tuple(sorted(faces, key=_ORDER.__getitem__))


def _order(face: Face) -> str:
    return face[-1] + face


_ORDER: Final[LazyTable[Face, str]] = LazyTable(_order)
"""What a tile is sorted by: its suit, then its number."""
