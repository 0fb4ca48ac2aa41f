"""A simulated domino player: chooses by its own tiles and the open ends."""

from __future__ import annotations

from rules.games.dominoes.actions import Call, DominoAction, Draw, Go, Lay
from rules.games.dominoes.play import DominoPlay
from rules.games.dominoes.score import header_scores, open_ends_score
from rules.games.dominoes.setup import is_doublet, is_matador, pips
from rules.geometry import Seat
from rules.play import IllegalActionError

KEEP_A_MATADOR = 8
"""The value, in pips, of keeping a matador in hand: only a matador fits a blank end (2.8)."""


def sensible(play: DominoPlay, seat: Seat) -> DominoAction:
    """Returns the action of this player as `seat`.

    It calls points whenever it can. It lays the tile with the highest score, then with the most
    pips and the most tiles in hand that can follow. It draws rather than goes. Raises
    IllegalActionError if the seat cannot act.
    """
    offered = [action for action in play.legal_actions if action.seat == seat]
    calls = [action for action in offered if isinstance(action, Call)]
    if calls:
        return calls[0]
    lays = [action for action in offered if isinstance(action, Lay)]
    if lays:
        return max(lays, key=lambda lay: _worth(play, lay))
    for action in offered:
        if isinstance(action, Draw):
            return action
    for action in offered:
        if isinstance(action, Go):
            return action
    if offered:
        return offered[0]
    raise IllegalActionError(f"Seat {seat} cannot act now; {_seats(play.to_act)} can.")


def _worth(play: DominoPlay, lay: Lay) -> tuple[int, int]:
    """The points at once; then pips, with a bonus for doublets and for tiles that can follow."""
    tableau = play.tableau[lay]
    at_once = open_ends_score(tableau) + sum(
        score.points for score in header_scores(play.tableau, lay, tableau)
    )
    follows = sum(tile in tableau.lays[lay.seat] for tile in play.hands[lay.seat])
    kept = play.parameters.join == "seven" and is_matador(lay.tile)
    worth = pips(lay.tile) + 3 * is_doublet(lay.tile) + 2 * follows - KEEP_A_MATADOR * kept
    return at_once, worth


def _seats(seats: tuple[Seat, ...]) -> str:
    return " and ".join(f"seat {seat}" for seat in seats) or "no seat"
