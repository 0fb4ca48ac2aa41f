"""Schema of a table: its field, accepted tile sizes, boards, modules and limits."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from config.schema.channels import BoardConfig, Channel
from config.schema.modules import Modules
from config.schema.part import Metres, Millimetres, Part, Unit


class TileRange(Part):
    """The tiles that the machine's channels take, shortest and longest, and the widest."""

    shortest_mm: Millimetres
    """The shortest tile."""
    longest_mm: Millimetres
    """The longest tile."""
    widest_mm: Millimetres
    """The widest tile."""


class FieldSize(Part):
    """The playing field under the gantry, and where the walls and hands lie on it."""

    width: Metres
    """Along x."""
    depth: Metres
    """Along y."""
    wall_distance: Metres
    """From the centre to each wall's line."""
    hand_distance: Metres
    """From the centre to the line where hands are delivered."""
    seats: Annotated[int, Field(ge=1, le=8)]
    """How many delivery places the gantry serves."""


class Recovery(Part):
    """What a table does about one fault before it stops; what is left out stays as it is usual.

    `docs/FAULTS.md` has the usual limits.
    """

    retries: Annotated[int, Field(ge=0, le=20)] | None = None
    """How often the part tries again by itself."""
    asks: Annotated[int, Field(ge=0, le=20)] | None = None
    """How often a person is asked to put it right."""
    patience: Annotated[float, Field(gt=0, le=86400), Unit("s")] | None = None
    """How long a person may take over one answer, seconds."""


class Table(Part):
    """One table, whole."""

    name: str
    """Its name in events, journals and on the command line."""
    title: str
    """What people call it."""
    sets: Annotated[int, Field(ge=1, le=2)]
    """Tile sets in the machine: with two, one is prepared below while the other is in play."""
    tiles: TileRange
    """Which tiles pass its channels."""
    field: FieldSize
    """Where things lie on its field."""
    boards: dict[str, BoardConfig]
    """Its boards by name."""
    modules: Modules
    """What it is made of."""
    recovery: dict[str, Recovery] = Field(default_factory=dict)
    """By the fault's code."""

    @property
    def capabilities(self) -> frozenset[str]:
        """The modules present, by name."""
        return frozenset(
            name
            for name in type(self.modules).model_fields
            if getattr(self.modules, name) not in (None, (), "")
        )

    def board_of(self, channel: str) -> str:
        """The board on which a channel hangs; raises KeyError for one that no board has."""
        for name, board in self.boards.items():
            if channel in board.channels:
                return name
        raise KeyError(channel)

    def channel(self, name: str) -> Channel:
        """A channel by its name, whichever board it is on; raises KeyError."""
        return self.boards[self.board_of(name)].channels[name]
