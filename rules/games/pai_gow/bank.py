"""The offer of the bank before a hand: the player whose turn it is takes or declines it (4.3)."""

from __future__ import annotations

from typing import Final

from rules.games.pai_gow.match import PaiGowMatch
from rules.play import Drawing, Reseated
from rules.setup import choose

QUESTION: Final = "bank"
TAKE: Final = "take"
DECLINE: Final = "decline"


def before_hand(match: PaiGowMatch) -> Drawing | None:
    """How the bank is offered; None if its holder keeps it, or if nobody may decline it here."""
    return _offering(match) if _is_offered(match) else None


def _offering(match: PaiGowMatch) -> Drawing:
    while _is_offered(match):
        answer = yield from choose(match.dealer, QUESTION, (TAKE, DECLINE), TAKE)
        if answer == TAKE:
            break
        match = match.decline()
    return Reseated((), match)


def _is_offered(match: PaiGowMatch) -> bool:
    """The house takes the bank without being asked; a player keeps it for `hands_as_bank` hands."""
    is_house = match.dealer in match.parameters.house_seats
    return match.may_decline and not match.banked and not is_house
