"""The trail of a hand: what each seat took and gave, kept where discards are fined (E16)."""

from __future__ import annotations

from dataclasses import replace

from rules.games.wenzhou.discard_check import Given, Taken, Unchecked, is_fined
from rules.games.wenzhou.position import Position
from rules.geometry import Seat
from rules.tiles import Face


def noted(position: Position, *events: Taken | Given | Unchecked) -> Position:
    """The position with these events in its trail, where discards are fined (E16)."""
    if not is_fined(position.deal.parameters):
        return position
    return replace(position, trail=(*position.trail, *events))


def as_noted(position: Position, seat: Seat, face: Face) -> Given | Unchecked:
    """A discard as the trail keeps it: one from a hand with unseen tiles is checked at the end."""
    hand, caishen = position.seats[seat], position.deal.caishen
    if not hand.hidden:
        return Given(seat, (face,))
    pongs = (meld for meld in hand.melds if meld.what == "pong")
    exempt = {caishen.kind_of(meld.faces[0]) for meld in pongs}
    if not position.deal.parameters.pong_extension_exempt:
        exempt = set()
    return Unchecked(seat, face, position.thrown, frozenset(exempt))
