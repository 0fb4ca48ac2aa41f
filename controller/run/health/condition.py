"""Samples the condition of heads and drum while a set is built, to find wear before a failure.

A tile darkens the head's sensor S1 while it passes. Dirt on S1 shortens that time and a slipping
belt lengthens it; a belt that runs heavily makes its motor draw more current. None of these is a
fault yet. The samples are written to the journal with the set, and
`controller.run.health.statistics` reports a trend over many sets.

Only a few tiles of each head are sampled, because sampling all of them would double the traffic on
the line.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from config.schema import HeadModule, Table, TileSize
from firmware_bridge.board import Edge
from firmware_bridge.boards.devices import Devices, Sensor
from firmware_bridge.wire.errors import BoardError

SAMPLES = 5
"""Tiles sampled per head and set. A median of five tolerates two outliers (our choice)."""
LONGEST = 0.5
"""Longest time for which a moving tile darkens S1, seconds; longer times are not sampled."""


@dataclass
class _Samples:
    """Samples of one head in one set."""

    widths: list[float] = field(default_factory=list)
    """How long each sampled tile darkened S1, seconds."""
    currents: dict[str, list[int]] = field(default_factory=dict)
    """Readings of current sensors, millivolts, by what the motor drives."""


class ConditionSampler:
    """Samples one table's heads and drum. Motors without a current sensor are left out."""

    def __init__(self, table: Table, tile: TileSize, devices: Devices) -> None:
        heads, drum = table.modules.heads, table.modules.drum
        self._devices = devices
        self._heads = {f"head {n}": head for n, head in enumerate(heads.ports if heads else ())}
        self._drum_current = drum.current if drum else None
        self._tile_ms = tile.length_mm / heads.belt_speed if heads else 0.0
        self._samples: dict[str, _Samples] = {}

    @contextmanager
    def during(self) -> Iterator[None]:
        """Sample the heads within this block; samples of the previous set are dropped."""
        self._samples = {part: _Samples() for part in self._heads}
        tasks = [
            asyncio.create_task(self._sample(head, self._samples[part], self._gauges(part, head)))
            for part, head in self._heads.items()
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()

    @property
    def facts(self) -> dict[str, Any]:
        """Samples of the last set as JSON values; parts without samples are left out.

        `tile_ms` is the time for which a tile darkens S1 at the belt's nominal speed. `heads` has,
        for each head, the number of `tiles` sampled, their median time `width_ms`, and `spread_ms`,
        the difference between the longest and the shortest time. `drawn_mv` has the median reading
        of each current sensor, by what its motor drives.
        """
        samples = self._samples.items()
        widths = {part: _width(each.widths) for part, each in samples if each.widths}
        drawn = {
            driven: median(readings)
            for _, each in samples
            for driven, readings in each.currents.items()
        }
        return {
            **({"tile_ms": round(self._tile_ms, 1), "heads": widths} if widths else {}),
            **({"drawn_mv": drawn} if drawn else {}),
        }

    def _gauges(self, part: str, head: HeadModule) -> dict[str, Sensor]:
        """The current sensors that are read with this head's samples, by what the motors drive.

        The drum's current is read with the samples of the first head.
        """
        named = {f"belt of {part}": head.belt_current}
        if part == next(iter(self._heads)):
            named["drum"] = self._drum_current
        return {driven: self._devices.sensor(name) for driven, name in named.items() if name}

    async def _sample(self, head: HeadModule, samples: _Samples, gauges: dict[str, Sensor]) -> None:
        """Sample up to `SAMPLES` tiles of one head."""
        # `Pauses` handles a board that does not answer; here the error only ends the sampling.
        with suppress(BoardError):
            counter = self._devices.sensor(head.counter)
            with closing(counter.edges()) as edges:
                async for width in _shadows(edges):
                    samples.widths.append(width)
                    for driven, gauge in gauges.items():
                        millivolts = await gauge.board.read(gauge.channel)
                        samples.currents.setdefault(driven, []).append(millivolts)
                    if len(samples.widths) == SAMPLES:
                        break


async def _shadows(edges: AsyncIterator[Edge]) -> AsyncIterator[float]:
    """Yield how long each tile darkens a counting sensor, in seconds of the board's clock."""
    began: Edge | None = None
    async for edge in edges:
        if edge.active:
            began = edge
        elif began is not None and began.count == edge.count:
            # After a reset of the board or a lost line, the times of the two edges are not
            # comparable; a difference that is out of range is dropped.
            if 0.0 < edge.at - began.at < LONGEST:
                yield edge.at - began.at
            began = None


def _width(widths: list[float]) -> dict[str, float]:
    """One head's samples as JSON values."""
    return {
        "tiles": len(widths),
        "width_ms": round(median(widths) * 1000, 1),
        "spread_ms": round((max(widths) - min(widths)) * 1000, 1),
    }
