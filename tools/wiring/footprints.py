"""Positions of the pins on a board, seen with the USB plug (Mega) or the card (Pi) at the top.

The unit is a slot: the distance from one pin to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import NamedTuple


class Way(Enum):
    """The direction in which a wire leaves its pad."""

    LEFT = "left"
    RIGHT = "right"
    DOWN = "down"


class Pad(NamedTuple):
    """One contact of a header; `pin` is None for supply, ground and other fixed contacts."""

    text: str
    pin: int | None
    x: float
    y: float
    way: Way
    jog: float = 0.0
    """Sideways distance at which a wire goes down: an inner row passes between the outer pads."""


class Footprint(NamedTuple):
    """A board's outline and its pads."""

    width: float
    height: float
    pads: tuple[Pad, ...]


def _column(
    names: Iterable[str | int], x: float, y: float, way: Way, *, first_analog: int = 54
) -> Iterator[Pad]:
    """Yield the pads of a column, from top to bottom; an empty name is a gap."""
    for slot, name in enumerate(names):
        if name == "":
            continue
        text = str(name)
        pin = name if isinstance(name, int) else None
        if text.startswith("A") and text[1:].isdecimal():
            pin = first_analog + int(text[1:])
        yield Pad(text, pin, x, y + slot, way)


_MEGA_RIGHT = (
    "SCL",
    "SDA",
    "AREF",
    "GND",
    *range(13, 7, -1),
    "",
    *range(7, -1, -1),
    "",
    *range(14, 22),
)
_MEGA_LEFT = (
    *("IOREF", "RESET", "3V3", "5V", "GND", "GND", "VIN", ""),
    *(f"A{number}" for number in range(8)),
    "",
    *(f"A{number}" for number in range(8, 16)),
)
_MEGA_WIDTH, _MEGA_HEIGHT = 21.0, 34.0


def _mega_end() -> Iterator[Pad]:
    """Yield the pads of the Mega's double row: even pins inside, odd pins at the board's edge."""
    pairs = [("5V", "5V"), *((pin, pin + 1) for pin in range(22, 54, 2)), ("GND", "GND")]
    right = _MEGA_WIDTH - 2
    for slot, (inner, outer) in enumerate(pairs):
        for name, row, jog in ((inner, 2.0, 0.5), (outer, 1.0, 0.0)):
            pin = name if isinstance(name, int) else None
            yield Pad(str(name), pin, right - slot, _MEGA_HEIGHT - row, Way.DOWN, jog)


MEGA = Footprint(
    _MEGA_WIDTH,
    _MEGA_HEIGHT,
    (
        *_column(_MEGA_LEFT, 1, 5, Way.LEFT),
        *_mega_end(),
        *_column(_MEGA_RIGHT, _MEGA_WIDTH - 1, 2, Way.RIGHT),
    ),
)

_PI_ODD = (
    *("3V3", 2, 3, 4, "GND", 17, 27, 22, "3V3", 10, 9, 11, "GND", "ID", 5, 6, 13, 19, 26, "GND"),
)
_PI_EVEN = (
    *("5V", "5V", "GND", 14, 15, 18, "GND", 23, 24, "GND", 25, 8, 7, "ID", "GND", 12, "GND"),
    *(16, 20, 21),
)

PI = Footprint(
    18.0,
    28.0,
    (*_column(_PI_ODD, 15, 2, Way.LEFT), *_column(_PI_EVEN, 16, 2, Way.RIGHT)),
)

FOOTPRINTS: Mapping[str, Footprint] = {"mega2560": MEGA, "raspberry_pi": PI}
"""The footprint of each board profile, by its name."""
