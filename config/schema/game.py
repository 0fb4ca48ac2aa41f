"""Schema of a game's configuration: tile size, pace and house rules."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from config.schema.part import Part, TileMillimetres, Unit


class TileSize(Part):
    """A game's tile: length, width and height."""

    length_mm: TileMillimetres
    """The longest edge."""
    width_mm: TileMillimetres
    """The second edge; the width of a column in a wall."""
    height_mm: TileMillimetres
    """The vertical edge; the height of a level."""


class GameConfig(Part):
    """A game as this house plays it: its tile, the duration of a hand, its parameters."""

    game: str
    """The name of the game; `wallwright games` lists the names."""
    tile: TileSize
    """The size of its tile."""
    play: Annotated[float, Field(gt=0, le=86400), Unit("s")]
    """The time that people take to play a hand, for simulations (ours)."""
    parameters: dict[str, object] = Field(default_factory=dict)
    """The parameters that differ from the game's defaults; the list for each game is below."""
