"""A round of card play (D13, D14): the combination to beat, and the seats that passed on it."""

from __future__ import annotations

from dataclasses import dataclass

from rules.games.da_san.cards import Cards, Form
from rules.games.da_san.setup import SEATS
from rules.geometry import Seat


@dataclass(frozen=True, slots=True)
class Round:
    """What lies on the table: `best` by seat `by`, all `cards` of the round, who passed since.

    `locked` are those who may play no more in this round, in houses that say so.
    """

    turn: Seat
    by: Seat | None = None
    best: Form | None = None
    cards: Cards = 0
    passes: int = 0
    locked: tuple[Seat, ...] = ()

    def laid(self, form: Form, cards: Cards) -> Round:
        """The round after the seat on turn has played this form."""
        turn = self._next(self.turn, self.locked)
        return Round(turn, self.turn, form, self.cards | cards, 0, self.locked)

    def passed(self, *, locks: bool) -> Round:
        """The round after a pass; a new one, led by the highest, after the last (D14)."""
        assert self.by is not None
        locked = (*self.locked, self.turn) if locks else ()
        passes = self.passes + 1
        if len(locked) == SEATS - 1 or passes == SEATS - 1:
            return Round(self.by)
        turn = self._next(self.turn, locked)
        return Round(turn, self.by, self.best, self.cards, passes, locked)

    @staticmethod
    def _next(turn: Seat, locked: tuple[Seat, ...]) -> Seat:
        """The next seat counter-clockwise that may still play; with both others locked, itself."""
        after = (turn + 1) % SEATS
        while after in locked:
            after = (after + 1) % SEATS
        return after
