"""A Wenzhou match: scores, the next dealer and the dealer's figure (W5, W32-W34)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

from rules.errors import RulesError
from rules.games.wenzhou.score import FALSE_WIN, Stakes
from rules.games.wenzhou.setup import SEATS, Parameters
from rules.geometry import Seat
from rules.play import Amount, Finished, Settlement


class FinishedWithKongs(Finished, Protocol):
    """The part of a finished hand that this match needs: also the number of kongs (W34)."""

    @property
    def kongs(self) -> int: ...


@dataclass(frozen=True)
class WenzhouMatch:
    """The state of a match before a hand; a match has no fixed end.

    `streak` is the number of this hand in the dealer's row of hands. `reseating` is true if the
    seats are drawn again before the hand (W33, `after_fourth = reseat`); `seated` applies the draw.
    """

    parameters: Parameters = field(default_factory=Parameters)
    dealer: Seat = 0
    streak: int = 1
    scores: tuple[Amount, ...] = (0,) * SEATS
    hands: int = 0
    reseating: bool = False

    @property
    def over(self) -> bool:
        return False

    @property
    def stakes(self) -> Stakes:
        """The stakes of the next hand."""
        return Stakes(self.dealer, self.streak, self.parameters)

    def after(self, play: FinishedWithKongs) -> WenzhouMatch:
        """Returns the match after a finished hand. Raises RulesError if the hand is not over."""
        if play.settlement is None:
            raise RulesError("The hand is not over; finish it before it is added to the match.")
        return self.settled(play.settlement, kongs=play.kongs)

    def settled(self, settlement: Settlement, *, kongs: int = 0) -> WenzhouMatch:
        """Returns the match after a hand with this settlement and number of kongs of all seats.

        A hand that ended with a false win is played again with the same dealer (W36).
        """
        if settlement.name == FALSE_WIN:
            return self.penalised(settlement)
        paid = self._paid(settlement)
        last = self.streak >= len(self.parameters.dealer_scale)
        if settlement.winner is None and not kongs:
            return paid
        if settlement.winner == self.dealer and not last:
            return replace(paid, streak=self.streak + 1)
        passed = replace(paid, dealer=(self.dealer + 1) % SEATS, streak=1)
        if settlement.winner == self.dealer and self.parameters.after_fourth == "reseat":
            return replace(passed, reseating=True)
        return passed

    def penalised(self, settlement: Settlement) -> WenzhouMatch:
        """Returns the match after a penalty; the dealer stays and the hand does not count."""
        return replace(self._paid(settlement), hands=self.hands)

    def seated(self, dealer: Seat, moves: tuple[Seat, ...] = tuple(range(SEATS))) -> WenzhouMatch:
        """Returns the match after a draw for seats: EAST deals, with the first figure (W2, W5).

        The player of each seat moves to `moves[seat]` and keeps his score.
        """
        scores = tuple(self.scores[moves.index(seat)] for seat in range(len(moves)))
        return replace(self, dealer=dealer, streak=1, scores=scores, reseating=False)

    def _paid(self, settlement: Settlement) -> WenzhouMatch:
        gains = settlement.balance()
        scores = tuple(score + gains.get(seat, 0) for seat, score in enumerate(self.scores))
        return replace(self, scores=scores, hands=self.hands + 1)


def begin(
    parameters: Parameters | None = None, players: int = SEATS, dealer: Seat = 0
) -> WenzhouMatch:
    """Returns a match before its first hand; `to_draw` adds a draw for seats (W2)."""
    return WenzhouMatch(parameters or Parameters(), dealer, scores=(0,) * players)


begin_match = begin
"""The name of this function in every game's package."""
