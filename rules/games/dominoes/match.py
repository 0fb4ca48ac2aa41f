"""A domino match of several hands: scores to the target, the next dealer and setter (2.1, C5)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rules.errors import RulesError
from rules.games.dominoes.variants import Parameters
from rules.geometry import Seat, around
from rules.play import HOUSE, Finished


@dataclass(frozen=True, slots=True)
class DominoMatch:
    """The scores so far. `dealer` draws first, and sets if the right to set rotates (C5)."""

    parameters: Parameters
    scores: tuple[int, ...]
    dealer: Seat = 0
    hands: int = 0

    @property
    def over(self) -> bool:
        """Whether a player has reached the target (2.9)."""
        return max(self.scores) >= self.parameters.target

    @property
    def winner(self) -> Seat | None:
        """The seat with the highest score once the target is reached; None on a tie."""
        leaders = [seat for seat, score in enumerate(self.scores) if score == max(self.scores)]
        return leaders[0] if self.over and len(leaders) == 1 else None

    def after(self, play: Finished) -> DominoMatch:
        """Returns the match after a finished hand.

        The deal passes on in turn. At Bergen the next seat that did not win draws first (2.4).
        Raises RulesError for a hand that is not settled.
        """
        settlement = play.settlement
        if settlement is None:
            raise RulesError("The hand is not settled yet; finish it before it is counted.")
        gains = settlement.balance()
        gains.pop(HOUSE, None)
        scores = tuple(score + int(gains.get(seat, 0)) for seat, score in enumerate(self.scores))
        order = around(self.dealer, len(scores), self.parameters.turn)
        dealer = order[1]
        if self.parameters.setter == "bergen" and settlement.winner is not None:
            dealer = next(seat for seat in order if seat != settlement.winner)
        return replace(self, scores=scores, dealer=dealer, hands=self.hands + 1)


def begin_match(parameters: Parameters, players: int, dealer: Seat = 0) -> DominoMatch:
    """Returns a match before its first hand."""
    return DominoMatch(parameters, (0,) * players, dealer)
