"""A match of High Bone: the scores over several hands, and who deals next."""

from __future__ import annotations

from dataclasses import dataclass, replace

from high_bone.setup import Parameters
from rules.errors import RulesError
from rules.geometry import Seat, around
from rules.play import Amount, Finished


@dataclass(frozen=True)
class HighBoneMatch:
    """The scores by seat, and the dealer. A match has no fixed number of hands."""

    scores: tuple[Amount, ...]
    dealer: Seat = 0
    over: bool = False

    def after(self, play: Finished) -> HighBoneMatch:
        """Return the match after a finished hand. Raises RulesError if tiles are left to lay.

        The hand was followed, or it follows from a winner and points that people have reported.
        """
        if play.settlement is None:
            raise RulesError("The hand is not over; lay the tiles that are left.")
        gains = play.settlement.balance()
        scores = tuple(score + gains.get(seat, 0) for seat, score in enumerate(self.scores))
        return replace(self, scores=scores, dealer=around(self.dealer, len(scores), "clockwise")[1])


def begin(parameters: Parameters, players: int, dealer: Seat = 0) -> HighBoneMatch:
    """Return a match before its first hand."""
    return HighBoneMatch((0,) * players, dealer)
