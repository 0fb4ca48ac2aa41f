"""The `Rules` of Wenzhou mahjong, for callers that select games by name."""

from __future__ import annotations

from typing import Final

from rules.games.wenzhou.actions import Draw, Pass, Show, WenzhouAction, Win, parse
from rules.games.wenzhou.bot import sensible
from rules.games.wenzhou.discards.discard_check import is_fined
from rules.games.wenzhou.match import begin
from rules.games.wenzhou.play import WenzhouPlay, start
from rules.games.wenzhou.position.open_tiles import OPEN_TILES
from rules.games.wenzhou.position.state import Stage
from rules.games.wenzhou.position.view import view
from rules.games.wenzhou.seats import before_hand, to_draw
from rules.games.wenzhou.setup import WENZHOU
from rules.geometry import Seat
from rules.play import Handed, Held, Rules
from rules.setup import Setup
from rules.steps import Packet, Replace
from rules.tiles import Face


def hands_over(setup: Setup, before: WenzhouPlay, after: WenzhouPlay) -> Handed:
    """The tile drawn, from the replacement end for a kong if the house has one (W23)."""
    seat, place = before.position.turn, before.source
    if after.position.replaced > before.position.replaced and place is not None:
        return (Replace(seat, place),)
    if after.position.drawn > before.position.drawn and place is not None:
        return (Packet(seat, (place,)),)
    return ()


def held(play: WenzhouPlay) -> Held:
    """The concealed tiles, the sets laid down, then a tile just added to one of them.

    The added tile belongs to its player until another seat robs the kong.
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


def announced(full_play: WenzhouPlay, play: WenzhouPlay, action: WenzhouAction) -> WenzhouAction:
    """The action as the table receives it: a draw without a face, a win with the tiles to show."""
    match action:
        case Draw(seat):
            return Draw(seat)
        case Win(seat):
            return Win(seat, _tiles_to_show(full_play, play, seat))
    return action


def catch_up(full_play: WenzhouPlay, play: WenzhouPlay, seat: Seat) -> Pass | Show:
    """A pass, or after the hand the tiles that decide a payment."""
    if play.position.stage is not Stage.SHOW:
        return Pass(seat)
    if is_fined(play.position.deal.parameters):
        return Show(seat, tiles=_unseen_of(full_play, play, seat))
    caishen = play.position.deal.caishen.face
    held, seen = (each.position.seats[seat].tiles.count(caishen) for each in (full_play, play))
    return Show(seat, held - seen)


def _unseen_of(full_play: WenzhouPlay, play: WenzhouPlay, seat: Seat) -> tuple[Face, ...]:
    return play.position.seats[seat].lacks(full_play.position.seats[seat].known)


def _tiles_to_show(full_play: WenzhouPlay, play: WenzhouPlay, seat: Seat) -> tuple[Face, ...]:
    """A winner's concealed tiles that the table has not seen, the drawn tile last.

    The table assumes that the last tile is the drawn one (`claim_of`).
    """
    tiles = list(full_play.position.seats[seat].known)
    drawn = full_play.position.tile
    if full_play.position.stage is Stage.ACT and drawn is not None:
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
    open_tiles=OPEN_TILES,
    mixes_discards=lambda house: bool(house.discards == "mixed"),
    view=view,
    hands_over=hands_over,
    announced=announced,
    catch_up=catch_up,
    declarations=("win", "false win"),
    before_hand=before_hand,
    to_draw=to_draw,
)
"""The rules of play of Wenzhou mahjong."""
