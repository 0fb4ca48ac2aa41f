"""Draws seats before the first hand, or again between two hands (W2, W33).

Two throws decide the EAST seat and the player who takes the first of the four winds. The wind tiles
can be inside the machine, so the winds are drawn with dice too: each face decides which of the
remaining winds goes to the next seat. Every order of the winds is equally likely.
"""

from __future__ import annotations

from dataclasses import replace

from rules.dice import Dice
from rules.games.wenzhou.match import WenzhouMatch
from rules.games.wenzhou.setup import SEATS, draw_seats, east_seat
from rules.geometry import Seat, counter_clockwise
from rules.play import Drawing, Reseated
from rules.setup import choose, throw

EAST_THROW = "throw for the east seat"
FIRST_THROW = "throw for the first wind"
WINDS_THROW = "draw of the winds"


def to_draw(match: WenzhouMatch) -> WenzhouMatch:
    """Returns the match with a draw for seats before its next hand (W2)."""
    return replace(match, reseating=True)


def before_hand(match: WenzhouMatch) -> Drawing | None:
    """The script of the draw for seats before the next hand; None if the seats stay."""
    return _drawing(match) if match.reseating else None


def _drawing(match: WenzhouMatch) -> Drawing:
    """The script: asks for the eldest player, who throws; then the winds are drawn."""
    parameters = match.parameters
    eldest = yield from choose(match.dealer, "eldest", range(SEATS), match.dealer)
    first = sum((yield from throw(eldest, 2, EAST_THROW)))
    _, again = east_seat(eldest, first, parameters)
    second = sum((yield from throw(again, 2, FIRST_THROW)))
    east, taker = draw_seats(eldest, first, second, parameters)
    winds = winds_drawn(taker, (yield from throw(taker, 2, WINDS_THROW, times=2)))
    moves = tuple((east + wind) % SEATS for wind in winds)
    return Reseated(moves, match.seated(east, moves))


def winds_drawn(taker: Seat, dice: Dice) -> tuple[int, ...]:
    """The wind of each seat (0 is EAST, then counter-clockwise), drawn with four dice.

    The parities of the first two dice choose one of four winds, the third die one of three, the
    fourth die one of two; the last seat gets the remaining wind.
    """
    one, two, three, four = (face - 1 for face in dice)
    left = list(range(SEATS))
    takes = (one % 2 * 2 + two % 2, three % 3, four % 2, 0)
    winds = [left.pop(take) for take in takes]
    drawn = dict(zip(counter_clockwise(taker, SEATS), winds, strict=True))
    return tuple(drawn[seat] for seat in range(SEATS))
