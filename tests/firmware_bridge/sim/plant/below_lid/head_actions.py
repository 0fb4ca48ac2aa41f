"""Actions of the heads for tests: fill the drum, count tiles, push stacks, read pulses of S1."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from firmware_bridge.board import Edges, Ended
from firmware_bridge.wire.messages import EdgeSeen
from tests.firmware_bridge.sim.rack import Rack

TILE_TIME = 0.152
"""Seconds that S1 is active for a tile: 38 mm at 0.25 m/s."""


def fill(rack: Rack, tiles: int = 136) -> None:
    """Put tiles of the first box into the drum, and start the drum and all belts."""
    assert rack.plant.drum is not None
    box = rack.plant.boxes[0]
    rack.plant.drum.pour([box.take(tile) for tile in box.tiles[:tiles]])
    rack.set("drum", 700)
    for head in range(len(rack.plant.heads)):
        rack.set(f"head{head}_belt", 600)


async def count(rack: Rack, tiles: int, head: int = 0, limit: float = 60.0) -> Ended:
    """Run a head's wheel until this number of tiles has passed S1."""
    return await rack.drive(f"head{head}_wheel", 600, Edges(f"head{head}_counter", tiles), limit)


async def push(rack: Rack, head: int = 0, limit: float = 2.0) -> Ended:
    """Run a head's pusher for one turn, which pushes its stack into the tray."""
    return await rack.drive(f"head{head}_pusher", 500, Edges(f"head{head}_vane", 1), limit)


async def push_single_tiles(rack: Rack, tiles: int) -> None:
    """Push stacks of one tile each from head 0, as for a boneyard."""
    for _ in range(tiles):
        await count(rack, 1)
        await asyncio.sleep(0.5)
        await push(rack)


def pulses(rack: Rack, sensor: str = "head0_counter") -> list[float]:
    """Return the duration in seconds of each pulse of a subscribed counter."""
    number = rack.number(sensor)
    edges = [
        (at, e.active)
        for at, e in rack.received(EdgeSeen)
        if e.channel == number  # type: ignore[attr-defined]
    ]
    return [off - on for (on, active), (off, still) in pairwise(edges) if active and not still]
