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
SOON = 0.5
"""The share of a push before which the vane's edge is the last push's still, bouncing (ours)."""


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
        self._blinked: float | None = None
        """When the vane's edge last ended a push."""
        self._lifting = asyncio.Lock()
        """Held while the wheel lifts, so that a pusher's cure does not reverse it meanwhile."""
        self._held: asyncio.Future[bool] | None = None
        """A push that waits for the lift: True lets it go within that, False after it."""
        self._tried = asyncio.Event()
        """Whether the push that was let go has been tried."""
        self._jammed = False
        """Whether this lift has met a jam since a push was last let go."""
        self._owed = 0
        """Tiles of those due that replace what a person took out: a push waits for them."""

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
            try:
                await self._feed()
            finally:
                self._let_go(within=False)
        if self._face is not None:
            await self._look_at_face(self._face)
        return tiles

    # Past the counter

    async def _feed(self) -> None:
        """Everything that is due, with the cures that it takes."""
        await self._care.cured(self._turn, self._loosening.loosen, self._cleared, self._below.held)

    async def _turn(self) -> None:
        """The wheel lifts what is due; what a jam held up is pushed before the next tile passes."""
        if self._held is not None and self._jammed and not await self._is_blocked():
            await self._bring(self._owed)
            self._tried.clear()
            if self._let_go(within=True):
                await self._tried.wait()
        await self._bring(self._due)

    async def _bring(self, due: int) -> None:
        """So many tiles; S1 is looked at on the way if that takes long."""
        counted, spent = 0, 0.0
        for wait in looks(longest_wait(self._heads, due, self._load), again=self._blocked):
            if counted >= due:
                break
            goal = Edges(self.head.counter, due - counted)
            ended = await self._below.run(self._wheel, FULL, goal, wait)
            counted, spent = counted + ended.count, spent + ended.seconds
            self._blocked = counted < due and await self._is_blocked()
            if self._blocked:
                break
        self._due = max(0, self._due - counted)
        self._owed = max(0, self._owed - counted)
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
            self._jammed = True
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
            self._owed += 1
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
            again = True
            while again:
                jams = self._jams
                try:
                    ended = await self._below.run(pusher, FULL, Edges(vane, 1), limit)
                finally:
                    self._tried.set()
                if ended.reason is Reason.EDGES:
                    if self._bounced():
                        continue
                    return
                # A lift that is on its way meets the same jam and clears it; then it goes on.
                again = await self._is_let_go() or jams != self._jams
            raise await self._unpushed(vane, ended)

        async def loosen(fault: TableFault) -> None:
            async with self._lifting:
                await self._loosening.loosen(fault)

        async def cleared(fault: TableFault) -> None:
            async with self._lifting:
                await self._cleared(fault)
                await self._feed()

        await self._care.cured(push, loosen, cleared, self._below.held)

    async def _is_let_go(self) -> bool:
        """Wait until the lift that is on its way lets the push go on, or is over."""
        if not self._lifting.locked():
            return False
        self._held = asyncio.get_running_loop().create_future()
        try:
            return await self._held
        finally:
            self._held = None

    def _let_go(self, *, within: bool) -> bool:
        """Let the push that waits go on, within a lift or after it; whether one waits."""
        self._jammed, self._owed = False, 0
        if self._held is None or self._held.done():
            return False
        self._held.set_result(within)
        return True

    def _bounced(self) -> bool:
        """Whether the vane's edge came too soon after the last: no turn is as short as that."""
        last, now = self._blinked, asyncio.get_running_loop().time()
        if last is not None and now - last < SOON * self._heads.push:
            return True
        self._blinked = now
        return False

    async def _unpushed(self, vane: str, ended: Ended) -> TableFault:
        """A push that fails behind a stuck tile is a jam too, once no tile passes by itself."""
        evidence = missing(vane, ended)
        self._blocked = await self._is_blocked()
        if self._blocked:
            evidence = f"{evidence}; {self.head.counter} is blocked"
            return TableFault(Fault.JAM, self.part, evidence)
        return TableFault(Fault.PUSHER, self.part, evidence)
