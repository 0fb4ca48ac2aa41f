"""The single-port table's chain: it carries the head's outlet from side to side."""

from __future__ import annotations

from config.schema import Chain
from controller.cure import Care
from controller.faults import Fault, TableFault
from controller.stations.standstill import Standstill
from controller.stations.switched import FULL, LATE, MARGIN, SOON, missing
from firmware_bridge.board import Edges, Ended, Level, Reason
from firmware_bridge.devices import Devices


class ChainStation:
    """Zero switch S4 at side 0, corner sensor S5 on reaching each next side."""

    def __init__(self, chain: Chain, devices: Devices, care: Care, below: Standstill) -> None:
        self._chain = chain
        self.corner = chain.corner
        """The sensor that counts the sides it has come to."""
        self._motor = devices.motor(chain.motor)
        self._ends = (devices.sensor(chain.zero), devices.sensor(chain.corner))
        self._care = care
        self._below = below
        self._side = 0
        """The side at which it is known to stand."""

    def stands_at(self, side: int) -> None:
        """An earlier run has brought it to this side."""
        self._side = side

    async def to_zero(self) -> None:
        """Back to side 0. Raises TableFault naming S4."""
        await self._care.cured(self._back)

    async def to_next(self) -> None:
        """On to the next side. Raises TableFault naming S5.

        An edge that was missed leaves it nobody knows where, so it counts from side 0 again.
        """
        target = self._side + 1

        async def forth() -> None:
            corners, spent = target - self._side, 0.0
            # A corner that comes sooner is a bounce as the chain leaves its side, no arrival.
            # From between two sides, where a broken off run may have left it, the way is shorter.
            least = corners - SOON if await self._stands() else 0.0
            while True:
                ended = await self._onward(corners)
                spent += ended.seconds
                if spent >= least * self._chain.seconds_per_side:
                    break
                if corners > 1:
                    evidence = f"{self.corner} told of {corners} sides within {spent:.1f} s"
                    raise TableFault(Fault.CHAIN, "chain", evidence)
            self._side = target

        async def begin_again(_: TableFault) -> None:
            await self._back()

        await self._care.cured(forth, begin_again, begin_again)

    async def _onward(self, corners: int) -> Ended:
        limit = self._chain.seconds_per_side * corners * LATE + MARGIN
        ended = await self._below.run(self._motor, FULL, Edges(self.corner, corners), limit)
        if ended.reason is not Reason.EDGES:
            raise TableFault(Fault.CHAIN, "chain", missing(self.corner, ended))
        return ended

    async def _stands(self) -> bool:
        """Whether it stands at a side."""
        return any([await end.active() for end in self._ends])

    async def _back(self) -> None:
        limit = self._chain.seconds_per_side * 4 * LATE + MARGIN
        ended = await self._below.run(self._motor, -FULL, Level(self._chain.zero), limit)
        if ended.reason not in (Reason.LEVEL, Reason.SWITCH):
            raise TableFault(Fault.CHAIN, "chain", missing(self._chain.zero, ended))
        self._side = 0
