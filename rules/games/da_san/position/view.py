"""The view of one seat on a hand of Da San: its own cards, the cards played, a kitty shown."""

from __future__ import annotations

from dataclasses import replace

from rules.games.da_san.play import DaSanPlay, opener_of
from rules.games.da_san.position.hand import Hand
from rules.geometry import Seat


def view(play: DaSanPlay, seat: Seat) -> DaSanPlay:
    """The play with the cards of the other hands unknown.

    The kitty is known to the bidder, and to all seats in houses that show it (D9).
    """
    dug = play.auction.over and play.bidder is not None
    shown = play.kitty.known if dug and play.parameters.reveal_kitty else 0
    sees_kitty = dug and (seat == play.bidder or play.parameters.reveal_kitty)
    kitty = play.kitty if sees_kitty else Hand(0, play.kitty.size)
    first, second, third = (
        hand if owner == seat else _hidden(hand, hand.known & shown)
        for owner, hand in enumerate(play.hands)
    )
    hands = (first, second, third)
    opener = play.opener
    if not play.auction.calls:
        opener = opener_of(hands, kitty, play.parameters.opening_suit)
    return replace(play, hands=hands, kitty=kitty, opener=opener)


def _hidden(hand: Hand, shown: int) -> Hand:
    """The hand with only these cards known."""
    return Hand(shown, hand.size - shown.bit_count())
