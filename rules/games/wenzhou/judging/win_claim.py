"""Builds the claim for a win from a seat's current hand, and judges it."""

from __future__ import annotations

from rules.games.wenzhou.position.state import Position, Stage
from rules.games.wenzhou.wins.hand import By, Claim, NoWin, WinReading, judged
from rules.geometry import Seat
from rules.tiles import Face


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
