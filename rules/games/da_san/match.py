"""A Da San match: chips, and the dealer of the next hand (D1, D5, E10)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rules.games.da_san.setup import SEATS, Parameters
from rules.geometry import Seat
from rules.play import Amount, Finished, IllegalActionError


@dataclass(frozen=True)
class DaSanMatch:
    """Chips by seat, and the dealer of the next hand.

    `cutting` is true if the players still have to cut cards for the first deal (D4).
    """

    parameters: Parameters
    scores: tuple[Amount, ...]
    dealer: Seat = 0
    cutting: bool = False

    @property
    def over(self) -> bool:
        """Whether a player is out of chips and the house gives no credit (E10)."""
        return self.parameters.chips_out == "end" and min(self.scores) <= 0

    def after(self, play: Finished) -> DaSanMatch:
        """Returns the match after a finished hand; the seat that went out deals next (D5).

        The dealer changes otherwise if `next_dealer` says so. Raises IllegalActionError for a hand
        that is not over.
        """
        settled = play.settlement
        if settled is None or settled.winner is None:
            raise IllegalActionError(
                "The hand is not over; finish it before it is added to the match."
            )
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
    """Returns a match before its first hand; `to_draw` adds the cut for the first deal (D4)."""
    chosen = parameters or Parameters()
    return DaSanMatch(chosen, (chosen.start_chips,) * players, dealer)


begin_match = begin
"""The name of this function in every game's package."""
