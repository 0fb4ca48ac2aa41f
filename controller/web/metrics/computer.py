"""Figures of the table's computer: its time, its temperatures and its disk."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

THERMAL = Path("/sys/class/thermal")
"""The folder in which Linux lists the sensors of temperature."""
MOST_SENSORS = 8
"""Number of sensors that are read, so that the number of label values is bounded."""


@dataclass(frozen=True)
class ComputerFigures:
    """The figures at one moment; temperatures are °C by zone of the kernel, such as `zone0`."""

    time: float
    temperatures: Mapping[str, float] = field(default_factory=dict)
    data_size: int | None = None
    data_free: int | None = None


def computer_figures(data: Path | None, thermal: Path = THERMAL) -> ComputerFigures:
    """Read the figures; what the computer does not have is left out.

    `data` is the folder whose file system is measured. It can block, so a thread calls it.
    """
    size = free = None
    if data is not None:
        with suppress(OSError):
            found = os.statvfs(data)
            size, free = found.f_frsize * found.f_blocks, found.f_frsize * found.f_bavail
    now = datetime.now(UTC).timestamp()
    return ComputerFigures(now, _temperatures(thermal), size, free)


def _temperatures(thermal: Path) -> dict[str, float]:
    found: dict[str, float] = {}
    for zone in sorted(thermal.glob("thermal_zone*"))[:MOST_SENSORS]:
        with suppress(OSError, ValueError):
            millidegrees = int((zone / "temp").read_text("ascii"))
            found[zone.name.removeprefix("thermal_")] = millidegrees / 1000
    return found
