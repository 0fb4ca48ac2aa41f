"""The view of one seat on a hand of Filipino mahjong: its own tiles and all open tiles."""

from __future__ import annotations

from dataclasses import replace

from rules.games.filipino.play import FilipinoPlay
from rules.games.filipino.position.hand import Hand, Meld
from rules.games.filipino.position.table import FilipinoTable, Offer, Wall
from rules.games.filipino.score import others
from rules.geometry import Seat


def view(play: FilipinoPlay, seat: Seat) -> FilipinoPlay:
    """The play with the wall, the other hands' concealed tiles and their secret kongs unknown.

    While a tile is on offer, every other seat could have a claim, as far as this seat can know. The
    hand of a winner is open.
    """
    table = play.table
    settlement = table.settlement
    winner = None if settlement is None else settlement.winner
    hands = tuple(
        hand if owner in (seat, winner) else _hidden(hand) for owner, hand in enumerate(table.hands)
    )
    wall = Wall(
        tuple((place, None) for place, _ in table.wall.draws),
        tuple((place, None) for place, _ in table.wall.replacements),
    )
    offer = None if table.offer is None else _offered(table, table.offer, seat)
    drawn = table.drawn if table.turn == seat else None
    return FilipinoPlay(replace(table, hands=hands, wall=wall, offer=offer, drawn=drawn))


def _hidden(hand: Hand) -> Hand:
    melds = tuple(_covered(meld) for meld in hand.melds)
    return replace(hand, concealed=(), unknown=hand.size, melds=melds)


def _covered(meld: Meld) -> Meld:
    """The set without its tiles if it is a secret kong, which lies face down (F23)."""
    return replace(meld, tiles=()) if meld.secret else meld


def _offered(table: FilipinoTable, offer: Offer, seat: Seat) -> Offer:
    """The offer with every seat asked that could claim, as far as the viewing seat can know."""
    asked = (
        other
        for other in others(offer.by)
        if other in offer.asked or (other != seat and not table.hands[other].dead)
    )
    return replace(offer, asked=tuple(asked))
