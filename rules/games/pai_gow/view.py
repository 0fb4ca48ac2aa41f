"""The view of one seat on a hand of pai gow: its own tiles; all tiles once all hands are set."""

from __future__ import annotations

from dataclasses import replace

from rules.games.pai_gow.play import Hand, PaiGowPlay
from rules.geometry import Seat


def view(play: PaiGowPlay, seat: Seat) -> PaiGowPlay:
    """The play with the tiles of the other hands unknown, until all hands are set (4.2)."""
    if all(hand.is_set for hand in play.hands):
        return play
    hands = (hand if owner == seat else _hidden(hand) for owner, hand in enumerate(play.hands))
    return replace(play, hands=tuple(hands))


def _hidden(hand: Hand) -> Hand:
    """The hand with its tiles unknown."""
    return replace(hand, tiles=(None,) * len(hand.tiles), split=None)
