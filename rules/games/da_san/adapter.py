"""The `Rules` of Da San, for callers that select games by name."""

from __future__ import annotations

from rules.games.da_san.actions import Reveal, parse
from rules.games.da_san.bot import sensible
from rules.games.da_san.cutting import before_hand, to_draw
from rules.games.da_san.match import begin
from rules.games.da_san.play import DaSanPlay, start
from rules.games.da_san.position.cards import faces_of
from rules.games.da_san.position.open_tiles import open_tiles
from rules.games.da_san.position.view import view
from rules.games.da_san.setup import kitty_places
from rules.geometry import Seat
from rules.play import Handed, Held, Rules, refuse_catch_up
from rules.setup import Setup
from rules.steps import Packet


def hands_over(setup: Setup, before: DaSanPlay, after: DaSanPlay) -> Handed:
    """The kitty, which the bidder receives once the auction is over (D9)."""
    if before.auction.over or not after.auction.over or after.bidder is None:
        return ()
    return (Packet(after.bidder, kitty_places(setup)),)


def held(play: DaSanPlay) -> Held:
    """Each seat's cards, the weakest rank first, unknown cards last."""
    return tuple((*faces_of(hand.known), *(None,) * hand.hidden) for hand in play.hands)


def catch_up(full_play: DaSanPlay, play: DaSanPlay, seat: Seat) -> Reveal:
    """The bidder turns up the kitty cards that the table has not seen (D9). Raises RulesError."""
    if not play.to_reveal:
        refuse_catch_up(full_play, play, seat)
    return Reveal(seat, faces_of(full_play.kitty.known & ~play.kitty.known))


DA_SAN_RULES = Rules(
    game="da_san",
    start=start,
    parse=parse,
    sensible=sensible,
    match=begin,
    held=held,
    open_tiles=open_tiles,
    view=view,
    hands_over=hands_over,
    catch_up=catch_up,
    before_hand=before_hand,
    to_draw=to_draw,
)
