"""State of a hand in progress: wall, hands, discards, and the seats to act."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.errors import IllegalSetupError
from rules.games.filipino.actions import Act, bare
from rules.games.filipino.hand import Hand, in_order
from rules.games.filipino.parameters import SEATS, Parameters
from rules.games.filipino.score import How, Payments, flores_at_the_start
from rules.games.filipino.setup import LAID_OUT, flores_of, is_pair
from rules.geometry import Place, Seat
from rules.play import Settlement, Tiles, tiles_of
from rules.setup import Setup
from rules.steps import Ready
from rules.tiles import Face, tile_set
from rules.values import changed

Phase = Literal["draw", "turn", "discard", "claim", "over"]
"""The phases: the seat on turn draws; it acts after a draw; it discards after a claim; other seats
can claim; the hand is over."""
WallTile = tuple[Place, Face | None]


@dataclass(frozen=True, slots=True)
class Wall:
    """The remaining tiles except the joker, in draw and in replacement order (F13, F20, A8)."""

    draws: tuple[WallTile, ...]
    replacements: tuple[WallTile, ...]

    @property
    def left(self) -> int:
        return len(self.draws)

    def without(self, tile: WallTile) -> Wall:
        return Wall(_less(self.draws, tile), _less(self.replacements, tile))


def _less(tiles: tuple[WallTile, ...], tile: WallTile) -> tuple[WallTile, ...]:
    """The tiles without that one; searches from both ends, where it usually is."""
    last = len(tiles) - 1
    for at in range(last // 2 + 1):
        if tiles[at] is tile:
            return tiles[:at] + tiles[at + 1 :]
        if tiles[last - at] is tile:
            return tiles[: last - at] + tiles[last - at + 1 :]
    return tuple(other for other in tiles if other[0] != tile[0])


@dataclass(frozen=True, slots=True)
class Offer:
    """A tile that other seats can claim: a discard, or the tile of the action `added` (F22, F32).

    `asked` are the seats that can claim it, `answers` their answers so far.
    """

    face: Face | None
    by: Seat
    added: Act | None = None
    asked: tuple[Seat, ...] = ()
    answers: tuple[Act, ...] = ()

    @property
    def awaited(self) -> tuple[Seat, ...]:
        given = {answer.seat for answer in self.answers}
        return tuple(seat for seat in self.asked if seat not in given)


def source_of(offer: Offer | None) -> How:
    """The source of a winning tile: the tile on offer, or the wall if there is none."""
    return "self" if offer is None else "robbing" if offer.added else "discard"


@dataclass(frozen=True)
class FilipinoTable:
    """A hand in progress, as plain values.

    `turn` is the seat that draws, acts or discards. `drawn` is the tile it took last: None if that
    tile is unknown (`drew` is true) or if it took none (`drew` is false). `middle` are the discards
    in order; at the table their order need not be kept (F19). `taken` are the tiles taken from the
    wall, in order. `stakes` is the factor of every amount.
    """

    house: Parameters
    roller: Seat
    mano: Seat
    joker: Face | None
    wall: Wall
    hands: tuple[Hand, ...]
    turn: Seat
    chips: tuple[int, ...]
    phase: Phase = "turn"
    drawn: Face | None = None
    drew: bool = False
    middle: tuple[Face | None, ...] = ()
    offer: Offer | None = None
    stakes: int = 1
    payments: Payments = ()
    taken: tuple[tuple[Seat, Place], ...] = ()
    settlement: Settlement | None = None

    @property
    def to_act(self) -> tuple[Seat, ...]:
        """The seats that can act now."""
        if self.phase == "over":
            return ()
        return (self.turn,) if self.offer is None else self.offer.awaited

    def with_hand(self, seat: Seat, hand: Hand) -> FilipinoTable:
        return changed(self, hands=self.hands_with(seat, hand))

    def hands_with(self, seat: Seat, hand: Hand) -> tuple[Hand, ...]:
        """All hands, with the hand of that seat replaced."""
        return (*self.hands[:seat], hand, *self.hands[seat + 1 :])

    def left_of(self, face: Face) -> int:
        """The number of tiles of that face of which the place is unknown."""
        whole = tile_set("mahjong_144").faces.count(face)
        seen = (self.joker == face) + self.middle.count(face)
        seen += sum(known == face for _, known in self.wall.draws)
        for hand in self.hands:
            seen += hand.having(face) + hand.flores.count(face)
            for meld in hand.melds:
                seen += sum(tile == face for tile in meld.tiles)
                if face == self.joker:
                    seen += sum(tile != bare(tile) for tile in meld.tiles)
        return whole - seen

    @property
    def flores_unseen(self) -> int:
        """The largest number of flores among the unknown tiles."""
        laid = sum(len(hand.flores) for hand in self.hands)
        known = [face for hand in self.hands for face in hand.concealed]
        known += [face for _, face in self.wall.draws if face is not None]
        return self.house.flores - laid - sum(map(self.house.is_flores, known))


def laid_table(setup: Setup, tiles: Tiles, chips: tuple[int, ...]) -> FilipinoTable:
    """The table after the set-up: flores laid out, the joker turned up, the first bonuses paid.

    Raises IllegalSetupError for a set-up that is not finished.
    """
    ready = setup.ready
    if ready is None or ready.begins is None:
        raise IllegalSetupError(f"The set-up still waits for {setup.pending}; finish it first.")
    house: Parameters = setup.parameters
    flores = flores_of(setup)
    stakes = 1 + (house.pairs_double and is_pair(setup))
    return FilipinoTable(
        house=house,
        roller=setup.seating.dealer,
        mano=ready.begins,
        joker=ready.shows,
        wall=_wall(ready, tiles),
        hands=tuple(
            dealt_hand(tiles_of(setup, tiles, seat), flores[seat], house) for seat in range(SEATS)
        ),
        turn=ready.begins,
        chips=chips,
        stakes=stakes,
        payments=flores_at_the_start(flores, house, stakes),
    )


def _wall(ready: Ready, tiles: Tiles) -> Wall:
    """The remaining wall; both orders share their pairs, which `_less` compares by identity."""
    left = {place: (place, tiles.get(place)) for place in ready.draws}
    return Wall(tuple(left.values()), tuple(left[place] for place in ready.replacements))


def dealt_hand(dealt: tuple[Face | None, ...], laid: int, house: Parameters) -> Hand:
    """A seat's hand from its dealt tiles, with `laid` flores laid out (F11).

    A flores that was not laid out in the set-up stays in the hand, to be laid out in the play.
    Raises IllegalSetupError if the tiles are known and have fewer flores.
    """
    known = [face for face in dealt if face is not None]
    flores = [face for face in known if house.is_flores(face)]
    unseen = len(dealt) - len(known)
    if len(flores) + unseen < laid:
        raise IllegalSetupError(
            f"A hand of {' '.join(known)} has {len(flores)} flores, but the set-up has {laid};"
            f" correct the answer to '{LAID_OUT}'."
        )
    out: tuple[Face | None, ...] = tuple(flores[:laid])
    unread = laid - len(out)
    concealed = [face for face in known if not house.is_flores(face)] + flores[laid:]
    return Hand(in_order(concealed), unseen - unread, (), out + (None,) * unread)


def after_turn(seat: Seat) -> Seat:
    """The seat that draws next, counter-clockwise (F20)."""
    return (seat + 1) % SEATS
