"""The domino games as one table of what their set-ups do differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.geometry import Direction

Way = Literal["rotate", "lightest", "doublet", "double_six", "bergen"]
"""How the setter is found: the three general ways (C5), Sebastopol's 6-6, Bergen's doublet."""


@dataclass(frozen=True)
class Variant:
    """One game: who can play it, the tiles each with 2, 3 and 4 players, who sets."""

    name: str
    title: str
    players: tuple[int, ...]
    hand: tuple[int, int, int]
    setter: Way


@dataclass(frozen=True)
class Parameters:
    """What houses do differently.

    `hand`: tiles each with 2, 3 and 4 players (2.1-2.9).
    `setter`: how the setter is found (C5).
    `turn`: the direction of dealing and of play (C8).
    """

    hand: tuple[int, int, int]
    setter: Way
    turn: Direction = "clockwise"


VARIANTS = (
    Variant("block", "Block", (2, 3, 4), (7, 5, 5), "rotate"),
    Variant("draw", "Draw", (2, 3, 4), (7, 5, 5), "rotate"),
    Variant("sebastopol", "Sebastopol", (4,), (7, 7, 7), "double_six"),
    Variant("bergen", "Bergen", (2,), (7, 7, 7), "bergen"),
    Variant("muggins", "Muggins", (2, 3, 4), (7, 5, 5), "rotate"),
    Variant("threes", "All Threes", (2, 3, 4), (7, 5, 5), "rotate"),
    Variant("matador", "Matador", (2, 3, 4), (7, 7, 5), "doublet"),
    Variant("sniff", "Sniff", (2, 3, 4), (7, 5, 5), "lightest"),
)
