"""What stays the same through a hand of dominoes, and the types that its values share."""

from __future__ import annotations

from typing import Literal, NamedTuple

from rules.games.dominoes.variants import Parameters
from rules.geometry import Seat
from rules.tiles import Face

Hand = tuple[Face | None, ...]
"""A seat's tiles; None is a tile that no one has seen."""
Ended = Literal["", "out", "blocked", "target"]
"""How a hand ended; empty while it goes on."""


class Party(NamedTuple):
    """What stays the same through a hand.

    The game's title, its parameters, the scores it began with, who plays after each seat (C8), and
    whether a tile can score when it is laid.
    """

    title: str
    parameters: Parameters
    opening: tuple[int, ...]
    following: tuple[Seat, ...]
    scores_in_play: bool

    @property
    def players(self) -> int:
        return len(self.opening)
