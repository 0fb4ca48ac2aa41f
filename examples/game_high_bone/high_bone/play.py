"""The play of High Bone as an immutable value: lay a tile, the most pips take the trick.

A hand can contain hidden tiles (`None`), which only its player has seen. The rules then allow every
tile that could be one of them, so a table that sees no faces can follow the play.
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
    """The action that a seat lays a tile. The action's text is the tile, for example `6-4`."""

    seat: Seat
    tile: Face

    def __str__(self) -> str:
        return self.tile


def parse(seat: Seat, text: str) -> Lay:
    """Return the action of a text such as `6-4`. Raises NotationError if the text is not a tile."""
    if re.fullmatch("[0-6]-[0-6]", text) and text in FACES:
        return Lay(seat, text)
    raise NotationError(f"'{text}' is not a domino; write a tile as 6-4, the higher half first.")


def pips(tile: Face) -> int:
    """Return the pips of a tile, the sum of its halves."""
    return int(tile[0]) + int(tile[2])


def taker(tiles: Sequence[Face], parameters: Parameters) -> int:
    """Return the index of the tile that takes a trick; the first tile laid has index 0."""
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
    """The number of tricks that each seat has taken."""
    laid: frozenset[Face] = frozenset()
    """Every tile that was laid in this hand."""

    @property
    def to_act(self) -> tuple[Seat, ...]:
        """The seat whose turn it is; empty when all tiles are laid."""
        return () if self.settlement else (self._turn,)

    @property
    def _turn(self) -> Seat:
        return around(self.leader, len(self.hands), "clockwise")[len(self.trick)]

    @property
    def legal_actions(self) -> LegalActions[Lay]:
        """One action for every tile that the player holds, or can hold if the hand is hidden."""
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
        """Return the play after this tile is laid. Raises IllegalActionError with the reason."""
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
        """Who pays whom after the last trick, which `leader` has taken; None before the end."""
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
    """Return the play after a complete trick; the seat that took it leads the next trick."""
    order = around(play.leader, len(play.hands), "clockwise")
    winner = order[taker(play.trick, play.parameters)]
    taken = tuple(count + (seat == winner) for seat, count in enumerate(play.taken))
    return replace(play, leader=winner, trick=(), taken=taken)


def start(
    setup: Setup, tiles: Tiles | None = None, match: HighBoneMatch | None = None
) -> HighBonePlay:
    """Return the play of a finished set-up; places without an entry in `tiles` are hidden.

    Raises IllegalSetupError if the set-up is not finished: a record can end during a set-up.
    """
    if setup.ready is None or setup.ready.begins is None:
        raise IllegalSetupError("The tiles are not dealt yet; finish the set-up first.")
    seats = range(setup.seating.players)
    hands = tuple(tiles_of(setup, tiles or {}, seat) for seat in seats)
    return HighBonePlay(setup.parameters, hands, setup.ready.begins, taken=(0,) * len(hands))


def sensible(play: HighBonePlay, seat: Seat) -> Lay:
    """Choose an action: the lightest tile that takes the trick, otherwise the lightest tile."""
    tiles = sorted((action.tile for action in play.legal_actions), key=pips)
    if not play.trick:
        return Lay(seat, tiles[-1])
    takes = [
        tile for tile in tiles if taker((*play.trick, tile), play.parameters) == len(play.trick)
    ]
    return Lay(seat, (takes or tiles)[0])


def held(play: HighBonePlay) -> Held:
    """Return the tiles that each seat holds."""
    return play.hands


def view(play: HighBonePlay, seat: Seat) -> HighBonePlay:
    """Return the play with hidden tiles in all hands except that of one seat."""
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
"""The functions that Wallwright needs to follow the game at a table."""
