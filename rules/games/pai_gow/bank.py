"""The offer of the bank before a hand: the player on turn takes or declines it (4.3)."""

from __future__ import annotations

from typing import Final

from rules.games.pai_gow.match import PaiGowMatch
from rules.play import Drawing, Reseated
from rules.setup import choose

QUESTION: Final = "bank"
TAKE: Final = "take"
DECLINE: Final = "decline"


def before_hand(match: PaiGowMatch) -> Drawing | None:
    """The script of the offer; None if the holder keeps the bank or no player can decline it."""
    return _offering(match) if _is_offered(match) else None


def _offering(match: PaiGowMatch) -> Drawing:
    while _is_offered(match):
        answer = yield from choose(match.dealer, QUESTION, (TAKE, DECLINE), TAKE)
        if answer == TAKE:
            break
        match = match.decline()
    return Reseated((), match)


def _is_offered(match: PaiGowMatch) -> bool:
    """Whether the bank is offered to the dealer.

    The house always takes the bank; a player keeps it for `hands_as_bank` hands.
    """
    is_house = match.dealer in match.parameters.house_seats
    return match.can_decline and not match.banked and not is_house
