"""Moves: actions of the machine as frozen values.

The planner converts a step of the rules to moves; a station executes each move. `facts()` returns a
move as JSON values, for the event `move` and for `wallwright plan`.
"""

from __future__ import annotations

from dataclasses import dataclass

from config.layout.field import Spot
from rules.geometry import Place, Seat
from rules.steps import Facts, Step


@dataclass(frozen=True, slots=True)
class Grasp:
    """Position at which the jaws close or open: centre, level above the felt, one column or two."""

    spot: Spot
    level: int
    wide: bool

    def facts(self) -> Facts:
        return {"x": round(self.spot.x, 4), "y": round(self.spot.y, 4), "level": self.level}


@dataclass(frozen=True, slots=True)
class Carry:
    """The gripper carries a block to another position.

    `tiles` are the places of the block, column by column, top first. `clear` is the height in
    metres at which the jaws travel, above all stacks. `seat` is set if the tiles go to a hand.
    """

    tiles: tuple[Place, ...]
    source: Grasp
    target: Grasp
    clear: float
    seat: Seat | None = None

    def facts(self) -> Facts:
        to: Facts = {"seat": self.seat}
        if self.seat is None:
            to = self.target.facts()
            if self.target.spot.crossed:
                to["crossed"] = True
        return {
            "move": "carry",
            "tiles": [str(place) for place in self.tiles],
            "from": self.source.facts(),
            "to": to,
        }


@dataclass(frozen=True, slots=True)
class TurnOver:
    """The gripper lifts one tile, turns it face up, reads its tag if possible, and sets it down."""

    place: Place
    source: Grasp
    clear: float

    def facts(self) -> Facts:
        return {"move": "turn_over", "tiles": [str(self.place)], "from": self.source.facts()}


@dataclass(frozen=True, slots=True)
class FlipIndicator:
    """The flipper under a wall turns one tile face up at its place."""

    place: Place
    spot: Spot

    def facts(self) -> Facts:
        return {"move": "flip", "tiles": [str(self.place)]}


@dataclass(frozen=True, slots=True)
class Present:
    """A hand lane rises before its seat with all its tiles."""

    seat: Seat
    tiles: tuple[Place, ...]

    def facts(self) -> Facts:
        return {
            "move": "present",
            "seat": self.seat,
            "tiles": [str(place) for place in self.tiles],
        }


@dataclass(frozen=True, slots=True)
class Shake:
    """The dice dome shakes and reads its dice."""

    dice: int
    times: int

    def facts(self) -> Facts:
        return {"move": "shake", "dice": self.dice, "times": self.times}


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt to people, for a step without a module of the table or for a choice."""

    step: Step

    def facts(self) -> Facts:
        return {"move": "prompt", "what": self.step.facts()}


Move = Carry | TurnOver | FlipIndicator | Present | Shake | Prompt
