"""Orders: what the house wants of every round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rules.dice import Dice
from rules.games import rules_of
from rules.geometry import Seat
from rules.play import AnyRules, Match
from rules.setup import Game, Setup

if TYPE_CHECKING:
    # `plan` uses orders without a machine, and need not import what drives one.
    pass


@dataclass(frozen=True)
class Orders:
    """Orders of the house for every round.

    `throws` are thrown by hand and entered, in order, before the dome is used; `answers` settle
    choices by their question; `fastest` orders the packets by least gantry travel. With `play` the
    table follows every hand by the rules, and the match gives the next dealer; with `draw_seats`
    the seats, or the first dealer, are drawn before the first hand.
    """

    game: Game
    parameters: object
    dealer: Seat = 0
    players: int | None = None
    throws: Sequence[Dice] = ()
    answers: Mapping[str, int | str] = field(default_factory=dict)
    fastest: bool = False
    play: bool = False
    draw_seats: bool = False

    @property
    def rules(self) -> AnyRules:
        """The rules of play of the game."""
        return rules_of(self.game.name)

    def first_match(self) -> Match:
        """The match before its first hand. Raises RulesError for a game that draws no seats."""
        match = self.match(self.dealer)
        drawn: Match = self.rules.to_draw(match) if self.draw_seats else match
        return drawn

    def match(self, dealer: Seat) -> Match:
        """A match before its first hand."""
        return self.rules.match(self.parameters, self.setup(dealer).seating.players, dealer)

    def setup(self, dealer: Seat) -> Setup:
        """A round's set-up from its first step. Raises IllegalSetup."""
        return self.game.setup(players=self.players, dealer=dealer, parameters=self.parameters)
