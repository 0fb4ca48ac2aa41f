"""Backgammon: the opening throw. Two seats opposite one another, no tiles, one die each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rules.geometry import counter_clockwise
from rules.setup import Game, Script, Seating, throw
from rules.steps import Ready

SEATS = 2
START: dict[int, int] = {24: 2, 13: 5, 8: 3, 6: 5}
"""Where each player's fifteen men stand at first, by his own numbering of the points."""


@dataclass(frozen=True)
class Parameters:
    """No option concerns the opening."""


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
