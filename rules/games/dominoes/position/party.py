"""The values that stay constant through a hand of dominoes, and types that its modules share."""

from __future__ import annotations

from typing import Literal, NamedTuple

from rules.games.dominoes.variants import Parameters
from rules.geometry import Seat
from rules.tiles import Face

Hand = tuple[Face | None, ...]
"""A seat's tiles; None is an unknown tile."""
Ended = Literal["", "out", "blocked", "target"]
"""How a hand ended; empty while it is in progress."""


class Party(NamedTuple):
    """The values that stay constant through a hand.

    They are the game's title, its parameters, the scores before the hand (`opening`), for each seat
    the seat that plays next (`following`, C8), and whether a tile can score when it is laid.
    """

    title: str
    parameters: Parameters
    opening: tuple[int, ...]
    following: tuple[Seat, ...]
    scores_in_play: bool

    @property
    def players(self) -> int:
        return len(self.opening)
