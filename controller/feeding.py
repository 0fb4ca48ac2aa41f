"""How far a set has been built, by what the sensors have counted since its feeding began.

The counts at the beginning are noted in the journal, and boards keep their counts: so a run that
goes on with a build knows how many tiles each head has lifted and how many stacks it has pushed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from controller.faults import Fault, TableFault
from controller.past import Notebook
from firmware_bridge.devices import Sensor

NOTED = "feeding"


class Feeding:
    """What each sensor has counted that is not yet accounted for."""

    def __init__(self, counted: dict[str, int]) -> None:
        self._counted = counted

    @classmethod
    async def begun(cls, sensors: Iterable[Sensor], work: Notebook) -> Feeding:
        """Note the counts if feeding begins now, else see how far it came.

        Raises TableFault for counts that went back: then nobody knows how far it came.
        """
        asked = list(sensors)
        counts = await asyncio.gather(*(sensor.count() for sensor in asked))
        now = {sensor.channel: count for sensor, count in zip(asked, counts, strict=True)}
        base = noted(work)
        if base is None:
            work.note({NOTED: now})
            base = now
        since = {channel: count - base[channel] for channel, count in now.items()}
        if back := [channel for channel, count in since.items() if count < 0]:
            channel = back[0]
            raise TableFault(
                Fault.UNPROVEN,
                "trays",
                f"{channel} counts {now[channel]} and had {base[channel]} when this set was begun",
            )
        return cls(since)

    def take(self, sensor: str | None, most: int) -> int:
        """Of what a sensor has counted, at most so many; they are accounted for from now on."""
        taken = min(most, self._counted.get(sensor or "", 0))
        if sensor is not None and taken:
            self._counted[sensor] -= taken
        return taken

    def left(self, sensor: str) -> int:
        """What a sensor has counted beyond what was taken."""
        return self._counted.get(sensor, 0)


def noted(work: Notebook) -> dict[str, int] | None:
    """The counts when feeding began, None if it has not."""
    return next((note[NOTED] for note in work.notes if NOTED in note), None)
