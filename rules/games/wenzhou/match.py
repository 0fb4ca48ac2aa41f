"""A Wenzhou match: scores, the next dealer and the dealer's figure (W5, W32-W34)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rules.errors import RulesError
from rules.games.wenzhou.parameters import Parameters
from rules.games.wenzhou.score import FALSE_WIN, Stakes
from rules.games.wenzhou.setup import SEATS
from rules.geometry import Seat
from rules.play import Amount, Settlement


@dataclass(frozen=True)
class WenzhouMatch:
    """The match before a hand. It has no fixed end.

    `streak` is the number of the dealer's hand in a row. `reseating`: the seats are to be drawn
    anew first (W33, `after_fourth = reseat`); `seated` goes on from there.
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
        """What the next hand is played for."""
        return Stakes(self.dealer, self.streak, self.parameters)

    def after(self, play: object) -> WenzhouMatch:
        """The match after a finished play; raises RulesError for one that goes on."""
        settlement = getattr(play, "settlement", None)
        if not isinstance(settlement, Settlement):
            raise RulesError("The hand is not over; a match goes on after its settlement.")
        return self.settled(settlement, kongs=getattr(play, "kongs", 0))

    def settled(self, settlement: Settlement, *, kongs: int = 0) -> WenzhouMatch:
        """The match after a hand that ended so, with so many kongs by anyone.

        A hand that a false win has ended is played again by the same dealer (W36).
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
        """The match after a penalty; the hand is played again or goes on, the dealer stays."""
        return replace(self._paid(settlement), hands=self.hands)

    def seated(self, dealer: Seat, moves: tuple[Seat, ...] = tuple(range(SEATS))) -> WenzhouMatch:
        """The match after the seats were drawn: EAST deals, from the first figure (W2, W5).

        Who sat at a seat sits at `moves[seat]` from now on, and his score goes with him.
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
    """A match before its first hand; the seats are drawn before it (W2, `draw_seats`)."""
    return WenzhouMatch(parameters or Parameters(), dealer, scores=(0,) * players)


begin_match = begin
"""The same under the name that it has in every game."""
