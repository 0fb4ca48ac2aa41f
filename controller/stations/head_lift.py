"""A head's lift: the wheel lets tiles past the counter S1, with the cures of what goes wrong there.

The board counts the tiles, so the wheel stops at the very edge that was asked for.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from config.schema import HeadModule, HeadsModule
from controller.faults.retry import Care
from controller.faults.table_fault import Fault, TableFault
from controller.stations.hand_over import HandOver
from controller.stations.load import Load, longest_wait, looks
from controller.stations.loosening import Loosening
from controller.stations.standstill import Standstill
from controller.stations.switched import FULL, missing
from controller.stations.tile_counter import TileCounter
from firmware_bridge.board import Edges, Reason
from firmware_bridge.boards.devices import Devices, Motor, Sensor

PASSING = 0.5
"""Time within which any tile gets from the wheel to the counter, or past it, seconds (ours)."""


class HeadLift:
    """The wheel and the counter of one head; `drum` is reversed for it."""

    def __init__(
        self,
        part: str,
        head: HeadModule,
        heads: HeadsModule,
        devices: Devices,
        care: Care,
        below: Standstill,
        hand_over: HandOver,
        drum: Motor | None = None,
    ) -> None:
        self.part = part
        self.head = head
        self._heads = heads
        self._care = care
        self._below = below
        self._hand_over = hand_over
        self._wheel = devices.motor(head.wheel)
        self._counter = devices.sensor(head.counter)
        self._face: Sensor | None = devices.sensor(head.face) if head.face else None
        self._loosening = Loosening(head, devices, below, drum)
        self._load = Load()
        self.tally = TileCounter(self._counter)
        """What has passed the counter."""
        self._due = 0
        """Tiles that have still to pass the counter."""
        self._over = 0
        """Surplus tiles that passed the counter."""
        self._unwatched = False
        """Whether the last drive ended before its tiles came; some may come while no drive runs."""
        self._blocked = False
        """Whether a tile stuck at the counter at the last reading."""

    def begin(self, load: Load | None, tally: TileCounter | None, *, resumed: bool) -> None:
        """A build begins, or is taken over from an earlier run."""
        self._load, self._due = load or Load(), 0
        self.tally, self._unwatched = tally or TileCounter(self._counter), resumed

    async def stop(self) -> None:
        """Stop the wheel where it is."""
        await self._wheel.stop()

    async def lift(self, tiles: int, *, through: bool = False) -> int:
        """Let so many tiles past the counter. Raises TableFault if they do not come.

        A tile is counted as it reaches the counter, and it may stick there. With `through` the last
        tile has also left the counter, so that a lane's gate may shut behind it. Without `through`
        the next push detects a stuck tile.
        """
        async with self._hand_over.lifting():
            self._due += tiles
            await self._feed(through=through)
        if self._face is not None:
            await self._look_at_face(self._face, through=through)
        return tiles

    async def brings_more(self) -> bool:
        """Whether another tile comes within the time that the last tile in the drum would take.

        Raises TableFault if the wheel did not turn for that long, because then the test proves
        nothing.
        """
        wait = longest_wait(self._heads, 1, self._load)
        ended = await self._below.run(self._wheel, FULL, Edges(self.head.counter, 1), wait)
        if not ended.count and ended.reason is not Reason.TIME:
            raise TableFault(Fault.UNPROVEN, "trays", missing(self.head.counter, ended))
        return ended.count > 0

    # For a push that met a tile at the counter

    async def is_stuck(self) -> bool:
        """Whether a tile is stuck at the counter, once no tile passes by itself."""
        self._blocked = await self._is_blocked()
        if self._blocked:
            self.tally.stuck(asked=False)
        return self._blocked

    async def feed_again(self, fault: TableFault) -> None:
        """A person has put a fault of the push right: lift what they took out."""
        await self.cleared(fault)
        await self._feed()

    # Past the counter

    async def _feed(self, *, through: bool = False) -> None:
        """Feed everything that is due, with the cures that this requires."""
        turn = partial(self._turn, through=through)
        await self._care.cured(turn, self.loosen, self.cleared, self.at_rest)

    async def _turn(self, *, through: bool) -> None:
        """Lift what is due; a stack that a jam held up is pushed before the next tile passes."""
        if self._hand_over.holds_up_a_push and not await self._is_blocked():
            await self._bring(self._hand_over.owed)
            await self._hand_over.push_first()
        await self._bring(self._due)
        if through:
            await self._see_through()

    async def _see_through(self) -> None:
        """Wait until the last counted tile has left the counter. Raises TableFault if it sticks."""
        self._blocked = await self._is_blocked()
        if self._blocked:
            raise self._jam(f"{self.head.counter} counted its last tile")

    async def _bring(self, due: int) -> None:
        """Lift so many tiles; S1 is read on the way if that takes long."""
        counted, spent, before = 0, 0.0, self._due
        for wait in looks(longest_wait(self._heads, due, self._load), again=self._blocked):
            if self._unwatched:
                # No tile may pass between reading the count and the drive that counts on from it.
                await self._below.moved(PASSING)
                counted += await self._slipped_by()
            if counted >= due:
                break
            await self._look_again()
            if spent:
                await self._below.renew()
            goal = Edges(self.head.counter, due - counted)
            ended = await self._below.run(self._wheel, FULL, goal, wait)
            self.tally.came(ended.count)
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
        """Add tiles that have passed the counter."""
        if not tiles:
            return
        self._over += max(0, tiles - self._due)
        self._due = max(0, self._due - tiles)
        self._hand_over.came(tiles)
        self._load.came(self.part, tiles)
        self.tally.comes_free()

    async def _slipped_by(self) -> int:
        """Add tiles that passed the counter while no drive counted them."""
        return await self.tally.slipped_by() if self._unwatched else 0

    def _miscounted(self, over: int, evidence: str) -> TableFault:
        """The fault for missing or surplus tiles, as far as the sensors show."""
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
        """The fault for a tile that sticks at the counter."""
        self._hand_over.jam()
        self.tally.stuck(asked=False)
        return TableFault(Fault.JAM, self.part, f"{evidence} and is blocked")

    async def _is_blocked(self) -> bool:
        """Whether a tile is at the counter and stays there although the belt runs."""
        if not await self._counter.active():
            return False
        await self._below.moved(PASSING)
        return await self._counter.active()

    async def _look_again(self) -> None:
        """Check whether the tile that stuck at the counter has gone on."""
        if self.tally.sticks and not await self._counter.active():
            self.tally.comes_free()

    async def loosen(self, fault: TableFault) -> None:
        await self.tally.on_disk()  # read what sticks there before it is moved
        await self._loosening.loosen(fault)
        await self._look_again()

    @asynccontextmanager
    async def at_rest(self) -> AsyncIterator[None]:
        """Stop all parts while a person reaches in, and read which tile sticks at that moment."""
        async with self._below.held():
            self._came(await self._slipped_by())
            if self._blocked:
                self.tally.stuck(asked=True)
            yield

    async def cleared(self, fault: TableFault) -> None:
        """Account for tiles that stuck or were too many, after a person has removed them."""
        out = 0
        if fault.fault is Fault.JAM and self._blocked:
            if await self._counter.active():
                return
            self._blocked = False
            self._due += 1
            self._hand_over.owed += 1
            out = 1
        elif fault.fault is Fault.EXTRA_TILE:
            out, self._over = self._over, 0
        self._load.came(self.part, -out)
        await self.tally.taken_out(out)

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
                await self.tally.taken_out(1)
                await self._feed(through=through)

        await self._care.cured(look, pick_again, self.cleared, self.at_rest)
