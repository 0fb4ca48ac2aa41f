"""Push of a head: moves a stack from the head into the tray; the pusher's vane confirms it.

The push (`HeadPush`) and the lift of a head work at the same time; a `HandOver` coordinates them. A
tile that sticks at the counter stops the push too. The lift clears the jam, so the push waits for
the lift: it is retried during the lift, as soon as the counter is free, or after the lift has
ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from config.schema import HeadModule, HeadsModule
from controller.run.faults.failures import Fault, TableFault
from controller.run.faults.retry import FaultHandler
from controller.run.stations.standstill import Standstill
from controller.run.stations.switched import FULL, LATE, MARGIN, SOON, missing
from controller.run.stations.tile_counter import TileCounter
from firmware_bridge.board import Edges, Ended, Reason
from firmware_bridge.boards.devices import Devices


class HeadPush:
    """The pusher of one head and its vane; `source` clears tiles that stick before the pusher."""

    def __init__(
        self,
        head: HeadModule,
        heads: HeadsModule,
        devices: Devices,
        fault_handler: FaultHandler,
        below: Standstill,
        source: StackSource,
        hand_over: HandOver,
    ) -> None:
        assert head.pusher is not None and head.vane is not None
        self._heads = heads
        self._fault_handler = fault_handler
        self._below = below
        self._source = source
        self._hand_over = hand_over
        self._pusher = devices.motor(head.pusher)
        self._vane = devices.sensor(head.vane)
        self._covers: bool | None = None
        """Whether the vane covers its sensor, so that the next edge is a whole turn away; None
        until the sensor is read."""

    async def begin(self) -> None:
        """Read the vane's sensor before the first push."""
        if self._covers is None:
            self._covers = await self._vane.active()

    async def stop(self) -> None:
        """Stop the pusher."""
        await self._pusher.stop()

    async def push(self) -> None:
        """Push the lifted stack into the tray. Raises TableFault if the vane gives no edge."""
        tile_counter, vane = self._source.tile_counter, self._vane.channel
        through, missed = tile_counter.through, ""

        async def push() -> None:
            nonlocal missed
            limit = self._heads.push * LATE + MARGIN
            again = True
            while again:
                jams = self._hand_over.jams
                whole, self._covers = self._covers, False
                try:
                    ended = await self._below.run(self._pusher, FULL, Edges(vane, 1), limit)
                finally:
                    self._hand_over.tried()
                if ended.reason is Reason.EDGES:
                    self._covers = True
                    if whole and ended.seconds < SOON * self._heads.push:
                        # Too early for a whole turn of the pusher: the edge is contact bounce from
                        # the moment when the vane left its sensor.
                        continue
                    if missed:
                        self._prove(vane, missed, tile_counter.through - through)
                    return
                # A running lift detects the same jam and clears it; then the push is tried again.
                again = await self._hand_over.wait_for_lift() or jams != self._hand_over.jams
            fault = await self._unpushed(vane, ended)
            if fault.fault is Fault.PUSHER:
                missed = fault.evidence
                tile_counter.note_doubt(vane, missed)
            raise fault

        async def loosen(fault: TableFault) -> None:
            async with self._hand_over.curing():
                await self._source.loosen(fault)

        async def cleared(fault: TableFault) -> None:
            async with self._hand_over.curing():
                await self._source.feed_again(fault)

        await self._fault_handler.run(push, loosen, cleared, self._source.at_rest)

    async def _unpushed(self, vane: str, ended: Ended) -> TableFault:
        """The fault of a failed push: a jam if a tile sticks at the counter, else the pusher."""
        evidence = missing(vane, ended)
        if await self._source.is_stuck():
            evidence = f"{evidence}; {self._source.sensor} is blocked"
            return TableFault(Fault.JAM, self._source.part, evidence)
        return TableFault(Fault.PUSHER, self._source.part, evidence)

    def _prove(self, vane: str, missed: str, lifted: int) -> None:
        """Note that the pushes are proven, after the vane gives signals again.

        Raises TableFault if tiles were lifted since the missed signal: the pusher may have turned
        without a signal, so stacks can be too low or too high.
        """
        if lifted:
            evidence = f"{missed}; {lifted} tiles were lifted meanwhile and can be in any stack"
            raise TableFault(Fault.UNPROVEN, self._source.part, evidence)
        self._source.tile_counter.note_proven(vane)


class StackSource(Protocol):
    """Brings tiles to the pusher of a head; the push calls it to remove a fault of its own."""

    @property
    def part(self) -> str:
        """The part that a fault of the push names."""

    @property
    def sensor(self) -> str:
        """The sensor that counts the tiles."""

    @property
    def tile_counter(self) -> TileCounter:
        """The tiles that have come."""

    async def lift(self, tiles: int) -> int:
        """Bring this number of tiles; returns it. Raises TableFault."""

    async def is_stuck(self) -> bool:
        """Whether a tile sticks, so that the pusher cannot turn."""

    async def loosen(self, fault: TableFault) -> None:
        """Try to free the stuck tile, before the next attempt of the push."""

    async def feed_again(self, fault: TableFault) -> None:
        """Bring tiles in place of those that a person removed to clear a fault of the push."""

    def at_rest(self) -> AbstractAsyncContextManager[None]:
        """Stop all parts below while a person reaches in."""


class HandOver:
    """Shared state of the lift and the push of one head.

    The lift calls the methods of the first section, the push those of the second.
    """

    def __init__(self) -> None:
        self._lifting = asyncio.Lock()
        """Held while the wheel lifts, so that a cure of the pusher does not reverse the wheel."""
        self._waiting: asyncio.Future[bool] | None = None
        """Set by the lift to release the waiting push: True during the lift, False after it."""
        self._tried = asyncio.Event()
        """Set when a released push has been tried."""
        self._jammed = False
        """Whether the lift has met a jam since a push was last released."""
        self.jams = 0
        """Number of times that a tile has stuck at the counter."""
        self.owed = 0
        """Tiles to lift in place of tiles that a person took out; the push waits for them."""

    # The lift

    @asynccontextmanager
    async def lifting(self) -> AsyncIterator[None]:
        """Reserve the wheel for a lift within a block; at its end release a waiting push."""
        async with self._lifting:
            try:
                yield
            finally:
                self._release(within=False)

    def jam(self) -> None:
        """Record that a tile sticks at the counter."""
        self.jams += 1
        self._jammed = True

    def add(self, tiles: int) -> None:
        """Subtract tiles that have passed the counter from `owed`."""
        self.owed = max(0, self.owed - tiles)

    @property
    def holds_up_a_push(self) -> bool:
        """Whether a push waits for a jam to be cleared."""
        return self._waiting is not None and self._jammed

    async def push_first(self) -> None:
        """Release a waiting push, and wait until it has been tried."""
        self._tried.clear()
        if self._release(within=True):
            await self._tried.wait()

    # The push

    @asynccontextmanager
    async def curing(self) -> AsyncIterator[None]:
        """Reserve the wheel for a cure of the push, so that no lift begins within this block."""
        async with self._lifting:
            yield

    def tried(self) -> None:
        """Record that the push has been tried."""
        self._tried.set()

    async def wait_for_lift(self) -> bool:
        """Wait for a running lift; returns whether to retry the push during the lift."""
        if not self._lifting.locked():
            return False
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            return await self._waiting
        finally:
            self._waiting = None

    def _release(self, *, within: bool) -> bool:
        """Release a waiting push, during a lift or after it; returns whether a push waited."""
        self._jammed, self.owed = False, 0
        if self._waiting is None or self._waiting.done():
            return False
        self._waiting.set_result(within)
        return True
