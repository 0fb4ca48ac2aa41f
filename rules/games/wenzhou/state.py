"""State of a Wenzhou hand: four hands, sets laid down, discards, wall, the trail of discards.

The trail holds the tiles that each seat took and gave; it is kept if discards are fined (E16).
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Final, Literal

from rules.games.wenzhou.actions import WenzhouAction
from rules.games.wenzhou.discard_check import Given, Taken, Trail, Unchecked, is_fined
from rules.games.wenzhou.score import Stakes
from rules.games.wenzhou.setup import SEATS, Parameters
from rules.games.wenzhou.tiles import WILD, Caishen, SetDown
from rules.games.wenzhou.wins import By, Claim, NoWin, WinReading, is_complete_packed, judged
from rules.geometry import Place, Seat
from rules.melds import Kind
from rules.play import Payment, Settlement
from rules.tiles import Face
from rules.values import LazyTable, changed, made

ALIKE = 4
"""The number of tiles of each face."""


class Stage(Enum):
    """The stage of a hand; the value completes the sentence "the hand waits for ..."."""

    DRAW = "the draw of the next tile"
    REPLACE = "the draw of a kong's replacement tile"
    ACT = "a discard, a kong or a win"
    DISCARD = "a discard, after a claim"
    CLAIM = "the answers of all seats that can claim the discard"
    ROB = "the answers of all seats that can rob the kong"
    SHOW = "unknown tiles to be shown"
    OVER = "no action: the hand is over"

    def __repr__(self) -> str:
        return f"Stage.{self.name}"


@dataclass(frozen=True)
class SeatHand:
    """The tiles of a seat; the concealed tiles are in order, unknown ones (None) last.

    `passed` are the kinds of which it passed a pong since its last turn (W20). `dead` is true after
    a false win: the seat can neither win nor lay down sets (W36).
    """

    tiles: tuple[Face | None, ...]
    melds: tuple[SetDown, ...] = ()
    passed: frozenset[Kind] = frozenset()
    dead: bool = False

    @property
    def known(self) -> tuple[Face, ...]:
        if not self.is_hidden:
            return self.tiles  # type: ignore[return-value] # `is_hidden` has excluded None
        return tuple(tile for tile in self.tiles if tile is not None)

    @property
    def is_hidden(self) -> bool:
        """Whether the hand has unknown concealed tiles; they are the last in `tiles`."""
        return self.tiles[-1:] == (None,)

    @property
    def hidden(self) -> int:
        """The number of unknown concealed tiles."""
        return self.tiles.count(None)

    def packed(self, caishen: Caishen) -> int:
        """The known tiles as one number (`Caishen.packed`); computed once for each hand."""
        known: tuple[Caishen, int] | None = self.__dict__.get("_packed")
        if known is None or known[0] is not caishen:
            known = caishen, caishen.packed(self.known)
            self.__dict__["_packed"] = known
        return known[1]

    def is_ready(self, caishen: Caishen) -> bool:
        """Whether the known tiles and one more caishen have a winning shape (W24).

        If they have none, no other tile completes the hand either. The result is kept with the
        hand, because it is needed for every discard of the other seats.
        """
        known: tuple[Caishen, bool] | None = self.__dict__.get("_ready")
        if known is None or known[0] is not caishen:
            packed, melds = self.packed(caishen) + (1 << WILD), len(self.melds)
            ready = is_complete_packed(packed, melds)
            known = caishen, ready
            self.__dict__["_ready"] = known
        return known[1]

    def with_drawn(self, tile: Face | None, caishen: Caishen) -> SeatHand:
        """The hand with a tile that the seat drew; the seat can again pong all faces (W20)."""
        drawn = made(
            SeatHand,
            tiles=put_in(self.tiles, tile),
            melds=self.melds,
            passed=frozenset(),
            dead=self.dead,
        )
        if tile is not None:
            drawn.__dict__["_packed"] = caishen, self.packed(caishen) + caishen.one(tile)
            if not self.is_hidden and not self.is_ready(caishen):
                drawn.__dict__["_incomplete"] = True
        return drawn

    @property
    def is_incomplete(self) -> bool:
        """Whether the last tile was drawn to a hand that no tile could have completed."""
        return "_incomplete" in self.__dict__

    def with_discarded(self, face: Face, caishen: Caishen) -> SeatHand:
        """The hand without a tile of this face, or without an unknown tile if it has none."""
        tiles = self.tiles
        if face not in tiles:
            return self.with_tiles(self.less((face,)))
        at = tiles.index(face)
        rest = self.with_tiles(tiles[:at] + tiles[at + 1 :])
        rest.__dict__["_packed"] = caishen, self.packed(caishen) - caishen.one(face)
        return rest

    def with_tiles(self, tiles: tuple[Face | None, ...]) -> SeatHand:
        """The hand with these concealed tiles, which have to be in order."""
        return made(SeatHand, tiles=tiles, melds=self.melds, passed=self.passed, dead=self.dead)

    def lacks(self, faces: Iterable[Face]) -> tuple[Face, ...]:
        """The faces that are not among the known tiles."""
        left = list(self.known)
        lacking = []
        for face in faces:
            if face in left:
                left.remove(face)
            else:
                lacking.append(face)
        return tuple(lacking)

    def less(self, faces: Iterable[Face | None]) -> tuple[Face | None, ...]:
        """The concealed tiles without these; a face that is not known removes an unknown tile."""
        left = list(self.tiles)
        for face in faces:
            left.remove(face if face in left else None)
        return tuple(left)

    def plus(self, tile: Face | None) -> tuple[Face | None, ...]:
        """The concealed tiles with one more, in order."""
        return put_in(self.tiles, tile)


def in_order(tiles: Iterable[Face | None]) -> tuple[Face | None, ...]:
    """Tiles sorted by suit and number, unknown ones last."""
    return tuple(sorted(tiles, key=_RANK.__getitem__))


def put_in(tiles: tuple[Face | None, ...], tile: Face | None) -> tuple[Face | None, ...]:
    """Sorted tiles with one more tile at its place."""
    at = bisect(tiles, _RANK[tile], key=_RANK.__getitem__)
    return (*tiles[:at], tile, *tiles[at:])


_RANK: Final[LazyTable[Face | None, str]] = LazyTable(
    lambda tile: "\U0010ffff" if tile is None else tile[::-1]
)
"""The sort key of each tile: its suit, then its number."""


@dataclass(frozen=True)
class DealtPosition:
    """The values that stay constant through a hand.

    `before_indicator` is the number of draws before the indicator's place (W29).
    """

    caishen: Caishen
    stakes: Stakes
    draws: tuple[Place, ...]
    replacements: tuple[Place, ...]
    before_indicator: int
    tiles: Mapping[Place, Face | None] = field(hash=False)

    @cached_property
    def parameters(self) -> Parameters:
        return self.stakes.parameters

    @cached_property
    def spendable(self) -> int:
        """The number of tiles that leave the wall before the reserve, with the indicator (W29)."""
        return len(self.draws) + 1 - max(self.parameters.reserve, 1)


@dataclass(frozen=True)
class Position:
    """The state of a hand.

    `turn` is the seat that draws, acts or discards; while a tile can be claimed it is the seat that
    offered it. `tile` is the tile just drawn, discarded or added to a pong. `answers` are the
    claims and passes so far; `asked` are the seats that still have to answer, or to show tiles
    after the hand. `discards` are the unclaimed discards, sorted, because the table does not show
    who discarded them (W18). `thrown` are the kinds that were discarded, including claimed tiles
    (E13).
    `calls` counts the sets laid down, `kongs` the kongs among them. `settlement` has the payments
    without caishen money, penalties and fines. `penalties` are the payments for false wins (W36).
    `trail` is kept only if discards are fined (E16).
    """

    deal: DealtPosition
    seats: tuple[SeatHand, ...]
    stage: Stage
    turn: Seat
    tile: Face | None = None
    by: Literal["self", "replacement"] = "self"
    asked: tuple[Seat, ...] = ()
    answers: tuple[WenzhouAction, ...] = ()
    discards: tuple[Face | None, ...] = ()
    thrown: frozenset[Kind] = frozenset()
    discarded: int = 0
    drawn: int = 0
    replaced: int = 0
    calls: int = 0
    kongs: int = 0
    settlement: Settlement | None = None
    penalties: tuple[Payment, ...] = ()
    trail: Trail = ()

    @property
    def left(self) -> int:
        """The number of tiles in the wall, including the indicator (E3)."""
        return len(self.deal.draws) - self.drawn - self.replaced + 1

    @property
    def can_draw(self) -> bool:
        """Whether the wall allows an ordinary draw (W29)."""
        return self.drawn < self.deal.before_indicator and self._not_spent

    @property
    def can_replace(self) -> bool:
        """Whether the wall allows the draw of a replacement tile (E5)."""
        from_draws = self.deal.parameters.kong_source == "draws"
        return self.can_draw if from_draws else self._not_spent

    @property
    def _not_spent(self) -> bool:
        return self.drawn + self.replaced < self.deal.spendable

    @property
    def source(self) -> Place | None:
        """The place of the tile that is drawn next; None if no draw is pending."""
        if self.stage is Stage.DRAW:
            return self.deal.draws[self.drawn]
        if self.stage is Stage.REPLACE:
            if self.deal.parameters.kong_source == "draws":
                return self.deal.draws[self.drawn]
            return self.deal.replacements[self.replaced]
        return None

    def unseen(self, face: Face) -> int:
        """The number of tiles of a face of which the place is unknown."""
        return ALIKE - sum(seen == face for seen in self._in_sight())

    def _in_sight(self) -> Iterator[Face | None]:
        yield self.deal.caishen.face
        yield from self.discards
        if self.stage in (Stage.CLAIM, Stage.ROB):
            yield self.tile
        for hand in self.seats:
            yield from hand.tiles
            for meld in hand.melds:
                yield from meld.faces
        for place in self.undrawn:
            yield self.deal.tiles.get(place)

    @property
    def undrawn(self) -> tuple[Place, ...]:
        """The places of the tiles in the wall without the indicator, in the order of draws."""
        if self.deal.parameters.kong_source == "draws":
            return self.deal.draws[self.drawn :]
        gone = set(self.deal.replacements[: self.replaced])
        return tuple(place for place in self.deal.draws[self.drawn :] if place not in gone)


def after(seat: Seat, steps: int = 1) -> Seat:
    """The seat `steps` turns later."""
    return (seat + steps) % SEATS


def with_hand(position: Position, seat: Seat, hand: SeatHand) -> tuple[SeatHand, ...]:
    """All hands, with the hand of that seat replaced."""
    return (*position.seats[:seat], hand, *position.seats[seat + 1 :])


def is_kept(position: Position) -> bool:
    """Whether the hand has a trail: only if the house fines discards (E16)."""
    return is_fined(position.deal.parameters)


def noted(position: Position, *events: Taken | Given | Unchecked) -> Position:
    """The position with these events added to its trail, if discards are fined (E16)."""
    if not is_fined(position.deal.parameters):
        return position
    return changed(position, trail=(*position.trail, *events))


def noted_discard(position: Position, seat: Seat, face: Face) -> Position:
    """The position with a discard added to its trail.

    A discard from a hand with unknown tiles is added as `Unchecked`, to be checked at the end.
    """
    if not is_fined(position.deal.parameters):
        return position
    hand, caishen = position.seats[seat], position.deal.caishen
    if not hand.hidden:
        return noted(position, Given(seat, (face,)))
    pongs = (meld for meld in hand.melds if meld.what == "pong")
    exempt = {caishen.kind_of(meld.faces[0]) for meld in pongs}
    if not position.deal.parameters.pong_extension_exempt:
        exempt = set()
    return noted(position, Unchecked(seat, face, position.thrown, frozenset(exempt)))


def claim_of(position: Position, seat: Seat, shows: tuple[Face, ...] = ()) -> Claim | None:
    """A seat's hand as a claim for a win; None if `shows` does not have all unknown tiles."""
    hand = position.seats[seat]
    if len(shows) != hand.hidden:
        return None
    tiles = (*hand.known, *shows)
    by: By
    if position.stage is Stage.ACT:
        by, first = position.by, position.drawn + position.replaced + position.discarded == 0
        own = position.tile if position.tile in tiles else tiles[-1]
        rest = list(tiles)
        rest.remove(own)
        tiles, tile = tuple(rest), own
    else:
        assert position.tile is not None
        robbing = position.stage is Stage.ROB
        by, tile = "robbing" if robbing else "discard", position.tile
        first = position.discarded == 1 and not robbing
    return Claim(
        caishen=position.deal.caishen,
        hand=tiles,
        tile=tile,
        by=by,
        melds=hand.melds,
        first_turn=first,
        undisturbed=not position.calls,
    )


def win_of(position: Position, seat: Seat, shows: tuple[Face, ...] = ()) -> WinReading | NoWin:
    """The verdict on a seat's hand if it claimed a win now."""
    claim = claim_of(position, seat, shows)
    if claim is None:
        hidden = position.seats[seat].hidden
        return NoWin((f"A win has to show the {hidden} unknown tiles of seat {seat}; name them.",))
    return judged(claim, position.deal.parameters)
