"""The drum's heads: a gathered set becomes stacks in the trays.

Each head counts tiles past S1 in the board itself, so the wheel stops at the very edge that was
asked for. While a stack is pushed on, the wheel already lifts the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from config.schema import Head, Heads
from controller.cure import Care
from controller.faults import Fault, TableFault
from controller.stations.load import Load, longest_wait, looks
from controller.stations.loosening import Loosening
from controller.stations.standstill import Standstill
from controller.stations.switched import FULL, LATE, MARGIN, missing
from firmware_bridge.board import Edges, Ended, Reason
from firmware_bridge.devices import Devices, Motor, Sensor

PASSING = 0.5
"""Longer than any tile takes past the counter, seconds (ours)."""


class HeadStation:
    """One head: wheel, counter, belt, pusher with its vane; `drum` is reversed for it."""

    def __init__(
        self,
        number: int,
        head: Head,
        heads: Heads,
        devices: Devices,
        care: Care,
        below: Standstill,
        drum: Motor | None = None,
    ) -> None:
        self.part = f"head {number}"
        self.head = head
        self._heads = heads
        self._care = care
        self._below = below
        self._wheel = devices.motor(head.wheel)
        self._belt = devices.motor(head.belt) if head.belt else None
        self._pusher = devices.motor(head.pusher) if head.pusher else None
        self._counter = devices.sensor(head.counter)
        self._face: Sensor | None = devices.sensor(head.face) if head.face else None
        self._loosening = Loosening(head, devices, below, drum)
        self._load = Load()
        self._due = 0
        """Tiles that have still to pass the counter."""
        self._blocked = False
        """Whether a tile stuck at the counter when it was last looked at."""
        self._jams = 0
        """How often one did."""
        self._lifting = asyncio.Lock()
        """Held while the wheel lifts, so that a pusher's cure does not reverse it meanwhile."""

    async def start(self, load: Load | None = None) -> None:
        """The belt runs while the head feeds; `load` is what all heads together are to bring."""
        self._load, self._due = load or Load(), 0
        if self._belt:
            await self._below.keep_running(self._belt, FULL)

    async def halt(self) -> None:
        if self._belt:
            await self._below.stop(self._belt)

    async def stack(self, heights: Iterable[int], lifted: int = 0) -> int:
        """Build stacks of these heights in the tray before the head; returns the tiles counted.

        So many of them were `lifted` before and wait to be pushed on. Raises TableFault if a tile
        or the vane's edge does not come.
        """
        counted = 0
        push: asyncio.Task[None] | None = None
        try:
            for height in heights:
                there = min(lifted, height)
                lifted, counted = lifted - there, counted + there
                if there < height:
                    counted += await self.lift(height - there)
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
        async with self._lifting:
            self._due += tiles
            await self._feed()
        if self._face is not None:
            await self._look_at_face(self._face)
        return tiles

    # Past the counter

    async def _feed(self) -> None:
        """Everything that is due, with the cures that it takes."""
        await self._care.cured(self._turn, self._loosening.loosen, self._cleared, self._below.held)

    async def _turn(self) -> None:
        """The wheel lifts what is due; S1 is looked at on the way if that takes long."""
        due, counted, spent = self._due, 0, 0.0
        for wait in looks(longest_wait(self._heads, due, self._load), again=self._blocked):
            if counted >= due:
                break
            goal = Edges(self.head.counter, due - counted)
            ended = await self._below.run(self._wheel, FULL, goal, wait)
            counted, spent = counted + ended.count, spent + ended.seconds
            self._blocked = counted < due and await self._is_blocked()
            if self._blocked:
                break
        self._due = max(0, due - counted)
        self._load.came(self.part, counted)
        if counted != due:
            evidence = f"{self.head.counter} counted {counted} of {due} tiles in {spent:.1f} s"
            raise self._miscounted(counted - due, evidence)

    def _miscounted(self, over: int, evidence: str) -> TableFault:
        """Why tiles did not come, or more of them than should, as far as the sensors tell."""
        if over > 0:
            return TableFault(Fault.EXTRA_TILE, self.part, evidence)
        if self._blocked:
            self._jams += 1
            return TableFault(Fault.JAM, self.part, f"{evidence} and is blocked")
        if self._load.is_full(self._heads):
            inside = f"{self._load.left} tiles are still in the drum"
            return TableFault(Fault.JAM, self.part, f"{evidence}, and {inside}")
        if self._load.is_missing(self.part):
            sides = " and ".join(map(str, self.head.trays))
            lacks = f"side {sides} lacks {self._load.left}, and no other side waits"
            return TableFault(Fault.MISSING_TILE, self.part, f"{evidence}; {lacks}")
        return TableFault(Fault.STARVED, self.part, evidence)

    async def _is_blocked(self) -> bool:
        """Whether a tile is at the counter, and stays there."""
        if not await self._counter.active():
            return False
        await asyncio.sleep(PASSING)
        return await self._counter.active()

    async def _cleared(self, fault: TableFault) -> None:
        """A tile that stuck at the counter was counted; a person has put it back into the drum."""
        if fault.fault is Fault.JAM and self._blocked and not await self._counter.active():
            self._blocked = False
            self._due += 1
            self._load.came(self.part, -1)

    async def _look_at_face(self, face: Sensor) -> None:
        async def look() -> None:
            if await face.active():
                raise TableFault(Fault.FACE_UP, self.part, f"{face.channel} is active")

        async def pick_again(_: TableFault) -> None:
            if await self._loosening.turn_over():
                return
            if await self._loosening.send_back():
                self._due += 1
                self._load.came(self.part, -1)
                await self._feed()

        await self._care.cured(look, pick_again, around=self._below.held)

    # From the head into the tray

    async def _push(self) -> None:
        assert self._pusher is not None and self.head.vane is not None
        pusher, vane = self._pusher, self.head.vane

        async def push() -> None:
            limit = self._heads.push * LATE + MARGIN
            jams = -1
            while jams != self._jams:
                jams = self._jams
                ended = await self._below.run(pusher, FULL, Edges(vane, 1), limit)
                if ended.reason is Reason.EDGES:
                    return
                # A lift that is on its way meets the same jam and clears it; then it goes on.
                async with self._lifting:
                    pass
            raise await self._unpushed(vane, ended)

        async def loosen(fault: TableFault) -> None:
            async with self._lifting:
                await self._loosening.loosen(fault)

        async def cleared(fault: TableFault) -> None:
            async with self._lifting:
                await self._cleared(fault)
                await self._feed()

        await self._care.cured(push, loosen, cleared, self._below.held)

    async def _unpushed(self, vane: str, ended: Ended) -> TableFault:
        """A push that fails behind a stuck tile is a jam too, once no tile passes by itself."""
        evidence = missing(vane, ended)
        self._blocked = await self._is_blocked()
        if self._blocked:
            evidence = f"{evidence}; {self.head.counter} is blocked"
            return TableFault(Fault.JAM, self.part, evidence)
        return TableFault(Fault.PUSHER, self.part, evidence)
