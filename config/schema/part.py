"""Base class of the schema's classes, and number types with units and limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit of a number, which docs/CONFIGURATION.md shows."""

    symbol: str


Positive = Annotated[float, Field(gt=0)]
Seconds = Annotated[Positive, Unit("s")]
Metres = Annotated[Positive, Unit("m")]
Millimetres = Annotated[Positive, Unit("mm")]
Pin = Annotated[int, Field(ge=0, le=254)]
"""A pin of a board; the board's profile lists its pins, and 255 means "no pin" on the wire."""


class Part(BaseModel):
    """Base class of every part: frozen; unknown keys and values of a wrong type are errors."""

    # The validators are built when a file is first checked: most commands do not read a table.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)
