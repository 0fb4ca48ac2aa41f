"""Station of a head of the drum: lifts tiles and pushes stacks into the trays.

While a stack is being pushed (`head_push`), the wheel lifts the next one (`head_lift`); a
`HandOver` coordinates both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from config.schema import HeadModule, HeadsModule
from controller.run.faults.retry import FaultHandler
from controller.run.run_together import end_tasks, only
from controller.run.stations.head_lift import HeadLift
from controller.run.stations.head_push import HandOver, HeadPush, StackSource
from controller.run.stations.magazine import MagazineStation
from controller.run.stations.standstill import Standstill
from controller.run.stations.switched import FULL
from controller.run.stations.tile_counter import Load, TileCounter
from firmware_bridge.boards.devices import Devices, Motor


class HeadStation:
    """One head: wheel, counter, belt, and pusher with its vane; its cures also reverse `drum`.

    With a `magazine`, tiles pass the counter one by one, in `pass_seconds` each, and the stacks are
    built from the magazine.
    """

    def __init__(
        self,
        number: int,
        head: HeadModule,
        heads: HeadsModule,
        devices: Devices,
        fault_handler: FaultHandler,
        below: Standstill,
        drum: Motor | None = None,
        magazine: MagazineStation | None = None,
        pass_seconds: float = 0.0,
    ) -> None:
        self.part = f"head {number}"
        self.head = head
        self._below = below
        self._belt = devices.motor(head.belt) if head.belt else None
        hand_over = HandOver()
        self._lift = HeadLift(
            self.part, head, heads, devices, fault_handler, below, hand_over, drum, pass_seconds
        )
        self.magazine = magazine
        self._source: StackSource = magazine or self._lift
        self._push = (
            HeadPush(head, heads, devices, fault_handler, below, self._source, hand_over)
            if head.pusher and head.vane
            else None
        )

    async def start(
        self,
        load: Load | None = None,
        tile_counter: TileCounter | None = None,
        *,
        resumed: bool = False,
    ) -> None:
        """Start the belt for a build.

        `load` are the tiles that all heads together have to lift. `tile_counter` has counted the
        tiles that have passed this head's counter. If the build is `resumed`, a tile can be on the
        belt.
        """
        self._lift.begin(load, tile_counter, resumed=resumed)
        if self._push is not None:
            await self._push.begin()
        if self._belt:
            await self._below.keep_running(self._belt, FULL)

    async def halt(self) -> None:
        """Stop the belt."""
        if self._belt:
            await self._below.stop(self._belt)

    async def stop(self) -> None:
        """Stop the wheel, the magazine and the pusher."""
        await self._lift.stop()
        if self.magazine is not None:
            await self.magazine.stop()
        if self._push is not None:
            await self._push.stop()

    async def lift(self, tiles: int, *, through: bool = False) -> int:
        """Lift tiles past the counter (`HeadLift.lift`). Raises TableFault."""
        return await self._lift.lift(tiles, through=through)

    async def clear_belt(self) -> int:
        """Let the tile on the belt pass (`HeadLift.clear_belt`). Raises TableFault."""
        return await self._lift.clear_belt()

    async def lifts_another(self) -> bool:
        """Whether another tile comes (`HeadLift.lifts_another`). Raises TableFault."""
        return await self._lift.lifts_another()

    async def forget_edges(self) -> None:
        """Do not count the edges of tiles that a person has taken out (`HeadLift.forget_edges`)."""
        await self._lift.forget_edges()

    async def stack(self, heights: Iterable[int], lifted: int = 0) -> int:
        """Build stacks of these heights in the tray before the head; returns the counted tiles.

        The tiles come from the counter, or from the magazine if the table has one. An earlier run
        has already `lifted` some of the tiles, which are not pushed yet. Raises TableFault if a
        tile or the vane's edge does not come; an exception group if both do not.
        """
        assert self._push is not None
        counted = 0
        push: asyncio.Task[None] | None = None
        try:
            for height in heights:
                there = min(lifted, height)
                lifted, counted = lifted - there, counted + there
                if there < height:
                    counted += await self._source.lift(height - there)
                if push is not None:
                    await push
                push = asyncio.create_task(self._push.push())
                # Let the push send its command now. A board executes commands in the order in which
                # they were sent, also on a bad line, so this push comes before the tiles of the
                # next stack.
                await asyncio.sleep(0)
            if push is not None:
                await push
        except Exception as failed:  # noqa: BLE001  the push can have failed as well
            failures = [failed, *[error for error in await _ended(push) if error is not failed]]
            raise only(ExceptionGroup("a stack", failures)) from None
        finally:
            # Also after a cancellation no push may go on, and asyncio would print its failure.
            await end_tasks([] if push is None else [push])
        return counted


async def _ended(push: asyncio.Task[None] | None) -> list[Exception]:
    """Cancel a push, and return its failure in a list; the list is empty if it did not fail."""
    if push is None:
        return []
    await end_tasks([push])
    ended = None if push.cancelled() else push.exception()
    return [ended] if isinstance(ended, Exception) else []
