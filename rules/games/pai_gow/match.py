"""A pai gow match: the banker of each hand, and each player's winnings (4.3).

The bank is offered to the players in turn, and a player can decline it. A player keeps it for
`hands_as_bank` hands. If all players decline, the house takes it, provided that the house plays a
seat; otherwise the match is over.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from rules.errors import RulesError
from rules.games.pai_gow.cuts import HANDS
from rules.games.pai_gow.setup import Parameters
from rules.geometry import Seat, around
from rules.play import Amount, Finished


class FinishedWithBanker(Finished, Protocol):
    """The part of a finished hand that this match needs: also the seat that banked it (4.3)."""

    @property
    def banker(self) -> Seat: ...


@dataclass(frozen=True)
class PaiGowMatch:
    """The next banker, the seats that declined the bank, and the winnings.

    `dealer` is the seat that banks the next hand unless it declines. `declined` are the seats that
    declined since the last hand. `banked` is the number of hands in a row that the dealer has
    banked.
    """

    parameters: Parameters
    dealer: Seat
    scores: tuple[Amount, ...]
    declined: tuple[Seat, ...] = ()
    banked: int = 0
    over: bool = False

    @property
    def can_decline(self) -> bool:
        """Whether the dealer can decline the bank; not if all seats have already declined it."""
        all_declined = len(self.declined) == len(self.scores)
        return self.parameters.bank_may_be_declined and not self.over and not all_declined

    @property
    def is_offered(self) -> bool:
        """Whether the bank is offered to the dealer, who then takes or declines it.

        The house always takes the bank; a player keeps it for `hands_as_bank` hands.
        """
        is_house = self.dealer in self.parameters.house_seats
        return self.can_decline and not self.banked and not is_house

    @property
    def bankers(self) -> tuple[Seat, ...]:
        """The seats that can bank the next hand: the dealer, or those after seats that decline."""
        offered: tuple[Seat, ...] = ()
        match = self
        while not match.over:
            offered = (*offered, match.dealer)
            if not match.is_offered:
                break
            match = match.decline()
        return offered

    def decline(self) -> PaiGowMatch:
        """Returns the match with the bank offered to the next seat.

        Raises RulesError if the bank cannot be declined.
        """
        if not self.can_decline:
            raise RulesError(f"Seat {self.dealer} cannot decline the bank; it has to take it.")
        declined = (*self.declined, self.dealer)
        willing = [seat for seat in self._after(self.dealer) if seat not in declined]
        if willing:
            return replace(self, dealer=willing[0], declined=declined, banked=0)
        house = [seat for seat in self._after(self.dealer) if seat in self.parameters.house_seats]
        if house:
            return replace(self, dealer=house[0], declined=declined, banked=0)
        return replace(self, declined=declined, over=True)

    def after(self, play: FinishedWithBanker) -> PaiGowMatch:
        """Returns the match after a finished hand. Raises RulesError if the hand is not over."""
        if play.settlement is None:
            raise RulesError("The hand is not settled; finish it before the next bank is offered.")
        gains = play.settlement.balance()
        scores = tuple(score + gains.get(seat, 0) for seat, score in enumerate(self.scores))
        banked = self.banked + 1 if play.banker == self.dealer else 1
        keeps = banked < self.parameters.hands_as_bank
        return replace(
            self,
            dealer=play.banker if keeps else self._after(play.banker)[0],
            scores=scores,
            declined=(),
            banked=banked if keeps else 0,
        )

    def _after(self, seat: Seat) -> tuple[Seat, ...]:
        """Every seat in the order in which the bank is offered, this seat last."""
        ring = around(seat, HANDS, self.parameters.bank_direction)
        seated = tuple(other for other in ring if other < len(self.scores))
        return (*seated[1:], seated[0])


def match(
    parameters: Parameters | None = None, players: int = HANDS, dealer: Seat = 0
) -> PaiGowMatch:
    """Returns a match before its first hand; the bank is offered to `dealer` first."""
    if not (2 <= players <= HANDS and 0 <= dealer < players):
        raise RulesError(
            f"A match needs 2 to {HANDS} players and one of their seats as the bank, not {players}"
            f" players and seat {dealer}."
        )
    return PaiGowMatch(parameters or Parameters(), dealer, (0,) * players)


begin_match = match
"""The name of this function in every game's package."""
