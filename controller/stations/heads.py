"""The drum's heads: a gathered set becomes stacks in the trays.

While a stack is pushed on (`head_push`), the wheel already lifts the next (`head_lift`); what one
leaves to the other goes through their `hand_over`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from config.schema import HeadModule, HeadsModule
from controller.faults.retry import Care
from controller.run_together import only
from controller.stations.hand_over import HandOver
from controller.stations.head_lift import HeadLift
from controller.stations.head_push import HeadPush
from controller.stations.load import Load
from controller.stations.standstill import Standstill
from controller.stations.switched import FULL
from controller.stations.tile_counter import TileCounter
from firmware_bridge.boards.devices import Devices, Motor


class HeadStation:
    """One head: wheel, counter, belt, pusher with its vane; its cures also reverse `drum`."""

    def __init__(
        self,
        number: int,
        head: HeadModule,
        heads: HeadsModule,
        devices: Devices,
        care: Care,
        below: Standstill,
        drum: Motor | None = None,
    ) -> None:
        self.part = f"head {number}"
        self.head = head
        self._below = below
        self._belt = devices.motor(head.belt) if head.belt else None
        hand_over = HandOver()
        self._lift = HeadLift(self.part, head, heads, devices, care, below, hand_over, drum)
        self._push = (
            HeadPush(head, heads, devices, care, below, self._lift, hand_over)
            if head.pusher and head.vane
            else None
        )

    async def start(
        self,
        load: Load | None = None,
        tally: TileCounter | None = None,
        *,
        resumed: bool = False,
    ) -> None:
        """The belt runs while the head feeds; `load` is what all heads together are to bring.

        `tally` has recorded what has passed this head's counter before, and a feed that is
        `resumed` may find a tile on the belt.
        """
        self._lift.begin(load, tally, resumed=resumed)
        if self._push is not None:
            await self._push.begin()
        if self._belt:
            await self._below.keep_running(self._belt, FULL)

    async def halt(self) -> None:
        """Stop the belt."""
        if self._belt:
            await self._below.stop(self._belt)

    async def stop(self) -> None:
        """Stop wheel and pusher where they are."""
        await self._lift.stop()
        if self._push is not None:
            await self._push.stop()

    async def lift(self, tiles: int, *, through: bool = False) -> int:
        """Let so many tiles past the counter (`HeadLift.lift`). Raises TableFault."""
        return await self._lift.lift(tiles, through=through)

    async def brings_more(self) -> bool:
        """Whether a tile still comes (`HeadLift.brings_more`). Raises TableFault."""
        return await self._lift.brings_more()

    async def stack(self, heights: Iterable[int], lifted: int = 0) -> int:
        """Build stacks of these heights in the tray before the head; returns the tiles counted.

        So many of them were `lifted` before and wait to be pushed on. Raises TableFault if a tile
        or the vane's edge does not come, or both in an exception group.
        """
        assert self._push is not None
        counted = 0
        push: asyncio.Task[None] | None = None
        try:
            for height in heights:
                there = min(lifted, height)
                lifted, counted = lifted - there, counted + there
                if there < height:
                    counted += await self._lift.lift(height - there)
                if push is not None:
                    await push
                push = asyncio.create_task(self._push.push())
                # Let the push send its command now. A board executes commands in the order in which
                # they were sent, so no tile of the next stack comes under this push, even on a bad
                # line.
                await asyncio.sleep(0)
            if push is not None:
                await push
        except Exception as failed:  # noqa: BLE001  whatever it is, the push may have failed as well
            failures = [failed, *[error for error in await _ended(push) if error is not failed]]
            raise only(ExceptionGroup("a stack", failures)) from None
        finally:
            if push is not None and not push.done():
                push.cancel()
        return counted


async def _ended(push: asyncio.Task[None] | None) -> list[Exception]:
    """Cancel a push that is still under way; how it failed, if it did."""
    if push is None:
        return []
    push.cancel()
    (ended,) = await asyncio.gather(push, return_exceptions=True)
    return [ended] if isinstance(ended, Exception) else []
