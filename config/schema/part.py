"""Base class of the schema's classes, and number types with units and limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit of a number, which docs/build/CONFIGURATION.md shows."""

    symbol: str


Positive = Annotated[float, Field(gt=0)]
# The limits are those of any table that this program could drive. A value beyond them was given in
# another unit: a field of 900 is one of 900 mm.
Seconds = Annotated[float, Field(gt=0, le=3600), Unit("s")]
"""A time of the machine."""
Metres = Annotated[float, Field(gt=0, le=5), Unit("m")]
"""A distance on the field."""
Millimetres = Annotated[float, Field(gt=0, le=2000), Unit("mm")]
"""A size of a part."""
TileMillimetres = Annotated[float, Field(ge=5, le=150), Unit("mm")]
"""An edge of a tile."""
Pin = Annotated[int, Field(ge=0, le=254)]
"""A pin of a board; the board's profile lists its pins, and 255 means "no pin" on the wire.

In a file, a pin can also have the label that is printed on the board, such as A0 or GP2.
"""


@dataclass(frozen=True, slots=True)
class Names:
    """A text that names a channel of one of these kinds."""

    kinds: tuple[str, ...]


MotorName = Annotated[str, Names(("motor",))]
OutputName = Annotated[str, Names(("output",))]
TurnerName = Annotated[str, Names(("motor", "output"))]
SensorName = Annotated[str, Names(("sensor",))]
AnalogName = Annotated[str, Names(("analog",))]
AxisName = Annotated[str, Names(("axis",))]
DiceName = Annotated[str, Names(("dice",))]
ReaderName = Annotated[str, Names(("reader",))]
StripName = Annotated[str, Names(("strip",))]


class Part(BaseModel):
    """Base class of every part: frozen; unknown keys and values of a wrong type are errors."""

    # The validators are built when a file is first checked: most commands do not read a table.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


@cache
def channel_keys(part: type[Part]) -> Mapping[str, tuple[str, ...]]:
    """The keys of a part that name channels, each with the kinds that such a channel may have."""
    return {
        name: note.kinds
        for name, field in part.model_fields.items()
        for note in notes(field)
        if isinstance(note, Names)
    }


def notes(field: FieldInfo) -> Iterator[object]:
    """What the annotations of a field's type, and of the types within it, contain."""
    yield from field.metadata
    yield from _notes_within(field.annotation)


def _notes_within(hint: Any) -> Iterator[object]:
    yield from getattr(hint, "__metadata__", ())
    for inner in get_args(hint):
        yield from _notes_within(inner)
