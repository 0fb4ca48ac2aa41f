"""The `Rules` of pai gow, for callers that select games by name."""

from __future__ import annotations

from rules.games.pai_gow.actions import Action, SetHand, Show, parse
from rules.games.pai_gow.bank import before_hand
from rules.games.pai_gow.bot import sensible
from rules.games.pai_gow.match import match
from rules.games.pai_gow.play import PaiGowPlay, start
from rules.games.pai_gow.view import view
from rules.geometry import Seat
from rules.play import Held, Rules


def held(play: PaiGowPlay) -> Held:
    """Each seat's four tiles, set or not."""
    return tuple(hand.tiles for hand in play.hands)


def tells(truth: PaiGowPlay, play: PaiGowPlay, action: Action) -> Action:
    """A hand is set face down: a table that did not read its tiles gets no faces (4.2)."""
    if isinstance(action, SetHand) and not play.hands[action.seat].is_known:
        return SetHand(action.seat)
    return action


def follows(truth: PaiGowPlay, play: PaiGowPlay, seat: Seat) -> Show:
    """Once all are set, each player turns his hand up as it lies, and then the bank (4.2)."""
    closed = seat if play.hands[seat].split is None else play.banker
    split = truth.hands[closed].split
    assert split is not None
    return Show(closed, split)


PAI_GOW_RULES = Rules(
    game="pai_gow",
    start=start,
    parse=parse,
    sensible=sensible,
    match=match,
    held=held,
    view=view,
    tells=tells,
    follows=follows,
    before_hand=before_hand,
)
