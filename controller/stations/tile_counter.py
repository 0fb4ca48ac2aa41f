"""Tally of one counter (S1): combines the board's count with tiles taken out or sent back.

A drive that stops at the n-th edge reports the tiles that passed while it ran. A tile that passes
between two drives is counted by the board only; a tile that is taken out or sent back after it has
passed remains counted. So the tally compares the board's count with the tiles, and moves the count
from which tiles are counted whenever a tile goes the wrong way. That count is noted in the journal,
as is a tile that sticks under the counter: a run that resumes the build reads both.
"""

from __future__ import annotations

from controller.faults.table_fault import Fault, TableFault
from controller.journal.notes import CountedFrom, PushDoubted, PushProven, TileFree, TileSticks
from controller.journal.replay import DiscardingNotebook, Notebook
from firmware_bridge.boards.devices import Sensor


class TileCounter:
    """Tally of one counter: `through` tiles have passed since the board had counted `base` edges.

    Without a `base` it begins at the board's count at the first reading. `stuck` is the last note
    of a tile that stuck under the counter.
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
        """Whether a tile sticks under the counter, as last noted."""
        return self._stuck is not None

    @property
    def through(self) -> int:
        """Tiles that have passed the counter."""
        return self._through

    def came(self, tiles: int) -> None:
        """A drive has counted so many tiles."""
        self._through += tiles

    async def slipped_by(self) -> int:
        """Tiles that have passed and that no drive has reported; from now on they are reported.

        Raises TableFault UNPROVEN for a count that went back: boards keep their counts through a
        reset, so a lower count comes from another board.
        """
        count = await self._counter.count()
        if self._base is None:
            self._count_from(count - self._through)
            await self.on_disk()
            return 0
        new = count - self._base - self._through
        if new < 0:
            evidence = f"{self._counter.channel} counts {count} and had {count - new}"
            raise TableFault(Fault.UNPROVEN, "trays", evidence)
        self._through += new
        return new

    async def taken_out(self, tiles: int) -> None:
        """So many tiles were taken out after passing; edges caused by hands are not counted."""
        self._through -= tiles
        self._count_from(await self._counter.count() - self._through)
        self.comes_free()
        await self.on_disk()

    def stuck(self, *, asked: bool) -> None:
        """The last tile sticks under the counter; `asked` if a person is to take it out.

        Once a person has been asked, the machine does not try its own cure again.
        """
        if self._stuck is not None and self._stuck.through == self._through:
            asked = asked or self._stuck.asked
        self._note_stuck(TileSticks(self._counter.channel, self._through, asked))

    def comes_free(self) -> None:
        """The stuck tile is gone and accounted for."""
        self._note_stuck(None)

    async def settle(self) -> int:
        """Drop from the tally a tile that stuck as a run ended, if a person took it out.

        Raises TableFault if it is gone and no person was asked to take it out.
        """
        if self._stuck is None or await self._counter.active():
            return 0
        if not self._stuck.asked:
            raise TableFault(
                Fault.UNPROVEN,
                "trays",
                f"a tile stuck at {self._counter.channel} as the last run ended and sticks there no"
                " more: it has gone on, or was taken out",
            )
        out = self._through - self._stuck.through + 1
        await self.taken_out(out)
        return out

    def doubts(self, vane: str, why: str | None) -> None:
        """Why the tiles pushed on past a vane from here are in doubt; None once they are proven."""
        self._work.record(PushProven(vane) if why is None else PushDoubted(vane, why))

    async def on_disk(self) -> None:
        """Wait until all notes are on disk, before a drive changes what they describe."""
        await self._work.on_disk()

    def _count_from(self, base: int) -> None:
        if base != self._base:
            self._base = base
            self._work.record(CountedFrom.of({self._counter.channel: base}))

    def _note_stuck(self, stuck: TileSticks | None) -> None:
        if stuck != self._stuck:
            self._stuck = stuck
            self._work.record(stuck or TileFree(self._counter.channel))
