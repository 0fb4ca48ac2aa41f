"""Samples the condition of heads and drum while a set is built, to find wear before a failure.

Dirt before S1 shortens a tile's shadow and a slipping belt lengthens it; a belt that runs heavily
makes its motor draw more current. None of these is a fault yet. The samples go into the journal
with the set, and `controller.health.statistics` reports drift.

A few tiles of each head are sampled: sampling all of them would double the traffic on the line.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from config.schema import HeadModule, Table, TileSize
from firmware_bridge.board import Edge
from firmware_bridge.boards.devices import Devices, Sensor
from firmware_bridge.wire.errors import BoardError

SAMPLES = 5
"""Tiles sampled per head and set. A median of five tolerates two outliers (ours)."""
LONGEST = 0.5
"""Longest time a passing tile darkens S1, seconds; a tile that takes longer sticks or stands."""


@dataclass
class _Seen:
    """Samples of one head in one set: shadows in seconds, currents in millivolts by part."""

    widths: list[float] = field(default_factory=list)
    drawn: dict[str, list[int]] = field(default_factory=dict)


class Checkup:
    """Sampler for one table's heads and drum. Motors without a current sensor are left out."""

    def __init__(self, table: Table, tile: TileSize, devices: Devices) -> None:
        heads, drum = table.modules.heads, table.modules.drum
        self._devices = devices
        self._heads = {f"head {n}": head for n, head in enumerate(heads.ports if heads else ())}
        self._drum_current = drum.current if drum else None
        self._tile_ms = tile.length_mm / heads.belt_speed if heads else 0.0
        self._seen: dict[str, _Seen] = {}

    @contextmanager
    def during(self) -> Iterator[None]:
        """Sample while heads work within this block; sampling stops at its end."""
        self._seen = {part: _Seen() for part in self._heads}
        looks = [
            asyncio.create_task(self._look(head, self._seen[part], self._gauges(part, head)))
            for part, head in self._heads.items()
        ]
        try:
            yield
        finally:
            for look in looks:
                look.cancel()

    @property
    def facts(self) -> dict[str, Any]:
        """Samples of the last set as JSON values; parts without samples are left out.

        `tile_ms` is how long a tile should darken S1 at the belt's own speed; for each head there
        are the number of `tiles` sampled, their median `width_ms`, and `spread_ms`, the difference
        between the longest and the shortest. `drawn_mv` has the median reading of each current
        sensor, by what its motor drives.
        """
        widths = {part: _width(seen.widths) for part, seen in self._seen.items() if seen.widths}
        drawn = {
            part: median(readings)
            for seen in self._seen.values()
            for part, readings in seen.drawn.items()
        }
        return {
            **({"tile_ms": round(self._tile_ms, 1), "heads": widths} if widths else {}),
            **({"drawn_mv": drawn} if drawn else {}),
        }

    def _gauges(self, part: str, head: HeadModule) -> dict[str, Sensor]:
        """The current sensors that are read while this head works, by what their motors drive."""
        named = {f"belt of {part}": head.belt_current}
        if part == next(iter(self._heads)):
            named["drum"] = self._drum_current
        return {what: self._devices.sensor(name) for what, name in named.items() if name}

    async def _look(self, head: HeadModule, seen: _Seen, gauges: dict[str, Sensor]) -> None:
        # A board that stops answering raises its own fault; here it only means a missing sample.
        with suppress(BoardError):
            counter = self._devices.sensor(head.counter)
            async with aclosing(_shadows(counter.edges())) as shadows:
                async for width in shadows:
                    seen.widths.append(width)
                    for what, gauge in gauges.items():
                        millivolts = await gauge.board.read(gauge.channel)
                        seen.drawn.setdefault(what, []).append(millivolts)
                    if len(seen.widths) == SAMPLES:
                        break


async def _shadows(edges: AsyncIterator[Edge]) -> AsyncGenerator[float, None]:
    """How long each tile darkens a counter, seconds on the board's clock."""
    began: Edge | None = None
    async for edge in edges:
        if edge.active:
            began = edge
        elif began is not None and began.count == edge.count:
            # After a reset or a lost line, times of the board's clock before and after are not
            # comparable.
            if 0.0 < edge.at - began.at < LONGEST:
                yield edge.at - began.at
            began = None


def _width(widths: list[float]) -> dict[str, float]:
    return {
        "tiles": len(widths),
        "width_ms": round(median(widths) * 1000, 1),
        "spread_ms": round((max(widths) - min(widths)) * 1000, 1),
    }
