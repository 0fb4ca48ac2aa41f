"""Progress of building a set, computed from the sensors' counts since its feeding began.

The counts at the beginning are noted in the journal, and boards keep their counts. So a run that
resumes a build can compute how many tiles each head has lifted and how many stacks it has pushed.
Where a tile was taken out after it had been counted, the head's tally has noted that too.
"""

from __future__ import annotations

from collections.abc import Iterable

from controller.faults.table_fault import Fault, TableFault
from controller.journal.notes import (
    CountedFrom,
    PushDoubted,
    PushProven,
    TileFree,
    TileSticks,
    notes_of,
)
from controller.journal.replay import Notebook
from controller.run_together import run_together
from controller.stations.tile_counter import TileCounter
from firmware_bridge.boards.devices import Sensor


class Feeding:
    """The counts of each sensor that are not yet accounted for."""

    def __init__(self, tallies: dict[str, TileCounter], counted: dict[str, int]) -> None:
        self._tallies = tallies
        self._counted = counted

    @classmethod
    async def begun(cls, sensors: Iterable[Sensor], work: Notebook) -> Feeding:
        """Note the counts if feeding begins now, else compute how far it came.

        Raises TableFault for counts that went back, for a stuck tile that is gone and for a missed
        edge of a vane: then the progress is unknown.
        """
        asked = list(sensors)
        counts = await run_together(*(sensor.count() for sensor in asked))
        now = {sensor.channel: count for sensor, count in zip(asked, counts, strict=True)}
        if not has_begun(work):
            await work.note(CountedFrom.of(now))
        base = now | _counted_from(work)
        since = {channel: count - base[channel] for channel, count in now.items()}
        if back := [channel for channel, count in since.items() if count < 0]:
            channel = back[0]
            raise TableFault(
                Fault.UNPROVEN,
                "trays",
                f"{channel} counts {now[channel]} and had {base[channel]} when this set was begun",
            )
        for doubt in _doubted(work):
            raise TableFault(Fault.UNPROVEN, "trays", doubt.why)
        stuck, tallies = _sticking(work), {}
        for sensor in asked:
            channel = sensor.channel
            tally = TileCounter(sensor, work, base[channel], since[channel], stuck.get(channel))
            since[channel] -= await tally.settle()
            tallies[channel] = tally
        return cls(tallies, since)

    def tally(self, sensor: str) -> TileCounter:
        """The tally of one counter, which continues from here."""
        return self._tallies[sensor]

    def take(self, sensor: str | None, most: int) -> int:
        """Take at most so many of a sensor's counts; they are accounted for from now on."""
        taken = min(most, self._counted.get(sensor or "", 0))
        if sensor is not None and taken:
            self._counted[sensor] -= taken
        return taken

    def left(self, sensor: str) -> int:
        """Counts of a sensor beyond those taken."""
        return self._counted.get(sensor, 0)


def has_begun(work: Notebook) -> bool:
    """Whether feeding had begun when an earlier run was interrupted in this work."""
    return bool(notes_of(work.notes, CountedFrom))


def _counted_from(work: Notebook) -> dict[str, int]:
    """From which count on each sensor's tiles are counted, as noted last."""
    return {
        sensor: count for note in notes_of(work.notes, CountedFrom) for sensor, count in note.counts
    }


def _sticking(work: Notebook) -> dict[str, TileSticks]:
    """The tile that sticks under each counter, as last noted."""
    sticking: dict[str, TileSticks] = {}
    for note in work.notes:
        match note:
            case TileSticks():
                sticking[note.counter] = note
            case TileFree():
                sticking.pop(note.counter, None)
    return sticking


def _doubted(work: Notebook) -> list[PushDoubted]:
    """The doubtful pushes of each vane, as last noted."""
    doubted: dict[str, PushDoubted] = {}
    for note in work.notes:
        match note:
            case PushDoubted():
                doubted[note.vane] = note
            case PushProven():
                doubted.pop(note.vane, None)
    return list(doubted.values())
