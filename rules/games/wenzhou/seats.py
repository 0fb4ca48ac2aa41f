"""Draws seats before the first hand, or again between two hands (W2, W33).

Two throws name the EAST seat and the player who takes the first of the four winds. The wind tiles
themselves may be in the machine with their set, so dice draw the winds too: each face says which of
the winds that are left goes to the next seat, and every order is as likely.
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
    """The match whose seats are drawn before its next hand (W2)."""
    return replace(match, reseating=True)


def before_hand(match: WenzhouMatch) -> Drawing | None:
    """How the seats are drawn before the next hand; None if they stay as they are."""
    return _drawing(match) if match.reseating else None


def _drawing(match: WenzhouMatch) -> Drawing:
    """Asks which player is the eldest; that player throws, and the winds are drawn."""
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
    """Each seat's wind (0 is EAST, then counter-clockwise) as four faces draw them.

    Odd or even of the first two dice chooses one of four, the third one of three, the fourth one
    of two; the last wind is left over.
    """
    one, two, three, four = (face - 1 for face in dice)
    left = list(range(SEATS))
    takes = (one % 2 * 2 + two % 2, three % 3, four % 2, 0)
    winds = [left.pop(take) for take in takes]
    drawn = dict(zip(counter_clockwise(taker, SEATS), winds, strict=True))
    return tuple(drawn[seat] for seat in range(SEATS))
