"""The `Rules` of pai gow, for callers that select games by name."""

from __future__ import annotations

from rules.games.pai_gow.actions import Action, SetHand, Show, parse
from rules.games.pai_gow.bank import before_hand
from rules.games.pai_gow.bot import sensible
from rules.games.pai_gow.match import match
from rules.games.pai_gow.open_tiles import open_tiles
from rules.games.pai_gow.play import PaiGowPlay, start
from rules.games.pai_gow.view import view
from rules.geometry import Seat
from rules.play import Held, Rules


def held(play: PaiGowPlay) -> Held:
    """The four tiles of each seat, set or not."""
    return tuple(hand.tiles for hand in play.hands)


def announced(full_play: PaiGowPlay, play: PaiGowPlay, action: Action) -> Action:
    """The action without faces if a hand is set face down and the table does not know it (4.2)."""
    if isinstance(action, SetHand) and not play.hands[action.seat].is_known:
        return SetHand(action.seat)
    return action


def catch_up(full_play: PaiGowPlay, play: PaiGowPlay, seat: Seat) -> Show:
    """Turns up the hand of the seat, or else the bank's, after all hands are set (4.2)."""
    closed = seat if play.hands[seat].split is None else play.banker
    split = full_play.hands[closed].split
    assert split is not None
    return Show(closed, split)


PAI_GOW_RULES = Rules(
    game="pai_gow",
    start=start,
    parse=parse,
    sensible=sensible,
    match=match,
    held=held,
    open_tiles=open_tiles,
    view=view,
    announced=announced,
    catch_up=catch_up,
    before_hand=before_hand,
)
