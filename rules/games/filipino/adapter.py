"""The `Rules` of Filipino mahjong, for callers that select games by name."""

from __future__ import annotations

from typing import Final

from rules.games.filipino.actions import Act, face_under, parse
from rules.games.filipino.bot import sensible
from rules.games.filipino.hand import Meld
from rules.games.filipino.match import begin
from rules.games.filipino.play import FilipinoPlay, start
from rules.games.filipino.setup import answers
from rules.games.filipino.view import view
from rules.geometry import Seat
from rules.play import Handed, Held, Rules
from rules.setup import Setup
from rules.steps import Packet, Replace
from rules.tiles import Face


def hands_over(setup: Setup, before: FilipinoPlay, after: FilipinoPlay) -> Handed:
    """The tile drawn, or the one that replaces a flores or a kong's fourth tile (F20, F23)."""
    taken = after.table.taken[len(before.table.taken) :]
    if before.table.phase == "draw":
        return tuple(Packet(seat, (place,)) for seat, place in taken)
    return tuple(Replace(seat, place) for seat, place in taken)


def held(play: FilipinoPlay) -> Held:
    """Concealed tiles, then the sets laid down, then the flores; jokers by their own face."""
    return tuple(
        (
            *hand.concealed,
            *(None,) * hand.unknown,
            *(face for meld in hand.melds for face in _faces(meld, play.table.joker)),
            *hand.flores,
        )
        for hand in play.table.hands
    )


def tells(truth: FilipinoPlay, play: FilipinoPlay, act: Act) -> Act:
    """A secret kong stays covered (F23); a win shows the hand, unless the table knows it (F35)."""
    match act.verb:
        case "secret":
            covered = Act(act.seat, "secret")
            return covered if covered in play.legal_actions else act
        case "win" if play.table.hands[act.seat].unknown:
            return Act(act.seat, "win", _shown(truth, act.seat))
    return act


def follows(truth: FilipinoPlay, play: FilipinoPlay, seat: Seat) -> Act:
    """A seat without a claim passes."""
    return Act(seat, "pass")


def _faces(meld: Meld, joker: Face | None) -> tuple[Face | None, ...]:
    """The tiles that a set is made of; a set that nobody read has as many unseen ones."""
    if not meld.tiles:
        return (None,) * meld.size
    return tuple(face_under(tile, joker) for tile in meld.tiles)


def _shown(truth: FilipinoPlay, seat: Seat) -> tuple[Face, ...]:
    """A winner's concealed tiles; one that he drew comes last, for so the table knows it."""
    table = truth.table
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
    view=view,
    hands_over=hands_over,
    tells=tells,
    follows=follows,
    answers=answers,
)
"""How Filipino mahjong is played, as one value."""
