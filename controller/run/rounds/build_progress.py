"""Progress of building a set, computed from the sensors' counts since the build began.

The journal contains the counts at the beginning of the build, and the boards keep counting while no
run is active. A run that resumes a build computes from both how many tiles each head has lifted and
how many stacks it has pushed. If a person removed a tile after it was counted, the tile counter has
recorded a note about that.
"""

from __future__ import annotations

from collections.abc import Iterable

from controller.run.faults.failures import Fault, TableFault
from controller.run.journal.notes import (
    CountedFrom,
    LaneFilled,
    PushDoubted,
    PushProven,
    TileFree,
    TilesSurplus,
    TileSticks,
    notes_of,
)
from controller.run.journal.replay import Notebook
from controller.run.run_together import run_together
from controller.run.stations.tile_counter import TileCounter
from firmware_bridge.boards.devices import Sensor


class BuildProgress:
    """The counts of each sensor that are not yet assigned to a lane or a stack."""

    def __init__(
        self, counters: dict[str, TileCounter], counted: dict[str, int], work: Notebook
    ) -> None:
        self._counters = counters
        self._counted = counted
        self._work = work
        self._filled = {note.seat for note in notes_of(work.notes, LaneFilled)}

    @classmethod
    async def begun(cls, sensors: Iterable[Sensor], work: Notebook) -> BuildProgress:
        """Note the counts if the build begins now, else compute how far it came.

        Raises TableFault if a count is lower than at the beginning, if a stuck tile is gone, if a
        vane has missed an edge, or if surplus tiles were not settled: the progress is then unknown.
        """
        sensors = list(sensors)
        counts = await run_together(*(sensor.count() for sensor in sensors))
        now = {sensor.channel: count for sensor, count in zip(sensors, counts, strict=True)}
        if not has_begun(work):
            await work.note(CountedFrom.of(now))
        base = now | _counted_from(work)
        since = {channel: count - base[channel] for channel, count in now.items()}
        if decreased := [channel for channel, count in since.items() if count < 0]:
            channel = decreased[0]
            raise TableFault(
                Fault.UNPROVEN,
                "trays",
                f"{channel} counts {now[channel]}, less than {base[channel]} at the beginning of"
                " this build",
            )
        for doubt in _doubted(work):
            raise TableFault(Fault.UNPROVEN, "trays", doubt.why)
        for surplus in _unsettled(work):
            raise TableFault(
                Fault.UNPROVEN,
                "trays",
                f"surplus tiles had passed {surplus.counter} when the last run ended"
                f" ({surplus.tiles}); whether they were removed is unknown",
            )
        stuck, counters = _sticking(work), {}
        for sensor in sensors:
            channel = sensor.channel
            counter = TileCounter(sensor, work, base[channel], since[channel], stuck.get(channel))
            since[channel] -= await counter.settle()
            counters[channel] = counter
        return cls(counters, since, work)

    def counter(self, sensor: str) -> TileCounter:
        """The tile counter of one sensor, with the present progress."""
        return self._counters[sensor]

    def take(self, sensor: str | None, most: int) -> int:
        """Assign at most `most` of a sensor's counts; returns the number that were assigned."""
        taken = min(most, self._counted.get(sensor or "", 0))
        if sensor is not None and taken:
            self._counted[sensor] -= taken
        return taken

    def is_filled(self, seat: int) -> bool:
        """Whether the hand lane of this seat was filled and its gate shut."""
        return seat in self._filled

    async def note_filled(self, seat: int) -> None:
        """Note that a hand lane is filled; on disk before the next tile is lifted."""
        self._filled.add(seat)
        await self._work.note(LaneFilled(seat))

    def left(self, sensor: str) -> int:
        """The counts of a sensor that are not assigned yet."""
        return self._counted.get(sensor, 0)


def has_begun(work: Notebook) -> bool:
    """Whether an earlier run has begun this build."""
    return bool(notes_of(work.notes, CountedFrom))


def _counted_from(work: Notebook) -> dict[str, int]:
    """Each sensor's count at the beginning of the build, from the last note."""
    return {
        sensor: count for note in notes_of(work.notes, CountedFrom) for sensor, count in note.counts
    }


def _sticking(work: Notebook) -> dict[str, TileSticks]:
    """The stuck tile of each counter, from the last note of the counter."""
    sticking: dict[str, TileSticks] = {}
    for note in work.notes:
        match note:
            case TileSticks():
                sticking[note.counter] = note
            case TileFree():
                sticking.pop(note.counter, None)
    return sticking


def _unsettled(work: Notebook) -> list[TilesSurplus]:
    """The surplus tiles of each counter, from the last note of the counter."""
    last = {note.counter: note for note in notes_of(work.notes, TilesSurplus)}
    return [note for note in last.values() if note.tiles]


def _doubted(work: Notebook) -> list[PushDoubted]:
    """The unproven pushes of each vane, from the last note of the vane."""
    doubted: dict[str, PushDoubted] = {}
    for note in work.notes:
        match note:
            case PushDoubted():
                doubted[note.vane] = note
            case PushProven():
                doubted.pop(note.vane, None)
    return list(doubted.values())
