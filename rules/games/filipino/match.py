"""A Filipino mahjong match: scores, chips, and the next roller (F5, F34, F36, F37)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rules.errors import RulesError
from rules.games.filipino.parameters import SEATS, Parameters
from rules.geometry import Seat
from rules.play import Amount, Settlement


class FinishedHand(Protocol):
    """Protocol of the finished hand that a match needs."""

    @property
    def settlement(self) -> Settlement | None: ...

    @property
    def chips(self) -> tuple[int, ...]: ...


@dataclass(frozen=True, slots=True)
class FilipinoMatch:
    """Hands without a fixed end (F36). `dealer` is who throws for mano in the next set-up (F5)."""

    dealer: Seat = 0
    scores: tuple[Amount, ...] = (0,) * SEATS
    chips: tuple[int, ...] = (0,) * SEATS
    hands: int = 0

    @property
    def over(self) -> bool:
        """Always false: a match has no fixed end (F36)."""
        return False

    def after(self, play: FinishedHand) -> FilipinoMatch:
        """The match after a finished hand: its winner throws next, or the same roller (F5, F37).

        Raises RulesError while the hand is still played.
        """
        settlement = play.settlement
        if settlement is None:
            raise RulesError("The hand is still played; a match goes on after its settlement.")
        gains = settlement.balance()
        return FilipinoMatch(
            dealer=self.dealer if settlement.winner is None else settlement.winner,
            scores=tuple(score + gains.get(seat, 0) for seat, score in enumerate(self.scores)),
            chips=play.chips,
            hands=self.hands + 1,
        )


def begin(
    parameters: Parameters | None = None, players: int = SEATS, dealer: Seat = 0
) -> FilipinoMatch:
    """A match before its first hand; no house's parameters change how hands follow each other."""
    return FilipinoMatch(dealer, (0,) * players, (0,) * players)


begin_match = begin
"""The same under the name that it has in every game."""
