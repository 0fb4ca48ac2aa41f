"""The room's plan: at which place each table stands, from an optional YAML file.

tables:
  t01: [0, 0]
  t02: [1, 0]

The numbers are the column and the row of the table, from the top left corner of the room.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from config.loader import load_settings
from controller.floor.messages.topics import NAME

WIDEST = 200
"""Most columns and most rows of a room."""
_Name = Annotated[str, Field(pattern=f"^{NAME.pattern}$")]
_Place = Annotated[int, Field(ge=0, lt=WIDEST)]


class RoomPlan(BaseModel):
    """Column and row of tables by their names. A table that is not in it gets a place below."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tables: Mapping[_Name, tuple[_Place, _Place]] = Field(default_factory=dict)


def load_plan(file: Path) -> RoomPlan:
    """Load a plan. Raises ConfigErrors with every defect of the file."""
    return load_settings(file, RoomPlan)
