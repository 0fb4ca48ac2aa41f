"""Priority of claims on one tile: win, then kong and pong, then chow (F22, F24)."""

from __future__ import annotations

from collections.abc import Iterable

from rules.games.filipino.actions import Act, Verb
from rules.games.filipino.parameters import SEATS, Parameters
from rules.geometry import Seat, clockwise, counter_clockwise

RANKS: dict[Verb, int] = {"win": 0, "kong": 1, "pong": 1, "chow": 2}


def granted_claim(answers: Iterable[Act], by: Seat, house: Parameters) -> Act | None:
    """The claim that is granted on the tile of seat `by`; None if all seats passed.

    Of several wins, that of the upper seat of `by` comes first, then that of the opposite seat; or
    the next in turn, depending on the house (F33, A2). With jokers, two seats can pong the same
    tile; the next in turn gets it.
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
