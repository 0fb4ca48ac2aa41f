"""Priority of claims on one tile: win, then kong and pong, then chow (F22, F24)."""

from __future__ import annotations

from collections.abc import Iterable

from rules.games.filipino.actions import Act, Verb
from rules.games.filipino.parameters import SEATS, Parameters
from rules.geometry import Seat, clockwise, counter_clockwise

RANKS: dict[Verb, int] = {"win": 0, "kong": 1, "pong": 1, "chow": 2}


def decided(answers: Iterable[Act], by: Seat, house: Parameters) -> Act | None:
    """The claim that is granted on the tile of seat `by`; None if everybody passed.

    Of several wins the seat's upper seat has the first claim, then the one opposite, or the next
    in turn where the house plays so (F33, A2). With jokers two may pong the same tile: the next in
    turn has it.
    """
    claims = [answer for answer in answers if answer.verb in RANKS]
    return min(
        claims,
        key=lambda claim: (RANKS[claim.verb], _order(claim, by, house).index(claim.seat)),
        default=None,
    )


def _order(claim: Act, by: Seat, house: Parameters) -> tuple[Seat, ...]:
    if claim.verb == "win" and house.multi_win == "upper_seat_first":
        return clockwise(by, SEATS)
    return counter_clockwise(by, SEATS)
