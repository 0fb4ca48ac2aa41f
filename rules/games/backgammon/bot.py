"""A simulated backgammon player: hits, makes points, avoids blots, races if ahead, doubles."""

from __future__ import annotations

from rules.dice import Dice
from rules.games.backgammon.actions import Action, Cube, Roll
from rules.games.backgammon.board import BAR, BackgammonBoard, Mask, Men, held, made, mirrored
from rules.games.backgammon.moves import HOME, played
from rules.games.backgammon.play import BackgammonPlay
from rules.geometry import Seat

DOUBLE_AHEAD = 0.09
"""The player doubles if its lead in pips is more than this share of the opponent's pips."""
DROP_BEHIND = 0.13
"""The player drops if the opponent's lead is more than this share of the player's own pips."""
HOME_POINTS: Mask = (1 << 4 * (HOME + 1)) - 1


def sensible(play: BackgammonPlay, seat: Seat, dice: Dice | None = None) -> Action:
    """Returns the action of this player as `seat`, whose turn it is.

    `dice` are the faces of the next throw, if the table throws. Without `dice` the player enters
    all throws one after another in a fixed order, so that a simulated game can proceed.
    """
    if play.offer is not None:
        behind = _lead(play.board, 1 - seat)
        return Cube(seat, "drop" if behind > DROP_BEHIND else "take")
    if play.dice is None:
        double = Cube(seat, "double")
        if _lead(play.board, seat) > DOUBLE_AHEAD and double in play.legal_actions:
            return double
        return Roll(seat, dice or (play.throws * 5 % 6 + 1, play.throws // 6 % 6 + 1))
    best = max(play.options, key=lambda option: _value(played(play.board, seat, option), seat))
    return play.move(best)


def _lead(board: BackgammonBoard, seat: Seat) -> float:
    """A seat's lead in pips, as a share of the opponent's pips."""
    other = board.pips(1 - seat)
    return (other - board.pips(seat)) / other if other else 0.0


def _value(board: BackgammonBoard, seat: Seat) -> float:
    """The value of a board for a seat that has just moved; the weights are this player's own."""
    own, other = board[seat], board[1 - seat]
    value = board.pips(1 - seat) - board.pips(seat) + 4.0 * (own & 15)
    if _rearmost(own) + _rearmost(other) <= BAR:
        return value
    enemy, strong = mirrored(other), made(own)
    home = (strong & HOME_POINTS).bit_count()
    value -= sum(_risk(point, enemy) for point in _numbers(held(own) & ~strong))
    return value + 2.0 * strong.bit_count() + home * (4.0 + 6.0 * (other >> 4 * BAR))


def _rearmost(men: Men) -> int:
    return (men.bit_length() - 1) // 4


def _risk(point: int, enemy: Men) -> float:
    """The expected loss of a blot on a point: the pips it has moved, weighted by shots of 36."""
    if point == BAR:
        return 0.0
    behind = held(enemy) & (1 << 4 * point) - 1
    shots = sum(
        11 + away if away <= HOME else 3
        for away in (point - aiming for aiming in _numbers(behind))
        if away <= 2 * HOME
    )
    return (BAR - point) * min(shots, 30) / 36


def _numbers(points: Mask) -> list[int]:
    return [point for point in range(BAR + 1) if points >> 4 * point & 1]
