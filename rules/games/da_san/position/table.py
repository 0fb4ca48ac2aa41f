"""A round of card play (D13, D14): the combination to beat, and the seats that passed on it."""

from __future__ import annotations

from dataclasses import dataclass

from rules.games.da_san.position.cards import Cards, Form
from rules.games.da_san.setup import SEATS
from rules.geometry import Seat


@dataclass(frozen=True, slots=True)
class Round:
    """The cards on the table: `best` of seat `by`, all `cards` of the round, `passes` since then.

    `locked` are the seats that cannot play again in this round, in houses with that rule.
    """

    turn: Seat
    by: Seat | None = None
    best: Form | None = None
    cards: Cards = 0
    passes: int = 0
    locked: tuple[Seat, ...] = ()

    def laid(self, form: Form, cards: Cards) -> Round:
        """Returns the round after the seat on turn has played this combination."""
        turn = self._next(self.turn, self.locked)
        return Round(turn, self.turn, form, self.cards | cards, 0, self.locked)

    def passed(self, *, locks: bool) -> Round:
        """Returns the round after a pass.

        After the last pass it is a new round, led by the seat of the highest combination (D14).
        """
        assert self.by is not None
        locked = (*self.locked, self.turn) if locks else ()
        passes = self.passes + 1
        if len(locked) == SEATS - 1 or passes == SEATS - 1:
            return Round(self.by)
        turn = self._next(self.turn, locked)
        return Round(turn, self.by, self.best, self.cards, passes, locked)

    @staticmethod
    def _next(turn: Seat, locked: tuple[Seat, ...]) -> Seat:
        """The next seat counter-clockwise that is not locked; `turn` itself if both others are."""
        after = (turn + 1) % SEATS
        while after in locked:
            after = (after + 1) % SEATS
        return after
