"""A domino match of several hands: scores to the target, the next dealer and setter (2.1, C5)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rules.errors import RulesError
from rules.games.dominoes.play import DominoPlay
from rules.games.dominoes.variants import Parameters
from rules.geometry import Seat, around
from rules.play import HOUSE


@dataclass(frozen=True, slots=True)
class DominoMatch:
    """The scores so far. `dealer` draws first; where the right to set rotates, he sets (C5)."""

    parameters: Parameters
    scores: tuple[int, ...]
    dealer: Seat = 0
    hands: int = 0

    @property
    def over(self) -> bool:
        """Whether somebody has reached the target (2.9)."""
        return max(self.scores) >= self.parameters.target

    @property
    def winner(self) -> Seat | None:
        """Who has won the game: the highest score, once the target is reached."""
        leaders = [seat for seat, score in enumerate(self.scores) if score == max(self.scores)]
        return leaders[0] if self.over and len(leaders) == 1 else None

    def after(self, play: DominoPlay) -> DominoMatch:
        """The match after a finished hand.

        The deal passes on in turn; at Bergen the loser of a hand draws first in the next (2.4).
        Raises RulesError for a hand that is not settled.
        """
        settlement = play.settlement
        if settlement is None:
            raise RulesError("The hand is not settled yet; play it out, then count it.")
        gains = settlement.balance()
        gains.pop(HOUSE, None)
        scores = tuple(score + int(gains.get(seat, 0)) for seat, score in enumerate(self.scores))
        order = around(self.dealer, len(scores), self.parameters.turn)
        dealer = order[1]
        if self.parameters.setter == "bergen" and settlement.winner is not None:
            dealer = next(seat for seat in order if seat != settlement.winner)
        return replace(self, scores=scores, dealer=dealer, hands=self.hands + 1)


def begin_match(parameters: Parameters, players: int, dealer: Seat = 0) -> DominoMatch:
    """A match before its first hand."""
    return DominoMatch(parameters, (0,) * players, dealer)
