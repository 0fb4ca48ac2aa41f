"""State of a hand in progress: wall, hands, discards, and the seats to act."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.errors import IllegalSetupError
from rules.frozen import changed
from rules.games.filipino.actions import Act, bare
from rules.games.filipino.hand import Hand, in_order
from rules.games.filipino.parameters import SEATS, Parameters
from rules.games.filipino.score import Payments, flores_at_the_start
from rules.games.filipino.setup import LAID_OUT, flores_of, is_pair
from rules.geometry import Place, Seat
from rules.play import Settlement, Tiles, tiles_of
from rules.setup import Setup
from rules.steps import Ready
from rules.tiles import Face, tile_set

Phase = Literal["draw", "turn", "discard", "claim", "over"]
"""To draw; to act with a drawn tile; to discard after a claim; others may claim; the hand ended."""
WallTile = tuple[Place, Face | None]


@dataclass(frozen=True, slots=True)
class Wall:
    """The remaining tiles without the joker: the same ones from either end (F13, F20, A8)."""

    draws: tuple[WallTile, ...]
    replacements: tuple[WallTile, ...]

    @property
    def left(self) -> int:
        return len(self.draws)

    def without(self, tile: WallTile) -> Wall:
        return Wall(_less(self.draws, tile), _less(self.replacements, tile))


def _less(tiles: tuple[WallTile, ...], tile: WallTile) -> tuple[WallTile, ...]:
    """The tiles without that one, which is mostly near an end."""
    last = len(tiles) - 1
    for at in range(last // 2 + 1):
        if tiles[at] is tile:
            return tiles[:at] + tiles[at + 1 :]
        if tiles[last - at] is tile:
            return tiles[: last - at] + tiles[last - at + 1 :]
    return tuple(other for other in tiles if other[0] != tile[0])


@dataclass(frozen=True, slots=True)
class Offer:
    """A tile that others may claim: discarded, or added to a pong as `added` says (F22, F32).

    `asked` are the seats that may claim; `answers` are theirs so far.
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


@dataclass(frozen=True)
class FilipinoTable:
    """A hand in progress, as plain values.

    `turn` is who draws, acts or discards, and `drawn` the tile he took last (None: unseen, or mano
    before he took any; `drew` tells which). `middle` are the discards in the order they fell,
    which nobody has to keep (F19). `taken` are the wall's tiles in the order they left it.
    `stakes` multiplies every amount.
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
        """Whose act is awaited."""
        if self.phase == "over":
            return ()
        return (self.turn,) if self.offer is None else self.offer.awaited

    def with_hand(self, seat: Seat, hand: Hand) -> FilipinoTable:
        return changed(self, hands=self.hands_with(seat, hand))

    def hands_with(self, seat: Seat, hand: Hand) -> tuple[Hand, ...]:
        """All hands, with this one at its seat."""
        return (*self.hands[:seat], hand, *self.hands[seat + 1 :])

    def left_of(self, face: Face) -> int:
        """How many tiles of that face nobody has seen yet."""
        whole = tile_set("mahjong_144").faces.count(face)
        seen = (self.joker == face) + self.middle.count(face)
        seen += sum(lying == face for _, lying in self.wall.draws)
        for hand in self.hands:
            seen += hand.having(face) + hand.flores.count(face)
            for meld in hand.melds:
                seen += sum(tile == face for tile in meld.tiles)
                if face == self.joker:
                    seen += sum(tile != bare(tile) for tile in meld.tiles)
        return whole - seen

    @property
    def flores_unseen(self) -> int:
        """How many flores can be among the tiles that nobody has seen."""
        laid = sum(len(hand.flores) for hand in self.hands)
        known = [face for hand in self.hands for face in hand.concealed]
        known += [face for _, face in self.wall.draws if face is not None]
        return self.house.flores - laid - sum(map(self.house.is_flores, known))


def laid_table(setup: Setup, tiles: Tiles, chips: tuple[int, ...]) -> FilipinoTable:
    """The table where a set-up is ready: flores out, the joker turned up, the first bonuses paid.

    Raises IllegalSetup for a set-up that still asks for something.
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
    """What is left to draw; both orders have the same pairs, so that one is found quickly."""
    left = {place: (place, tiles.get(place)) for place in ready.draws}
    return Wall(tuple(left.values()), tuple(left[place] for place in ready.replacements))


def dealt_hand(dealt: tuple[Face | None, ...], laid: int, house: Parameters) -> Hand:
    """A seat's tiles, so many of which are flores and lie beside the hand (F11).

    A flores that the set-up passed over stays in the hand, to be laid out in the play. Raises
    IllegalSetup if the tiles are known and have fewer flores.
    """
    known = [face for face in dealt if face is not None]
    flores = [face for face in known if house.is_flores(face)]
    unseen = len(dealt) - len(known)
    if len(flores) + unseen < laid:
        raise IllegalSetupError(
            f"A hand of {' '.join(known)} has {len(flores)} flores, not the {laid} of the set-up;"
            f" answer '{LAID_OUT}' with what the tiles say."
        )
    out: tuple[Face | None, ...] = tuple(flores[:laid])
    unread = laid - len(out)
    concealed = [face for face in known if not house.is_flores(face)] + flores[laid:]
    return Hand(in_order(concealed), unseen - unread, (), out + (None,) * unread)


def after_turn(seat: Seat) -> Seat:
    """Who draws next, counter-clockwise (F20)."""
    return (seat + 1) % SEATS
