"""A Filipino mahjong match: scores, chips, and the next roller (F5, F34, F36, F37)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

from rules.errors import RulesError
from rules.games.filipino.parameters import SEATS, Parameters
from rules.geometry import Seat
from rules.play import Amount, Finished


class FinishedWithChips(Finished, Protocol):
    """The part of a finished hand that this match needs: also the chips of each seat (F34)."""

    @property
    def chips(self) -> tuple[int, ...]: ...


@dataclass(frozen=True, slots=True)
class FilipinoMatch:
    """A match, which has no fixed end (F36); `dealer` is the roller of the next set-up (F5)."""

    parameters: Parameters = field(default_factory=Parameters)
    dealer: Seat = 0
    scores: tuple[Amount, ...] = (0,) * SEATS
    chips: tuple[int, ...] = (0,) * SEATS
    hands: int = 0

    @property
    def over(self) -> bool:
        """Always false: a match has no fixed end (F36)."""
        return False

    def after(self, play: FinishedWithChips) -> FilipinoMatch:
        """Returns the match after a finished hand.

        The winner throws next; without a winner the same roller throws again (F5, F37). Raises
        RulesError for a hand that is not over.
        """
        settlement = play.settlement
        if settlement is None:
            raise RulesError("The hand is not over; finish it before it is added to the match.")
        gains = settlement.balance()
        return replace(
            self,
            dealer=self.dealer if settlement.winner is None else settlement.winner,
            scores=tuple(score + gains.get(seat, 0) for seat, score in enumerate(self.scores)),
            chips=play.chips,
            hands=self.hands + 1,
        )


def begin(
    parameters: Parameters | None = None, players: int = SEATS, dealer: Seat = 0
) -> FilipinoMatch:
    """Returns a match before its first hand."""
    return FilipinoMatch(parameters or Parameters(), dealer, (0,) * players, (0,) * players)


begin_match = begin
"""The name of this function in every game's package."""
