"""Counts of tiles: those that have passed a head's counter S1, and those that heads have to lift.

`TileCounter` counts the tiles that have passed, minus tiles that were removed again. A drive that
stops at the n-th edge reports the tiles that passed while it ran. A tile that passes between two
drives is in the board's count only. A tile that a person removes, or that is sent back into the
drum after it has passed, stays in the board's count. Therefore this class compares its tiles with
the board's count, and after a removal it raises `base`, the board's count at which its own count
would be 0. The journal contains `base` and any tile that sticks under the counter, for a run that
resumes the build.

`Load` contains the tiles that heads still have to lift; `longest_wait` for a tile follows from it.
With fewer than `plenty` tiles in the drum, the mean time between tiles grows in proportion. The
number of tiles left in the drum is computed from the counts of all heads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from config.schema import HeadsModule
from controller.run.faults.failures import Fault, TableFault
from controller.run.journal.notes import (
    CountedFrom,
    PushDoubted,
    PushProven,
    TileFree,
    TilesSurplus,
    TileSticks,
)
from controller.run.journal.replay import DiscardingNotebook, Notebook
from controller.run.planning.least_times import LATE_TILES, MARGIN, STARVED
from firmware_bridge.boards.devices import Sensor


class TileCounter:
    """Tiles of one counter: `through` tiles have passed since the board's count was `base`.

    Without `base` counting starts at the board's count of the first reading. `stuck` is the last
    note of a tile that sticks under the counter.
    """

    def __init__(
        self,
        counter: Sensor,
        work: Notebook | None = None,
        base: int | None = None,
        through: int = 0,
        stuck: TileSticks | None = None,
    ) -> None:
        self._counter = counter
        self._work = work or DiscardingNotebook()
        self._base = base
        self._through = through
        self._stuck = stuck

    @property
    def sticks(self) -> bool:
        """Whether a tile sticks under the counter, according to the last note."""
        return self._stuck is not None

    @property
    def through(self) -> int:
        """Tiles that have passed the counter."""
        return self._through

    def add(self, tiles: int) -> None:
        """Add the tiles that a drive has counted."""
        self._through += tiles

    async def take_unreported(self) -> int:
        """Add the tiles that have passed without a report of a drive; returns their number.

        Raises TableFault UNPROVEN if the board's count is lower than before: a board keeps its
        counts through a reset, so a lower count comes from another board.
        """
        count = await self._counter.count()
        if self._base is None:
            self._count_from(count - self._through)
            await self.on_disk()
            return 0
        new = count - self._base - self._through
        if new < 0:
            evidence = f"{self._counter.channel} counts {count}; its last count was {count - new}"
            raise TableFault(Fault.UNPROVEN, "trays", evidence)
        self._through += new
        return new

    async def uncounted(self) -> int:
        """The tiles that have passed without being counted; they stay uncounted."""
        if self._base is None:
            return 0
        return max(0, await self._counter.count() - self._base - self._through)

    async def remove(self, tiles: int) -> None:
        """Subtract tiles that were removed after passing, and edges that hands have caused."""
        self._through -= tiles
        self._count_from(await self._counter.count() - self._through)
        self.note_free()
        await self.on_disk()

    def note_stuck(self, *, asked: bool) -> None:
        """Note that the last tile sticks under the counter; `asked` if a person is prompted.

        `asked` stays set as long as the same tile sticks.
        """
        if self._stuck is not None and self._stuck.through == self._through:
            asked = asked or self._stuck.asked
        self._set_stuck(TileSticks(self._counter.channel, self._through, asked))

    def note_free(self) -> None:
        """Note that no tile sticks under the counter any more."""
        self._set_stuck(None)

    async def settle(self) -> int:
        """Subtract a tile that stuck when the last run ended, if a person has removed it.

        Returns the number of subtracted tiles. Raises TableFault if the tile is gone and no person
        was prompted to remove it.
        """
        if self._stuck is None or await self._counter.active():
            return 0
        if not self._stuck.asked:
            raise TableFault(
                Fault.UNPROVEN,
                "trays",
                f"a tile was stuck at {self._counter.channel} when the last run ended, and it is "
                "not there now: it has passed, or a person has removed it",
            )
        removed = self._through - self._stuck.through + 1
        await self.remove(removed)
        return removed

    def note_surplus(self, tiles: int) -> None:
        """Note how many surplus tiles have passed; 0 once they are removed."""
        self._work.record(TilesSurplus(self._counter.channel, tiles))

    def note_doubt(self, vane: str, why: str) -> None:
        """Note that a vane missed a signal, so that the number of pushed stacks is unknown."""
        self._work.record(PushDoubted(vane, why))

    def note_proven(self, vane: str) -> None:
        """Note that the number of stacks pushed past a vane is proven again."""
        self._work.record(PushProven(vane))

    async def on_disk(self) -> None:
        """Wait until all notes are on disk."""
        await self._work.on_disk()

    def _count_from(self, base: int) -> None:
        if base != self._base:
            self._base = base
            self._work.record(CountedFrom.of({self._counter.channel: base}))

    def _set_stuck(self, stuck: TileSticks | None) -> None:
        if stuck != self._stuck:
            self._stuck = stuck
            self._work.record(stuck or TileFree(self._counter.channel))


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
