"""Load: the tiles that heads still have to lift, and the longest wait for a tile.

With fewer than `plenty` tiles in the drum, the mean time between tiles grows in proportion. The
number of tiles left in the drum is computed from the counts of all heads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from config.schema import HeadsModule
from controller.run.planning.least_times import LATE_TILES, MARGIN, STARVED

MOST_MISSING = 4
"""Largest number of tiles that count as missing; more tiles than that are still in the drum."""
FIRST_PART = 0.6
"""Share of the wait after which S1 is read; few undisturbed tiles take that long."""
FIRST_PART_AFTER_JAM = 2.0
"""Seconds of the wait after which S1 is read, if a tile was stuck there before."""


@dataclass
class Load:
    """Tiles that each head still has to lift, by the head's part; empty if unknown.

    `report` receives the number of missing tiles when a head reports missing tiles, and after each
    later count.
    """

    shares: dict[str, int] = field(default_factory=dict)
    report: Callable[[int], None] = lambda missing: None
    counted: Callable[[], None] = lambda: None
    """Called after every count."""
    _reported: bool = False
    _whole: int = field(init=False)

    def __post_init__(self) -> None:
        self._whole = self.left

    @property
    def left(self) -> int:
        """Tiles that all heads together still have to lift."""
        return sum(self.shares.values())

    def count(self, part: str, tiles: int) -> None:
        """Subtract tiles that a head has counted; a negative number for tiles that were removed."""
        if part in self.shares:
            self.shares[part] = max(0, self.shares[part] - tiles)
            self.counted()
            if self._reported:
                self.report(self.left)

    def report_missing(self) -> None:
        """Report that the tiles left are missing, because they are not in the drum."""
        self._reported = True
        self.report(self.left)

    def is_missing(self, part: str) -> bool:
        """Whether this head alone lacks tiles, and at most `MOST_MISSING`."""
        return self.shares.get(part, 0) == self.left <= MOST_MISSING and bool(self.shares)

    def is_untouched(self) -> bool:
        """Whether no head has counted a tile of this load."""
        return self.left == self._whole

    def is_full(self, heads: HeadsModule) -> bool:
        """Whether the drum holds enough tiles for them to come without delay."""
        return self.left > heads.plenty + len(heads.ports)


def longest_wait(heads: HeadsModule, tiles: int, load: Load) -> float:
    """Longest time in which this number of tiles comes to a head without a fault, seconds."""
    if not load.shares:
        return STARVED
    least = max(1, load.left - tiles * len(heads.ports))
    mean = heads.spacing * max(1.0, heads.plenty / least)
    return min(STARVED, MARGIN + LATE_TILES * mean * tiles)


def wait_parts(wait: float, *, again: bool) -> tuple[float, float]:
    """The parts of a wait before and after S1 is read; `again` if S1 was blocked before."""
    first = min(FIRST_PART_AFTER_JAM, wait) if again else FIRST_PART * wait
    return first, wait - first
