"""Trail of a hand: the tiles that each seat took and gave; kept if discards are fined (E16)."""

from __future__ import annotations

from rules.games.wenzhou.discards.discard_check import Given, Taken, Unchecked, is_fined
from rules.games.wenzhou.position.state import Position
from rules.geometry import Seat
from rules.tiles import Face
from rules.values.frozen import changed


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
