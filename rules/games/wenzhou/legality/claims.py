"""Priority of claims on one tile: win (a double first), then pong or kong, then chow (W26-W28)."""

from __future__ import annotations

from rules.games.wenzhou.actions import Chow, Kong, Pong, Win
from rules.games.wenzhou.judging.win_claim import win_of
from rules.games.wenzhou.position.state import Position
from rules.games.wenzhou.setup import SEATS
from rules.games.wenzhou.wins.hand import DOUBLE, NoWin


def granted_claim(position: Position) -> Win | Pong | Kong | Chow | None:
    """The claim that is granted among the answers to a tile, or None if all seats have passed.

    Of several wins only one counts: the nearest in turn after the seat that offered the tile (W26).
    A double win comes before any other, and the nearest of several doubles first (W27, E18).
    """
    claims = [claim for claim in position.answers if isinstance(claim, Win | Pong | Kong | Chow)]
    return min(claims, key=lambda claim: _rank(position, claim), default=None)


def _rank(position: Position, claim: Win | Pong | Kong | Chow) -> tuple[int, int]:
    distance = (claim.seat - position.turn) % SEATS
    match claim:
        case Win(seat, shows):
            win = win_of(position, seat, shows)
            double = not isinstance(win, NoWin) and win.multiplier == DOUBLE
            return (0 if double else 1), distance
        case Pong() | Kong():
            return 2, distance
    return 3, distance
