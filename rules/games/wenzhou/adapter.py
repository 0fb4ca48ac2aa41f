"""The `Rules` of Wenzhou mahjong, for callers that select games by name."""

from __future__ import annotations

from typing import Final

from rules.games.wenzhou.actions import Draw, Pass, Show, WenzhouAction, Win, parse
from rules.games.wenzhou.bot import sensible
from rules.games.wenzhou.discard_check import is_fined
from rules.games.wenzhou.match import begin
from rules.games.wenzhou.play import WenzhouPlay, start
from rules.games.wenzhou.position import Stage
from rules.games.wenzhou.seats import before_hand, to_draw
from rules.games.wenzhou.setup import WENZHOU
from rules.games.wenzhou.view import view
from rules.geometry import Seat
from rules.play import Handed, Held, Rules
from rules.setup import Setup
from rules.steps import Packet, Replace
from rules.tiles import Face


def hands_over(setup: Setup, before: WenzhouPlay, after: WenzhouPlay) -> Handed:
    """The tile drawn; a kong's comes from the replacement end, if the house has one (W23)."""
    seat, place = before.position.turn, before.source
    if after.position.replaced > before.position.replaced and place is not None:
        return (Replace(seat, place),)
    if after.position.drawn > before.position.drawn and place is not None:
        return (Packet(seat, (place,)),)
    return ()


def held(play: WenzhouPlay) -> Held:
    """Concealed tiles, then the sets laid down, then a tile just added to one of them.

    That tile lies before its player until somebody robs the kong.
    """
    position = play.position
    return tuple(
        (
            *hand.tiles,
            *(face for meld in hand.melds for face in meld.faces),
            *((position.tile,) if (position.stage, position.turn) == (Stage.ROB, seat) else ()),
        )
        for seat, hand in enumerate(position.seats)
    )


def tells(truth: WenzhouPlay, play: WenzhouPlay, action: WenzhouAction) -> WenzhouAction:
    """Draws without their faces; a win with the tiles that it has to show."""
    match action:
        case Draw(seat):
            return Draw(seat)
        case Win(seat):
            return Win(seat, _to_show(truth, play, seat))
    return action


def follows(truth: WenzhouPlay, play: WenzhouPlay, seat: Seat) -> Pass | Show:
    """A seat without a claim passes; after the hand it shows the tiles that decide a payment."""
    if play.position.stage is not Stage.SHOW:
        return Pass(seat)
    if is_fined(play.position.deal.parameters):
        return Show(seat, tiles=_unseen_of(truth, play, seat))
    caishen = play.position.deal.caishen.face
    sees, seen = (each.position.seats[seat].tiles.count(caishen) for each in (truth, play))
    return Show(seat, sees - seen)


def _unseen_of(truth: WenzhouPlay, play: WenzhouPlay, seat: Seat) -> tuple[Face, ...]:
    return play.position.seats[seat].lacks(truth.position.seats[seat].known)


def _to_show(truth: WenzhouPlay, play: WenzhouPlay, seat: Seat) -> tuple[Face, ...]:
    """A winner's concealed tiles that the table has not seen, the one just drawn last.

    The table takes the last one for the one drawn (`claim_of`).
    """
    tiles = list(truth.position.seats[seat].known)
    drawn = truth.position.tile
    if truth.position.stage is Stage.ACT and drawn is not None:
        tiles.remove(drawn)
        tiles.append(drawn)
    for seen in play.position.seats[seat].known:
        tiles.remove(seen)
    return tuple(tiles)


WENZHOU_RULES: Final = Rules(
    game=WENZHOU.name,
    start=start,
    parse=parse,
    sensible=sensible,
    match=begin,
    held=held,
    view=view,
    hands_over=hands_over,
    tells=tells,
    follows=follows,
    before_hand=before_hand,
    to_draw=to_draw,
)
"""How Wenzhou mahjong is played, as one value."""
