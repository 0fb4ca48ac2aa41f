"""Orders of the house for every round: game, dealer, throws, choices and play."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Literal

from rules.dice import Dice
from rules.games import results_of, rules_of
from rules.geometry import Seat
from rules.play import AnyRules, Match
from rules.results import GameResults
from rules.setup import Game, Setup

Follow = Literal["none", "result", "play"]
"""What the table knows of a hand: nothing, its result, or every action."""


@dataclass(frozen=True)
class Orders:
    """Orders of the house for every round.

    `throws` are dice values given in advance; they are used in order before the dice unit throws.
    `answers` are choices given in advance, by the question of the step. `fastest` deals the packets
    in the order of least gantry travel. With `draw_seats` the seats, or the first dealer, are drawn
    before the first hand.

    `follow` is what the table knows of a hand: with `result` people report how it ended, with
    `play` they enter every action. Both give the next dealer and the scores by the game's match;
    with `none` the dealer moves one seat after each round. A result is asked for again after
    `result_wait` seconds in which the table waits for it. After as many seconds more the dealer
    stays and the hand counts as not reported, unless `waits_for_result`.
    """

    game: Game
    parameters: object
    dealer: Seat = 0
    players: int | None = None
    throws: Sequence[Dice] = ()
    answers: Mapping[str, int | str] = field(default_factory=dict)
    fastest: bool = False
    follow: Follow = "none"
    draw_seats: bool = False
    result_wait: float = 60.0
    waits_for_result: bool = False

    @property
    def house_rules(self) -> dict[str, object]:
        """Every parameter of the game by its name, as a JSON value."""
        given = self.parameters
        if not is_dataclass(given):
            return {"parameters": repr(given)}
        values = {each.name: getattr(given, each.name) for each in fields(given)}
        plain: dict[str, object] = json.loads(json.dumps(values, default=str))
        return plain

    @property
    def has_match(self) -> bool:
        """Whether a match gives the next dealer: the table follows the play or the results."""
        return self.follow != "none"

    @property
    def results(self) -> GameResults:
        """The results of the game."""
        return results_of(self.game.name)

    @property
    def rules(self) -> AnyRules:
        """The rules of play of the game."""
        return rules_of(self.game.name)

    def first_match(self) -> Match:
        """The first match, with seats still to be drawn if `draw_seats` is set.

        Raises RulesError if the game draws no seats.
        """
        match = self.match(self.dealer)
        first: Match = self.rules.to_draw(match) if self.draw_seats else match
        return first

    def match(self, dealer: Seat) -> Match:
        """A new match before its first hand, with this first dealer."""
        return self.rules.match(self.parameters, self.setup(dealer).seating.players, dealer)

    def setup(self, dealer: Seat) -> Setup:
        """The set-up of a round before its first step. Raises IllegalSetup."""
        return self.game.setup(players=self.players, dealer=dealer, parameters=self.parameters)
