"""The drum's heads: a gathered set becomes stacks in the trays.

Each head counts tiles past S1 in the board itself, so the wheel stops at the very edge that was
asked for. While a stack is pushed on, the wheel already lifts the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import partial

from config.schema import Head, Heads
from controller.faults.retry import Care
from controller.faults.table_fault import Fault, TableFault
from controller.stations.load import Load, longest_wait, looks
from controller.stations.loosening import Loosening
from controller.stations.standstill import Standstill
from controller.stations.switched import FULL, LATE, MARGIN, SOON, missing
from controller.stations.tile_counter import TileCounter
from firmware_bridge.board import Edges, Ended, Reason
from firmware_bridge.boards.devices import Devices, Motor, Sensor

PASSING = 0.5
"""Longer than any tile takes from the wheel to the counter, or past it, seconds (ours)."""


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
        self._vane = devices.sensor(head.vane) if head.vane else None
        self._counter = devices.sensor(head.counter)
        self._face: Sensor | None = devices.sensor(head.face) if head.face else None
        self._loosening = Loosening(head, devices, below, drum)
        self._load = Load()
        self._tally = TileCounter(self._counter)
        self._due = 0
        """Tiles that have still to pass the counter."""
        self._over = 0
        """Tiles that passed it and should not have."""
        self._unwatched = False
        """Whether the last drive ended before its tiles came: some may come while none runs."""
        self._blocked = False
        """Whether a tile stuck at the counter when it was last looked at."""
        self._jams = 0
        """How often one did."""
        self._stands: bool | None = None
        """Whether the vane covers its sensor, so that a whole turn leads to its next edge; None
        until it is asked."""
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

    async def start(
        self,
        load: Load | None = None,
        tally: TileCounter | None = None,
        *,
        taken_over: bool = False,
    ) -> None:
        """The belt runs while the head feeds; `load` is what all heads together are to bring.

        `tally` knows what has passed this head's counter before, and a feed that is `taken_over`
        may find a tile on the belt.
        """
        self._load, self._due = load or Load(), 0
        self._tally, self._unwatched = tally or TileCounter(self._counter), taken_over
        if self._vane is not None and self._stands is None:
            # Before the first tile comes: a push that waits for this would find the next one too.
            self._stands = await self._vane.active()
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
                # Let it give its order now: a board does what it is told in that order, so no
                # tile of the next stack comes under this push, however bad the line is.
                await asyncio.sleep(0)
            if push is not None:
                await push
        finally:
            if push is not None and not push.done():
                push.cancel()
        return counted

    async def lift(self, tiles: int, *, through: bool = False) -> int:
        """Let so many tiles past the counter. Raises TableFault if they do not come.

        A tile is counted as it comes to the counter, and it may stick there. With `through` the
        last one has left it too: a lane's gate may shut behind it. A push finds out by itself.
        """
        async with self._lifting:
            self._due += tiles
            try:
                await self._feed(through=through)
            finally:
                self._let_go(within=False)
        if self._face is not None:
            await self._look_at_face(self._face, through=through)
        return tiles

    async def stop(self) -> None:
        """Stop wheel and pusher where they are."""
        await self._wheel.stop()
        if self._pusher:
            await self._pusher.stop()

    async def brings_more(self) -> bool:
        """Whether a tile still comes, in a time in which the last one in the drum would.

        Raises TableFault if the wheel did not turn for that long: that proves nothing.
        """
        wait = longest_wait(self._heads, 1, self._load)
        ended = await self._below.run(self._wheel, FULL, Edges(self.head.counter, 1), wait)
        if not ended.count and ended.reason is not Reason.TIME:
            raise TableFault(Fault.UNPROVEN, "trays", missing(self.head.counter, ended))
        return ended.count > 0

    # Past the counter

    async def _feed(self, *, through: bool = False) -> None:
        """Everything that is due, with the cures that it takes."""
        turn = partial(self._turn, through=through)
        await self._care.cured(turn, self._loosen, self._cleared, self._at_rest)

    async def _turn(self, *, through: bool) -> None:
        """The wheel lifts what is due; what a jam held up is pushed before the next tile passes."""
        if self._held is not None and self._jammed and not await self._is_blocked():
            await self._bring(self._owed)
            self._tried.clear()
            if self._let_go(within=True):
                await self._tried.wait()
        await self._bring(self._due)
        if through:
            await self._see_through()

    async def _see_through(self) -> None:
        """The last tile that was counted leaves the counter. Raises TableFault if it sticks."""
        self._blocked = await self._is_blocked()
        if self._blocked:
            raise self._jam(f"{self.head.counter} counted its last tile")

    async def _bring(self, due: int) -> None:
        """So many tiles; S1 is looked at on the way if that takes long."""
        counted, spent, before = 0, 0.0, self._due
        for wait in looks(longest_wait(self._heads, due, self._load), again=self._blocked):
            if self._unwatched:
                # None may pass between the question how many did and the drive that counts on.
                await self._below.moved(PASSING)
                counted += await self._slipped_by()
            if counted >= due:
                break
            await self._look_again()
            if spent:
                await self._below.renew()
            goal = Edges(self.head.counter, due - counted)
            ended = await self._below.run(self._wheel, FULL, goal, wait)
            self._tally.came(ended.count)
            counted, spent = counted + ended.count, spent + ended.seconds
            self._unwatched = counted < due
            self._blocked = self._unwatched and await self._is_blocked()
            if self._blocked:
                break
        counted += await self._slipped_by()
        self._blocked = self._blocked and counted < due
        self._came(counted)
        if counted < due or counted > before:
            evidence = f"{self.head.counter} counted {counted} of {due} tiles in {spent:.1f} s"
            raise self._miscounted(counted - due, evidence)

    def _came(self, tiles: int) -> None:
        """So many have passed the counter."""
        if not tiles:
            return
        self._over += max(0, tiles - self._due)
        self._due = max(0, self._due - tiles)
        self._owed = max(0, self._owed - tiles)
        self._load.came(self.part, tiles)
        self._tally.comes_free()

    async def _slipped_by(self) -> int:
        """Tiles that passed the counter while no drive counted them."""
        return await self._tally.slipped_by() if self._unwatched else 0

    def _miscounted(self, over: int, evidence: str) -> TableFault:
        """Why tiles did not come, or more of them than should, as far as the sensors tell."""
        if over > 0:
            return TableFault(Fault.EXTRA_TILE, self.part, evidence)
        if self._blocked:
            return self._jam(evidence)
        if self._load.is_full(self._heads):
            inside = f"{self._load.left} tiles are still in the drum"
            return TableFault(Fault.JAM, self.part, f"{evidence}, and {inside}")
        if self._load.is_missing(self.part):
            self._load.miss()
            sides = " and ".join(map(str, self.head.trays))
            lacks = f"side {sides} lacks {self._load.left}, and no other side waits"
            return TableFault(Fault.MISSING_TILE, self.part, f"{evidence}; {lacks}")
        return TableFault(Fault.STARVED, self.part, evidence)

    def _jam(self, evidence: str) -> TableFault:
        """A tile sticks at the counter."""
        self._jams += 1
        self._jammed = True
        self._tally.stuck(asked=False)
        return TableFault(Fault.JAM, self.part, f"{evidence} and is blocked")

    async def _is_blocked(self) -> bool:
        """Whether a tile is at the counter, and stays there though the belt runs."""
        if not await self._counter.active():
            return False
        await self._below.moved(PASSING)
        return await self._counter.active()

    async def _look_again(self) -> None:
        """What stuck at the counter and is there no more has gone on."""
        if self._tally.sticks and not await self._counter.active():
            self._tally.comes_free()

    async def _loosen(self, fault: TableFault) -> None:
        await self._tally.on_disk()  # what sticks there, before it is moved
        await self._loosening.loosen(fault)
        await self._look_again()

    @asynccontextmanager
    async def _at_rest(self) -> AsyncIterator[None]:
        """Everything stands still while a person reaches in, and it is known what sticks then."""
        async with self._below.held():
            self._came(await self._slipped_by())
            if self._blocked:
                self._tally.stuck(asked=True)
            yield

    async def _cleared(self, fault: TableFault) -> None:
        """What stuck at the counter, or was too many, was counted; a person has put it back."""
        out = 0
        if fault.fault is Fault.JAM and self._blocked:
            if await self._counter.active():
                return
            self._blocked = False
            self._due += 1
            self._owed += 1
            out = 1
        elif fault.fault is Fault.EXTRA_TILE:
            out, self._over = self._over, 0
        self._load.came(self.part, -out)
        await self._tally.taken_out(out)

    async def _look_at_face(self, face: Sensor, *, through: bool = False) -> None:
        async def look() -> None:
            if await face.active():
                raise TableFault(Fault.FACE_UP, self.part, f"{face.channel} is active")

        async def pick_again(_: TableFault) -> None:
            if await self._loosening.turn_over():
                return
            if await self._loosening.send_back():
                self._due += 1
                self._load.came(self.part, -1)
                await self._tally.taken_out(1)
                await self._feed(through=through)

        await self._care.cured(look, pick_again, self._cleared, self._at_rest)

    # From the head into the tray

    async def _push(self) -> None:
        assert self._pusher is not None and self.head.vane is not None
        pusher, vane = self._pusher, self.head.vane
        through, missed = self._tally.through, ""

        async def push() -> None:
            nonlocal missed
            limit = self._heads.push * LATE + MARGIN
            again = True
            while again:
                jams = self._jams
                whole, self._stands = self._stands, False
                try:
                    ended = await self._below.run(pusher, FULL, Edges(vane, 1), limit)
                finally:
                    self._tried.set()
                if ended.reason is Reason.EDGES:
                    self._stands = True
                    if whole and ended.seconds < SOON * self._heads.push:
                        # The vane bounced as it left its sensor.
                        continue
                    if missed:
                        self._prove(vane, missed, self._tally.through - through)
                    return
                # A lift that is on its way meets the same jam and clears it; then it goes on.
                again = await self._is_let_go() or jams != self._jams
            fault = await self._unpushed(vane, ended)
            if fault.fault is Fault.PUSHER:
                missed = fault.evidence
                self._tally.doubts(vane, missed)
            raise fault

        async def loosen(fault: TableFault) -> None:
            async with self._lifting:
                await self._loosen(fault)

        async def cleared(fault: TableFault) -> None:
            async with self._lifting:
                await self._cleared(fault)
                await self._feed()

        await self._care.cured(push, loosen, cleared, self._at_rest)

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

    async def _unpushed(self, vane: str, ended: Ended) -> TableFault:
        """A push that fails behind a stuck tile is a jam too, once no tile passes by itself."""
        evidence = missing(vane, ended)
        self._blocked = await self._is_blocked()
        if self._blocked:
            self._tally.stuck(asked=False)
            evidence = f"{evidence}; {self.head.counter} is blocked"
            return TableFault(Fault.JAM, self.part, evidence)
        return TableFault(Fault.PUSHER, self.part, evidence)

    def _prove(self, vane: str, missed: str, lifted: int) -> None:
        """A vane tells again: its pusher may have gone round unseen, and found what was lifted.

        Raises TableFault if there was anything: then its stacks may be too low or too high.
        """
        if lifted:
            evidence = f"{missed}; {lifted} tiles came meanwhile, and may stand in any stack"
            raise TableFault(Fault.UNPROVEN, self.part, evidence)
        self._tally.doubts(vane, None)
