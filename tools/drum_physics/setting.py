"""Geometry, material and motion of one simulated drum."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import pi, radians, sin, sqrt
from typing import Any

from config.layout.mixing import GRAVITY, PanMotion

WHOLE_SET = 136
"""Tiles of a set of mahjong."""
QUADRANTS = 4
"""The set falls in as four heaps, one from each side of the table."""
FALL = 0.1
"""Greatest height from which a tile of a heap falls, metres."""


@dataclass(frozen=True)
class DrumSetting:
    """One drum: an inclined pan that turns about its own axis, filled with equal tiles.

    `ribs` turn with the pan; `bars` stand still above the ribs. `magnet_n` is the force, in
    newtons, that pulls a tile on the floor of the pan towards the floor, face down.
    """

    tiles: int = WHOLE_SET
    tilt_deg: float = 35.0
    rpm: float = 20.0
    ribs: int = 4
    bars: int = 0
    pan_radius_mm: float = 280.0
    tile_mm: tuple[float, float, float] = (38.0, 28.0, 20.0)
    tile_g: float = 35.0
    friction: float = 0.35
    magnet_n: float = 0.1

    @property
    def fill(self) -> float:
        """Area of all tiles lying flat, in areas of the pan."""
        length, width, _ = self.tile_mm
        return self.tiles * length * width / (pi * self.pan_radius_mm**2)

    def as_json(self) -> dict[str, Any]:
        """The values by name, the size of a tile as a list."""
        return asdict(self) | {"tile_mm": list(self.tile_mm)}


def plausible_speed(setting: DrumSetting) -> float:
    """The largest speed of a tile that is plausible, m/s.

    A tile falls from its heap and slides without friction down the whole pan, and the pan's rim
    pushes it in addition.
    """
    radius = setting.pan_radius_mm / 1000
    height = FALL + 2 * radius * sin(radians(setting.tilt_deg))
    return sqrt(2 * GRAVITY * height) + setting.rpm * 2 * pi / 60 * radius


def pan_of(setting: Any) -> PanMotion:
    """The pan of a stored setting, as the mixing model has it."""
    values = DrumSetting(**{**setting, "tile_mm": tuple(setting["tile_mm"])})
    radius = values.pan_radius_mm / 1000
    return PanMotion(values.tilt_deg, values.rpm, values.ribs, radius, values.fill)
