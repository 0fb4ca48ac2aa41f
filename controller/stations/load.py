"""The tiles that heads still have to lift, and from that the longest wait for a tile.

Below `plenty` tiles the drum feeds them more slowly, in proportion. The number of tiles left in the
drum is computed from the counts of all heads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from config.schema import HeadsModule

STARVED = 60.0
"""Longest wait of a head before it counts as starved, seconds."""
LATE_TILES = 6.0
"""Multiple of a tile's mean time that counts as a fault; the slowest of a million takes four times
the mean."""
MARGIN = 2.0
FEW = 4
"""Largest number of missing tiles: more than that do not get lost together; they are still in the
drum."""
FIRST_LOOK = 0.6
"""Share of the wait after which S1 is read; few undisturbed tiles take as long."""
SECOND_WIND = 2.0
"""Time until S1 is read after a tile was stuck there, seconds."""


@dataclass
class Load:
    """Tiles that each head has still to bring, by the head's part; empty where that is unknown.

    `report` gets the number of missing tiles when a head reports some missing, and each time that
    one of them comes after all.
    """

    shares: dict[str, int] = field(default_factory=dict)
    report: Callable[[int], None] = lambda missing: None
    _reported: bool = False

    @property
    def left(self) -> int:
        """What all heads together have still to bring."""
        return sum(self.shares.values())

    def came(self, part: str, tiles: int) -> None:
        """A head has counted tiles; a negative number where one was taken out again."""
        if part in self.shares:
            self.shares[part] = max(0, self.shares[part] - tiles)
            if self._reported:
                self.report(self.left)

    def miss(self) -> None:
        """The tiles that are left do not come: they are not in the drum."""
        self._reported = True
        self.report(self.left)

    def is_missing(self, part: str) -> bool:
        """Whether the few tiles that this head lacks are all that any head waits for."""
        return self.shares.get(part, 0) == self.left <= FEW and bool(self.shares)

    def is_full(self, heads: HeadsModule) -> bool:
        """Whether the drum still holds enough tiles for them to come without a delay."""
        return self.left > heads.plenty + len(heads.ports)


def longest_wait(heads: HeadsModule, tiles: int, load: Load) -> float:
    """Longest time in which so many tiles come to a head without a fault, seconds."""
    if not load.shares:
        return STARVED
    least = max(1, load.left - tiles * len(heads.ports))
    mean = heads.spacing * max(1.0, heads.plenty / least)
    return min(STARVED, MARGIN + LATE_TILES * mean * tiles)


def looks(wait: float, *, again: bool) -> tuple[float, float]:
    """The two parts of a wait: until S1 is looked at, and the rest; `again` if it was blocked."""
    first = min(SECOND_WIND, wait) if again else FIRST_LOOK * wait
    return first, wait - first
