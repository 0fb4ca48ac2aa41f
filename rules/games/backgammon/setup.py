"""Set-up of backgammon: two opposite seats, no tiles, an opening throw of one die each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rules.errors import IllegalSetupError
from rules.geometry import counter_clockwise
from rules.setup import Game, Script, Seating, Setup, throw
from rules.steps import Ready

SEATS = 2
START: dict[int, int] = {24: 2, 13: 5, 8: 3, 6: 5}
"""The first position of each player's fifteen men, in the player's own numbering of the points."""


@dataclass(frozen=True)
class Parameters:
    """House rules of backgammon (section 4).

    `doubling_cube`: players can double the stake with the cube, 2 to 64.
    `automatic_doubles`: the maximum number of equal opening throws that double the stake.
    `jacoby`: gammon and backgammon count only if the cube has been turned.
    `crawford`: no cube in the first game after a player needs only one more point of a match.
    `beavers`: a player who is doubled can double again at once and keep the cube.
    `must_use_larger`: if either die can be played but not both, the larger must be played.
    `gammon`, `backgammon`: how many times the stake they are worth.
    `match_points`: the points that end a match; 0 is unlimited play for money.
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
                f"The cube ends at 64, after 6 doubles; `automatic_doubles` must be 0 to 6, not"
                f" {self.automatic_doubles}."
            )
        if not 1 <= self.gammon <= self.backgammon:
            raise IllegalSetupError(
                f"`gammon` must be at least 1 and `backgammon` at least `gammon`, not"
                f" {self.gammon} and {self.backgammon}."
            )
        if self.match_points < 0:
            raise IllegalSetupError(
                f"`match_points` must be 1 or more, or 0 for unlimited play, not"
                f" {self.match_points}."
            )


def script(seating: Seating, parameters: Parameters) -> Script:
    """One die each until they differ; the seat with the higher die begins (section 2)."""
    first, second = counter_clockwise(seating.dealer, SEATS)
    while True:
        (own,) = yield from throw(first, 1, "opening throw")
        (other,) = yield from throw(second, 1, "opening throw")
        if own != other:
            return Ready(begins=first if own > other else second)


def automatic_doubles(setup: Setup) -> int:
    """How often equal opening throws have doubled the stake, up to the house's maximum."""
    ties = len(setup.throws) // SEATS - 1
    doubles: int = min(ties, setup.parameters.automatic_doubles)
    return doubles


def pips(men: Mapping[int, int]) -> int:
    """The number of points that these men still have to move."""
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
