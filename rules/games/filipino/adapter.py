"""The `Rules` of Filipino mahjong, for callers that select games by name."""

from __future__ import annotations

from typing import Final

from rules.games.filipino.actions import Act, parse
from rules.games.filipino.bot import sensible
from rules.games.filipino.match import begin
from rules.games.filipino.play import FilipinoPlay, start
from rules.games.filipino.position.open_tiles import OPEN_TILES, faces_of_meld
from rules.games.filipino.position.view import view
from rules.games.filipino.setup import answers
from rules.geometry import Seat
from rules.play import Handed, Held, Rules
from rules.setup import Setup
from rules.steps import Packet, Replace
from rules.tiles import Face


def hands_over(setup: Setup, before: FilipinoPlay, after: FilipinoPlay) -> Handed:
    """The tile drawn, or the replacement for a flores or the fourth tile of a kong (F20, F23)."""
    taken = after.table.taken[len(before.table.taken) :]
    if before.table.phase == "draw":
        return tuple(Packet(seat, (place,)) for seat, place in taken)
    return tuple(Replace(seat, place) for seat, place in taken)


def held(play: FilipinoPlay) -> Held:
    """The concealed tiles, the sets laid down, then the flores; jokers by their own face."""
    return tuple(
        (
            *hand.concealed,
            *(None,) * hand.unknown,
            *(face for meld in hand.melds for face in faces_of_meld(meld, play.table.joker)),
            *hand.flores,
        )
        for hand in play.table.hands
    )


def announced(full_play: FilipinoPlay, play: FilipinoPlay, act: Act) -> Act:
    """The action as the table receives it.

    A secret kong names no tiles (F23). A win shows the hand if the table does not know it (F35).
    """
    match act.verb:
        case "secret":
            covered = Act(act.seat, "secret")
            return covered if covered in play.legal_actions else act
        case "win" if play.table.hands[act.seat].unknown:
            return Act(act.seat, "win", _shown(full_play, act.seat))
    return act


def catch_up(full_play: FilipinoPlay, play: FilipinoPlay, seat: Seat) -> Act:
    """A pass: the seat has no claim."""
    return Act(seat, "pass")


def _shown(full_play: FilipinoPlay, seat: Seat) -> tuple[Face, ...]:
    """A winner's concealed tiles; a drawn winning tile is last, which identifies it."""
    table = full_play.table
    tiles = list(table.hands[seat].concealed)
    if table.offer is None and table.drawn is not None:
        tiles.remove(table.drawn)
        tiles.append(table.drawn)
    return tuple(tiles)


FILIPINO_RULES: Final = Rules(
    game="filipino",
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
    answers=answers,
)
"""The rules of play of Filipino mahjong."""
