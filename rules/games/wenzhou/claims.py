"""Priority of claims on one tile: win (a double first), then pong or kong, then chow (W26-W28)."""

from __future__ import annotations

from rules.games.wenzhou.actions import Chow, Kong, Pong, Win
from rules.games.wenzhou.hand import DOUBLE, NoWin
from rules.games.wenzhou.laid_open import win_of
from rules.games.wenzhou.position import Position
from rules.games.wenzhou.setup import SEATS


def strongest(position: Position) -> Win | Pong | Kong | Chow | None:
    """The one claim that counts among the answers to a tile, or None if all have passed.

    There is one winner: the nearest in turn after him who put the tile there (W26); but a double
    win comes before any other, and the nearest among doubles (W27, E18).
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
