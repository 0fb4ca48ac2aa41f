"""The play of High Bone as an immutable value: lay a tile, the most pips take the trick.

A hand may hold tiles that nobody but its player has seen (`None`). The rules then allow every tile
that could be one of them: so a table that sees no faces can follow the play.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from high_bone.match import HighBoneMatch, begin
from high_bone.setup import HIGH_BONE, Parameters
from rules.errors import IllegalSetupError, NotationError
from rules.geometry import Seat, around
from rules.play import Held, LegalActions, Payment, Rules, Settlement, Tiles, tiles_of
from rules.setup import Setup
from rules.tiles import Face
from rules.well_typed import why_ill_typed

FACES = HIGH_BONE.tiles.faces
Hand = tuple[Face | None, ...]


@dataclass(frozen=True, slots=True)
class Lay:
    """A seat lays a tile; its text is the tile, `6-4`."""

    seat: Seat
    tile: Face

    def __str__(self) -> str:
        return self.tile


def parse(seat: Seat, text: str) -> Lay:
    """The action of a text. Raises NotationError for one that names no tile."""
    if re.fullmatch("[0-6]-[0-6]", text) and text in FACES:
        return Lay(seat, text)
    raise NotationError(f"'{text}' is no tile to lay; write one as 6-4, the higher half first.")


def pips(tile: Face) -> int:
    """Both halves of a tile together."""
    return int(tile[0]) + int(tile[2])


def taker(tiles: Sequence[Face], parameters: Parameters) -> int:
    """Which of the tiles of a trick takes it, by the order in which they were laid, from 0."""
    most = max(map(pips, tiles))
    heaviest = [number for number, tile in enumerate(tiles) if pips(tile) == most]
    return heaviest[0 if parameters.equal_pips == "first" else -1]


@dataclass(frozen=True)
class HighBonePlay:
    """A hand of High Bone in progress."""

    parameters: Parameters
    hands: tuple[Hand, ...]
    leader: Seat
    trick: tuple[Face, ...] = ()
    """The tiles of this trick, the leader's first."""
    taken: tuple[int, ...] = field(default=())
    """Tricks by seat."""
    laid: frozenset[Face] = frozenset()
    """Every tile that was laid in this hand."""

    @property
    def to_act(self) -> tuple[Seat, ...]:
        """The seat whose turn it is; nobody once all tiles are laid."""
        return () if self.settlement else (self._turn,)

    @property
    def _turn(self) -> Seat:
        return around(self.leader, len(self.hands), "clockwise")[len(self.trick)]

    @property
    def legal_actions(self) -> LegalActions[Lay]:
        """Any tile that the player holds, or may hold where the hand is hidden."""
        return LegalActions(self._why_not, self._each)

    def _why_not(self, action: Lay) -> str | None:
        ill_typed = why_ill_typed(action, (Lay,), HIGH_BONE.title)
        if ill_typed is not None:
            return ill_typed
        if self.settlement is not None:
            return "All tiles are laid; the hand is over."
        if action.seat != self._turn:
            return f"It is the turn of seat {self._turn}, which lays a tile; wait for it."
        if action.tile not in self._choices:
            return f"Seat {action.seat} does not hold {action.tile}; lay another tile."
        return None

    def _each(self) -> Iterator[Lay]:
        if self.settlement is None:
            yield from (Lay(self._turn, tile) for tile in self._choices)

    @property
    def _choices(self) -> tuple[Face, ...]:
        hand = self.hands[self._turn]
        known = tuple(tile for tile in hand if tile is not None)
        if None not in hand:
            return known
        elsewhere = {tile for other in self.hands for tile in other} | self.laid
        return (*known, *(tile for tile in FACES if tile not in elsewhere))

    def apply(self, action: Lay) -> HighBonePlay:
        """The play after this tile. Raises IllegalAction with the sentence against it."""
        self.legal_actions.require(action)
        hand = list(self.hands[action.seat])
        hand.remove(action.tile if action.tile in hand else None)
        hands = tuple(
            tuple(hand) if seat == action.seat else other for seat, other in enumerate(self.hands)
        )
        after = replace(
            self, hands=hands, trick=(*self.trick, action.tile), laid=self.laid | {action.tile}
        )
        return after if len(after.trick) < len(self.hands) else _collected(after)

    @cached_property
    def settlement(self) -> Settlement | None:
        """Who pays whom, once all tiles are laid; the leader then is who took the last trick."""
        if any(self.hands) or self.trick:
            return None
        most = max(self.taken)
        order = around(self.leader, len(self.hands), "clockwise")
        winner = next(seat for seat in order if self.taken[seat] == most)
        payments = tuple(
            Payment(seat, winner, (most - count) * self.parameters.stake, "tricks fewer")
            for seat, count in enumerate(self.taken)
            if count < most
        )
        reason = f"Seat {winner} took {most} of {sum(self.taken)} tricks."
        return Settlement("most tricks", payments=payments, reasons=(reason,), winner=winner)


def _collected(play: HighBonePlay) -> HighBonePlay:
    """The trick is complete: its taker leads the next."""
    order = around(play.leader, len(play.hands), "clockwise")
    winner = order[taker(play.trick, play.parameters)]
    taken = tuple(count + (seat == winner) for seat, count in enumerate(play.taken))
    return replace(play, leader=winner, trick=(), taken=taken)


def start(
    setup: Setup, tiles: Tiles | None = None, match: HighBoneMatch | None = None
) -> HighBonePlay:
    """A play from a finished set-up; tiles that are not in `tiles` are hidden.

    Raises IllegalSetup for a set-up that is not finished: a record may end in the middle of one.
    """
    if setup.ready is None or setup.ready.begins is None:
        raise IllegalSetupError("The tiles are not dealt yet; finish the set-up first.")
    seats = range(setup.seating.players)
    hands = tuple(tiles_of(setup, tiles or {}, seat) for seat in seats)
    return HighBonePlay(setup.parameters, hands, setup.ready.begins, taken=(0,) * len(hands))


def sensible(play: HighBonePlay, seat: Seat) -> Lay:
    """Take the trick as cheaply as it can be taken, or throw the lightest tile away."""
    tiles = sorted((action.tile for action in play.legal_actions), key=pips)
    if not play.trick:
        return Lay(seat, tiles[-1])
    takes = [
        tile for tile in tiles if taker((*play.trick, tile), play.parameters) == len(play.trick)
    ]
    return Lay(seat, (takes or tiles)[0])


def held(play: HighBonePlay) -> Held:
    """The tiles before each seat."""
    return play.hands


def view(play: HighBonePlay, seat: Seat) -> HighBonePlay:
    """The play as one seat sees it: the tiles of the other hands are unknown."""
    hands = (
        hand if owner == seat else (None,) * len(hand) for owner, hand in enumerate(play.hands)
    )
    return replace(play, hands=tuple(hands))


HIGH_BONE_RULES = Rules(
    game="high_bone",
    start=start,
    parse=parse,
    sensible=sensible,
    match=begin,
    held=held,
    view=view,
)
"""What Wallwright needs to follow the game at a table."""
