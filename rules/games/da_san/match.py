"""A Da San match: chips, and the dealer of the next hand (D1, D5, E10)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from rules.games.da_san.setup import SEATS, Parameters
from rules.geometry import Seat
from rules.play import Amount, IllegalActionError, Settlement


class Finished(Protocol):
    """Protocol of the finished hand that a match needs."""

    @property
    def settlement(self) -> Settlement | None: ...


@dataclass(frozen=True)
class DaSanMatch:
    """Chips by seat, and the dealer of the next hand.

    `cutting`: the first dealer is to be found first, by the cards that the players cut (D4).
    """

    parameters: Parameters
    scores: tuple[Amount, ...]
    dealer: Seat = 0
    cutting: bool = False

    @property
    def over(self) -> bool:
        """Whether somebody is out of chips and the house gives no credit (E10)."""
        return self.parameters.chips_out == "end" and min(self.scores) <= 0

    def after(self, play: Finished) -> DaSanMatch:
        """The match after a hand; who went out deals (D5). Raises IllegalAction if it goes on."""
        settled = play.settlement
        if settled is None or settled.winner is None:
            raise IllegalActionError("The hand is not over; the match goes on once it is settled.")
        gains = settled.balance()
        winner_deals = self.parameters.next_dealer == "winner"
        return replace(
            self,
            scores=tuple(score + gains.get(seat, 0) for seat, score in enumerate(self.scores)),
            dealer=settled.winner if winner_deals else (self.dealer + 1) % SEATS,
        )


def begin(
    parameters: Parameters | None = None, players: int = SEATS, dealer: Seat = 0
) -> DaSanMatch:
    """A match before its first hand; `to_draw` has the first dealer cut for (D4)."""
    chosen = parameters or Parameters()
    return DaSanMatch(chosen, (chosen.start_chips,) * players, dealer)


begin_match = begin
"""The same under the name that it has in every game."""
