"""What drifts from what it was at first: S1's shadows and the motors' currents, part by part.

The median of the first sets against that of the last ones: one odd set is no trend.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from controller.faults.catalogue import CATALOGUE, Fault

SETS, FEWEST = 5, 3
"""Sets that make up "at first" and "now", and so many at least: one odd set does not move the
median of three, nor two that of five, and an evening has several times as many (ours)."""
WIDTH = 0.08
"""The share by which a tile's shadow may drift. A belt's speed goes up and down by 2 or 3 % with
its load and supply; a sensor that sees a tenth less still counts every tile (ours)."""
CURRENT = 0.20
"""The share by which a current may drift. Cold grease and fuller sets make a tenth (ours)."""


@dataclass
class Drift:
    """What each part has shown, a value for each set in which it was looked at, oldest first."""

    widths: dict[str, list[float]] = field(default_factory=dict)
    """How long S1 saw a tile, as a share of the time that one takes at the belt's own speed."""
    currents: dict[str, list[float]] = field(default_factory=dict)
    """Millivolts of the current sensor, by what the motor drives."""

    def saw(self, set_built: Mapping[str, Any]) -> None:
        """Take in what the outcome of a set says; one of an older version says nothing of it."""
        for part, seen in set_built.get("heads", {}).items():
            share = seen["width_ms"] / set_built["tile_ms"]
            self.widths.setdefault(part, []).append(share)
        for part, millivolts in set_built.get("drawn_mv", {}).items():
            self.currents.setdefault(part, []).append(millivolts)

    @property
    def warnings(self) -> Iterator[str]:
        """What has drifted too far, each as a sentence with what to do."""
        for part, share in _drifted(self.widths, WIDTH):
            clean = CATALOGUE[Fault.DIRTY].request(part)
            if share < 0:
                yield f"S1 of {part} sees tiles {_percent(share)} shorter than at first. {clean}"
            else:
                longer = f"S1 of {part} sees tiles {_percent(share)} longer than at first."
                yield f"{longer} Tighten the belt of {part}; if it is tight: {clean}"
        for part, share in _drifted(self.currents, CURRENT):
            if share < 0:
                less = f"The {part} draws {_percent(share)} less current than at first."
                yield f"{less} It slips or is worn: tighten it, or exchange it."
            else:
                more = f"The {part} draws {_percent(share)} more current than at first."
                yield f"{more} Look at its bearings, and for what rubs or is too tight."

    @property
    def facts(self) -> dict[str, Any]:
        """First and last value of each part, as JSON values; None until there are enough sets."""
        return {
            "tile_widths": {part: _ends(values) for part, values in sorted(self.widths.items())},
            "currents_mv": {part: _ends(values) for part, values in sorted(self.currents.items())},
        }


def _first_and_last(values: Sequence[float]) -> tuple[float, float] | None:
    """None while first and last sets would be the same ones."""
    sets = min(SETS, len(values) // 2)
    if sets < FEWEST:
        return None
    return median(values[:sets]), median(values[-sets:])


def _drifted(parts: Mapping[str, Sequence[float]], limit: float) -> Iterator[tuple[str, float]]:
    """The parts that drifted by more than this share, and by how much."""
    for part, values in sorted(parts.items()):
        ends = _first_and_last(values)
        if ends is not None and ends[0] > 0 and abs(share := ends[1] / ends[0] - 1) > limit:
            yield part, share


def _percent(share: float) -> str:
    return f"{abs(share) * 100:.0f} %"


def _ends(values: Sequence[float]) -> dict[str, float] | None:
    ends = _first_and_last(values)
    return None if ends is None else {"first": round(ends[0], 3), "last": round(ends[1], 3)}
