"""Backgammon: the opening throw. Two seats opposite one another, no tiles, one die each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rules.errors import IllegalSetupError
from rules.geometry import counter_clockwise
from rules.setup import Game, Script, Seating, throw
from rules.steps import Ready

SEATS = 2
START: dict[int, int] = {24: 2, 13: 5, 8: 3, 6: 5}
"""Where each player's fifteen men stand at first, by his own numbering of the points."""


@dataclass(frozen=True)
class Parameters:
    """What houses do differently (section 4).

    `doubling_cube`: the stake may be doubled, 2 to 64.
    `automatic_doubles`: how many equal opening throws double the stake by themselves.
    `jacoby`: gammon and backgammon count only once the cube has been turned.
    `crawford`: no cube in the first game after somebody needs only one more point of a match.
    `beavers`: who is doubled may double again at once and keep the cube.
    `must_use_larger`: where either die can be played but not both, it is the larger.
    `gammon`, `backgammon`: how many times the stake they are worth.
    `match_points`: where a match ends; 0 is play without end, for money.
    """

    doubling_cube: bool = False
    automatic_doubles: int = 0
    jacoby: bool = False
    crawford: bool = True
    beavers: bool = False
    must_use_larger: bool = True
    gammon: int = 2
    backgammon: int = 3
    match_points: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.automatic_doubles <= 6:
            raise IllegalSetupError(
                f"The cube ends at 64, after 6 doubles; automatic_doubles is 0 to 6,"
                f" not {self.automatic_doubles}."
            )
        if not 1 <= self.gammon <= self.backgammon:
            raise IllegalSetupError(
                f"A gammon is worth 1 or more and a backgammon no less than that, not"
                f" {self.gammon} and {self.backgammon}."
            )
        if self.match_points < 0:
            raise IllegalSetupError(
                f"A match goes to 1 point or more, or 0 for no end, not {self.match_points}."
            )


def script(seating: Seating, parameters: Parameters) -> Script:
    """One die each until they differ; the higher begins and plays both (section 2)."""
    first, second = counter_clockwise(seating.dealer, SEATS)
    while True:
        (own,) = yield from throw(first, 1, "opening throw")
        (other,) = yield from throw(second, 1, "opening throw")
        if own != other:
            return Ready(begins=first if own > other else second)


def pips(men: Mapping[int, int]) -> int:
    """How many points these men still have to go."""
    return sum(point * count for point, count in men.items())


BACKGAMMON = Game(
    name="backgammon",
    title="Backgammon",
    tiles_name="none",
    players=(2,),
    parameters=Parameters,
    script=script,
    seats=SEATS,
)
