"""Push of a head: moves a stack from the head into the tray; the pusher's vane confirms it."""

from __future__ import annotations

from config.schema import HeadModule, HeadsModule
from controller.run.faults.failures import Fault, TableFault
from controller.run.faults.retry import FaultHandler
from controller.run.stations.hand_over import HandOver
from controller.run.stations.stack_source import StackSource
from controller.run.stations.standstill import Standstill
from controller.run.stations.switched import FULL, LATE, MARGIN, SOON, missing
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
