"""Detects drift of each part since the first sets: tile times at sensor S1, motor currents.

The median of the first sets is compared with the median of the last ones, so that a single outlier
is not reported as a trend.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from controller.run.faults.catalogue import CATALOGUE, Fault

SETS, FEWEST = 5, 3
"""How many sets are compared at each end, and the least number. One outlier does not decide the
median of three, nor do two outliers that of five. An evening has several times as many sets
(our choice)."""
WIDTH = 0.08
"""Tolerated drift of the time for which a tile darkens S1, as a share. A belt's speed varies by 2
or 3 % with load and supply; a sensor whose times are a tenth too short still counts every tile
(our choice)."""
CURRENT = 0.20
"""Tolerated drift of a current, as a share. Cold grease and larger sets cause about a tenth (our
choice).
"""


@dataclass
class Drift:
    """Samples of each part, one value for each set in which it was sampled, oldest first."""

    widths: dict[str, list[float]] = field(default_factory=dict)
    """Time for which a tile darkens S1, as a share of that time at the belt's nominal speed."""
    currents: dict[str, list[float]] = field(default_factory=dict)
    """Millivolts of the current sensor, by what the motor drives."""

    def add(self, set_built: Mapping[str, Any]) -> None:
        """Add the samples in the outcome of building a set; older journals have none."""
        for part, samples in set_built.get("heads", {}).items():
            share = samples["width_ms"] / set_built["tile_ms"]
            self.widths.setdefault(part, []).append(share)
        for part, millivolts in set_built.get("drawn_mv", {}).items():
            self.currents.setdefault(part, []).append(millivolts)

    @property
    def warnings(self) -> Iterator[str]:
        """One sentence for each value that drifted too far, with what to do."""
        return (sentence for _, sentence in self.warnings_by_part)

    @property
    def warnings_by_part(self) -> Iterator[tuple[str, str]]:
        """Each part with a value that drifted too far, and the sentence about it."""
        for part, share in _drifted(self.widths, WIDTH):
            clean = CATALOGUE[Fault.DIRTY].request(part)
            if share < 0:
                yield (
                    part,
                    f"S1 of {part} reports tiles {_percent(share)} shorter than at first. {clean}",
                )
            else:
                longer = f"S1 of {part} reports tiles {_percent(share)} longer than at first."
                yield part, f"{longer} Tighten the belt of {part}; if it is tight: {clean}"
        for part, share in _drifted(self.currents, CURRENT):
            if share < 0:
                less = f"The {part} draws {_percent(share)} less current than at first."
                yield part, f"{less} It slips or is worn: tighten or replace it."
            else:
                more = f"The {part} draws {_percent(share)} more current than at first."
                yield (
                    part,
                    f"{more} Check its bearings and its tension, and look for parts that rub.",
                )

    @property
    def shares(self) -> Iterator[tuple[str, str, float]]:
        """The quantity (`tile_time` or `current`), the part and the drift of each part.

        The drift is the change from the first to the last median as a share, 0.1 for 10 % more.
        Parts with too few sets are left out.
        """
        for quantity, parts in (("tile_time", self.widths), ("current", self.currents)):
            for part, share in _drifted(parts, -1.0):
                yield quantity, part, share

    @property
    def facts(self) -> dict[str, Any]:
        """First and last median of each part, as JSON values; None until there are enough sets."""
        return {
            "tile_widths": {part: _ends(values) for part, values in sorted(self.widths.items())},
            "currents_mv": {part: _ends(values) for part, values in sorted(self.currents.items())},
        }


def _first_and_last(values: Sequence[float]) -> tuple[float, float] | None:
    """Medians of the first and the last sets; None while there are too few sets for both."""
    sets = min(SETS, len(values) // 2)
    if sets < FEWEST:
        return None
    return median(values[:sets]), median(values[-sets:])


def _drifted(parts: Mapping[str, Sequence[float]], limit: float) -> Iterator[tuple[str, float]]:
    """The parts that drifted by more than this share, each with the share."""
    for part, values in sorted(parts.items()):
        ends = _first_and_last(values)
        if ends is not None and ends[0] > 0 and abs(share := ends[1] / ends[0] - 1) > limit:
            yield part, share


def _percent(share: float) -> str:
    """A share in percent, without its sign."""
    return f"{abs(share) * 100:.0f} %"


def _ends(values: Sequence[float]) -> dict[str, float] | None:
    """The medians as JSON values."""
    ends = _first_and_last(values)
    return None if ends is None else {"first": round(ends[0], 3), "last": round(ends[1], 3)}
