"""The drum and its heads: a gathered set becomes stacks in the trays.

Each head counts tiles past S1 in the board itself, so the wheel stops at the very edge that was
asked for. While a stack is pushed on, the wheel already lifts the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from config.schema import Head, Heads
from controller.faults import Fault, TableFault
from controller.stations.switched import FULL, LATE, MARGIN, missing
from firmware_bridge.board import Edges, Reason
from firmware_bridge.devices import Devices, Sensor

STARVED = 60.0
"""How long a head may wait for its tiles before it counts as starved, seconds."""


class HeadStation:
    """One head: wheel, counter, belt, pusher with its vane."""

    def __init__(self, number: int, head: Head, heads: Heads, devices: Devices) -> None:
        self.part = f"head {number}"
        self.head = head
        self._heads = heads
        self._wheel = devices.motor(head.wheel)
        self._belt = devices.motor(head.belt) if head.belt else None
        self._pusher = devices.motor(head.pusher) if head.pusher else None
        self._face: Sensor | None = devices.sensor(head.face) if head.face else None

    async def start(self) -> None:
        """The belt runs while the head feeds."""
        if self._belt:
            await self._belt.keep_running(FULL)

    async def halt(self) -> None:
        if self._belt:
            await self._belt.stop()

    async def stack(self, heights: Iterable[int]) -> int:
        """Build stacks of these heights in the tray before the head; returns the tiles counted.

        Raises TableFault if a tile or the vane's edge does not come.
        """
        counted = 0
        push: asyncio.Task[None] | None = None
        try:
            for height in heights:
                counted += await self.lift(height)
                if push is not None:
                    await push
                push = asyncio.create_task(self._push())
            if push is not None:
                await push
        finally:
            if push is not None and not push.done():
                push.cancel()
        return counted

    async def lift(self, tiles: int) -> int:
        """Let so many tiles past the counter. Raises TableFault if they do not come."""
        ended = await self._wheel.run(FULL, Edges(self.head.counter, tiles), STARVED)
        if ended.reason is not Reason.EDGES or ended.count != tiles:
            raise TableFault(
                Fault.STARVED,
                self.part,
                f"{self.head.counter} counted {ended.count} of {tiles} tiles"
                f" in {ended.seconds:.1f} s",
            )
        if self._face is not None and await self._face.active():
            raise TableFault(Fault.FACE_UP, self.part, f"{self.head.face} is active")
        return ended.count

    async def _push(self) -> None:
        assert self._pusher is not None and self.head.vane is not None
        limit = self._heads.push * LATE + MARGIN
        ended = await self._pusher.run(FULL, Edges(self.head.vane, 1), limit)
        if ended.reason is not Reason.EDGES:
            raise TableFault(Fault.PUSHER, self.part, missing(self.head.vane, ended))
