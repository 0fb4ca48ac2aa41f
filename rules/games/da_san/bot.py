"""A simulated Da San player: bids on high cards, leads long and low, does not beat its ally."""

from __future__ import annotations

from rules.games.da_san.actions import Action, Bid, Pass
from rules.games.da_san.play import DaSanPlay
from rules.games.da_san.position import RANKS, Cards, Form
from rules.geometry import Seat

WORTH = {"3": 4, "2": 2, "A": 1}
"""The value of each high card in the auction."""
ENOUGH = ((3, 16), (2, 12), (1, 9))
"""Each bid, and the value of a hand that it needs."""
HIGH = RANKS.index("A")
"""An ally's combination with a top card of this rank or higher is not beaten."""


def sensible(play: DaSanPlay, seat: Seat) -> Action:
    """Returns the action of this player as `seat`, whose turn it is.

    For a hidden hand it chooses among the combinations that the hand could contain.
    """
    legal = play.legal_actions
    if play.round is None:
        return _call(play, seat)
    hand, best = play.hands[seat], play.round.best
    if not play.forms:
        return Pass(seat)
    whole = [form for form in play.forms if form.size == hand.size]
    if whole:
        return play.lay(whole[0])
    if best is None:
        return play.lay(max(play.forms, key=lambda form: (form.size - form.top, -form.top)))
    by = play.round.by
    allied = seat != play.bidder and by != play.bidder
    lowest = min(play.forms, key=lambda form: (_broken(hand.known, form), form.top))
    leave = Pass(seat)
    if leave in legal and ((allied and best.top >= HIGH) or _broken(hand.known, lowest) > 1):
        return leave
    return play.lay(lowest)


def _call(play: DaSanPlay, seat: Seat) -> Action:
    legal = play.legal_actions
    known = play.hands[seat].known
    worth = sum(
        value * (known >> 4 * RANKS.index(rank) & 15).bit_count() for rank, value in WORTH.items()
    )
    for bid, enough in ENOUGH:
        if worth >= enough and Bid(seat, bid) in legal:
            return Bid(seat, bid)
    return Pass(seat) if Pass(seat) in legal else next(action for action in legal)


def _broken(cards: Cards, form: Form) -> int:
    """The number of cards of the combination's ranks that stay in the hand."""
    ranks = range(form.top - form.length + 1, form.top + 1)
    return sum((cards >> 4 * rank & 15).bit_count() - form.each for rank in ranks)
