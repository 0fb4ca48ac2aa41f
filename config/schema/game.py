"""Schema of a game's configuration: tile size, pace and house rules."""

from __future__ import annotations

from pydantic import Field

from config.schema.part import Millimetres, Part, Seconds


class TileSize(Part):
    """A game's tile: length, width and height."""

    length_mm: Millimetres
    """The longest edge."""
    width_mm: Millimetres
    """The edge across; the width of a column in a wall."""
    height_mm: Millimetres
    """The edge that lies upright; the height of a level."""


class GameConfig(Part):
    """A game as this house plays it: its tile, its speed of play, its parameters."""

    game: str
    """The game's name: `wallwright games` lists them."""
    tile: TileSize
    """The size of its tile."""
    play: Seconds
    """How long people play a hand, for simulations (ours)."""
    parameters: dict[str, object] = Field(default_factory=dict)
    """What differs from the game's own parameters; the list for each game is below."""
