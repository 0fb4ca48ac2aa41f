"""Schema of a table: its field, tile sizes, boards, modules and recovery limits."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from config.schema.channels import BoardConfig, Channel
from config.schema.modules import Modules
from config.schema.part import Metres, Part, TileMillimetres, Unit


class TileRange(Part):
    """The sizes of the tiles that fit the machine."""

    shortest_mm: TileMillimetres
    """The shortest tile."""
    longest_mm: TileMillimetres
    """The longest tile."""
    widest_mm: TileMillimetres
    """The widest tile."""


class FieldSize(Part):
    """The playing field: its size, and the distances of walls and hands from its centre."""

    width: Metres
    """The size along x."""
    depth: Metres
    """The size along y."""
    wall_distance: Metres
    """The distance from the centre to the line of each wall."""
    hand_distance: Metres
    """The distance from the centre to the line where hands are delivered."""
    seats: Annotated[int, Field(ge=1, le=8)]
    """The number of delivery places that the gantry serves."""


class Recovery(Part):
    """The limits of recovery from one fault; a key that is left out keeps its default.

    `docs/operate/FAULTS.md` has the defaults.
    """

    retries: Annotated[int, Field(ge=0, le=20)] | None = None
    """The number of automatic retries."""
    asks: Annotated[int, Field(ge=0, le=20)] | None = None
    """The number of prompts that ask a person to remove the fault."""
    patience: Annotated[float, Field(gt=0, le=86400), Unit("s")] | None = None
    """The time that a person has for one answer."""


class Table(Part):
    """One table: its field, boards, modules and limits."""

    name: str
    """The table's name in events, journals and on the command line."""
    title: str
    """The table's title for people."""
    sets: Annotated[int, Field(ge=1, le=2)]
    """The number of tile sets in the machine; with two, one is prepared below while the other is in
    play."""
    tiles: TileRange
    """The sizes of the tiles that fit the machine."""
    field: FieldSize
    """The size of the field, and the distances of walls and hands."""
    shuffle: Literal["drum", "sorted"] = "drum"
    """What determines the order of the tiles. `drum`: the order in which they leave the drum.
    `sorted`: the machine draws a uniform order for each set and builds the set in it, which needs a
    magazine."""
    boards: dict[str, BoardConfig]
    """The boards by name."""
    modules: Modules
    """The modules of the table."""
    recovery: dict[str, Recovery] = Field(default_factory=dict)
    """The limits of recovery by the code of the fault."""

    @property
    def capabilities(self) -> frozenset[str]:
        """The names of the modules that the table has."""
        return frozenset(
            name
            for name in type(self.modules).model_fields
            if getattr(self.modules, name) not in (None, (), "")
        )

    def board_of(self, channel: str) -> str:
        """The board of a channel. Raises KeyError for a channel that no board has."""
        for name, board in self.boards.items():
            if channel in board.channels:
                return name
        raise KeyError(channel)

    def channel(self, name: str) -> Channel:
        """A channel by its name, on any board. Raises KeyError for an unknown name."""
        return self.boards[self.board_of(name)].channels[name]
