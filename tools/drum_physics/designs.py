"""The simulated drums of the campaign: one change at a time around one drum, then combinations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tools.drum_physics.setting import DrumSetting

SET = DrumSetting()
"""136 tiles in a pan of 560 mm: the drum of a mahjong table at the speed that is usual."""
SMALL = DrumSetting(tiles=32, pan_radius_mm=140.0)
"""The 32 tiles of pai gow in the pan of a drum for 40 tiles."""


@dataclass(frozen=True)
class Design:
    """One drum of the campaign; a `held_out` one is not used to fit the model."""

    name: str
    setting: DrumSetting
    seconds: int = 30
    picking: bool = False
    held_out: bool = False


def _changed(
    name: str,
    seconds: int = 30,
    *,
    picking: bool = False,
    held_out: bool = False,
    **changes: Any,
) -> Design:
    return Design(name, replace(SET, **changes), seconds, picking, held_out)


DESIGNS = (
    _changed("usual", 60, picking=True),
    _changed("tilt 45", tilt_deg=45.0, picking=True),
    _changed("tilt 25", tilt_deg=25.0),
    _changed("10 rpm", rpm=10.0),
    _changed("30 rpm", rpm=30.0),
    _changed("no ribs", ribs=0),
    _changed("wide pan", pan_radius_mm=360.0),
    _changed("tilt 40, 30 rpm", tilt_deg=40.0, rpm=30.0, held_out=True),
    _changed("tilt 10", tilt_deg=10.0),
    _changed("8 ribs", ribs=8),
    _changed("tilt 30", tilt_deg=30.0, held_out=True),
    _changed("narrow pan", pan_radius_mm=240.0),
    _changed("45 rpm", rpm=45.0),
    _changed("2 ribs", ribs=2, held_out=True),
    _changed("tilt 25, 40 rpm", tilt_deg=25.0, rpm=40.0),
    _changed("tilt 45, 10 rpm", tilt_deg=45.0, rpm=10.0, held_out=True),
    _changed("60 rpm", rpm=60.0),
    _changed("tilt 45, wide pan", tilt_deg=45.0, pan_radius_mm=360.0),
    _changed("tilt 40", tilt_deg=40.0, held_out=True),
    _changed("pan of 640 mm", pan_radius_mm=320.0, held_out=True),
    _changed("tilt 45, 45 rpm", tilt_deg=45.0, rpm=45.0),
    _changed("64 tiles", tiles=64, pan_radius_mm=192.0),
    Design("32 tiles", SMALL, 60, picking=True),
    Design("32 tiles, tilt 45", replace(SMALL, tilt_deg=45.0)),
    _changed("usual, 8 s", 8, picking=True),
    _changed("2 ribs, wide pan", ribs=2, pan_radius_mm=360.0),
    _changed(
        "tilt 40, 2 ribs, wide pan", 60, picking=True, tilt_deg=40.0, ribs=2, pan_radius_mm=360.0
    ),
    _changed(
        "64 tiles, 2 ribs, pan of 480 mm", tiles=64, ribs=2, pan_radius_mm=240.0, held_out=True
    ),
    _changed(
        "32 tiles, 2 ribs, pan of 340 mm", picking=True, tiles=32, ribs=2, pan_radius_mm=170.0
    ),
    _changed("32 tiles, pan of 400 mm", tiles=32, pan_radius_mm=200.0, held_out=True),
)
