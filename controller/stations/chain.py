"""The single-port table's chain: it carries the head's outlet from side to side."""

from __future__ import annotations

from config.schema import Chain
from controller.faults import Fault, TableFault
from controller.stations.switched import FULL, LATE, MARGIN, missing
from firmware_bridge.board import Edges, Level, Reason
from firmware_bridge.devices import Devices


class ChainStation:
    """Zero switch S4 at side 0, corner sensor S5 on reaching each next side."""

    def __init__(self, chain: Chain, devices: Devices) -> None:
        self._chain = chain
        self._motor = devices.motor(chain.motor)

    async def to_zero(self) -> None:
        """Back to side 0. Raises TableFault naming S4."""
        limit = self._chain.seconds_per_side * 4 * LATE + MARGIN
        ended = await self._motor.run(-FULL, Level(self._chain.zero), limit)
        if ended.reason not in (Reason.LEVEL, Reason.SWITCH):
            raise TableFault(Fault.CHAIN, "chain", missing(self._chain.zero, ended))

    async def to_next(self) -> None:
        """On to the next side. Raises TableFault naming S5."""
        limit = self._chain.seconds_per_side * LATE + MARGIN
        ended = await self._motor.run(FULL, Edges(self._chain.corner, 1), limit)
        if ended.reason is not Reason.EDGES:
            raise TableFault(Fault.CHAIN, "chain", missing(self._chain.corner, ended))
