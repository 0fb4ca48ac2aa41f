"""The view of one seat on a hand of dominoes: its own tiles, the layout, and all actions."""

from __future__ import annotations

from rules.games.dominoes.play import DominoPlay
from rules.geometry import Seat


def view(play: DominoPlay, seat: Seat) -> DominoPlay:
    """The play with the tiles of the other hands and of the boneyard unknown.

    After the end of the hand all hands stay known as they are.
    """
    if play.ended:
        return play._replace(boneyard=(None,) * len(play.boneyard))
    hands = (
        hand if owner == seat else (None,) * len(hand) for owner, hand in enumerate(play.hands)
    )
    return play._replace(hands=tuple(hands), boneyard=(None,) * len(play.boneyard))
