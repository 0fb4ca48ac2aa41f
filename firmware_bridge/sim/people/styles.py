"""How simulated players choose their actions: sensibly, uniformly at random, or a mixture of both.

A sensible player ends hands by winning them and reaches little else. A uniform player takes any
legal action with the same probability and therefore reaches claims, kongs, passes and false wins
that a sensible player avoids. All choices come from the seed of the plant.
"""

from __future__ import annotations

from random import Random
from typing import Any, Literal, get_args

from rules.geometry import Seat
from rules.play import AnyRules
from rules.playing.hidden_play import sensible_player

Style = Literal["sensible", "mixed", "uniform"]
STYLES: tuple[Style, ...] = get_args(Style)
UNIFORM_SHARE = 0.25
"""The share of the actions of a mixed player that is drawn uniformly."""
GIVE_UP_PROBABILITY = 0.005
"""The probability, at each action of a player who is not sensible, that the hand is given up."""


class ActionChooser:
    """Chooses the actions of all players of one table; `chance` is a separate random stream."""

    def __init__(self, chance: Random, style: Style = "sensible") -> None:
        self._chance = chance
        self._style = style

    def choose(self, rules: AnyRules, truth: Any, seat: Seat) -> Any:
        """One legal action of this seat; `truth` is the play with every tile visible."""
        if self._style == "sensible" or (
            self._style == "mixed" and self._chance.random() >= UNIFORM_SHARE
        ):
            return sensible_player(rules, truth, seat)
        return self._chance.choice([act for act in truth.legal_actions if act.seat == seat])

    def give_up(self) -> bool:
        """Whether the players give the hand up now, by the key of the lid."""
        return self._style != "sensible" and self._chance.random() < GIVE_UP_PROBABILITY
