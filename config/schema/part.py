"""Base class of every schema class: frozen, strict, with units of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit of a number, for people: docs/CONFIGURATION.md shows it."""

    symbol: str


Positive = Annotated[float, Field(gt=0)]
Seconds = Annotated[Positive, Unit("s")]
Metres = Annotated[Positive, Unit("m")]
Millimetres = Annotated[Positive, Unit("mm")]
Pin = Annotated[int, Field(ge=0, le=69)]


class Part(BaseModel):
    """The common ground of every part: frozen, no key that nobody reads, no silent conversion."""

    # Built when a file is first checked: most commands read a game and no table.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)
