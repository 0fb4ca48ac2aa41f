"""Station of the chain, which carries the outlet of the only head from side to side."""

from __future__ import annotations

from config.schema import ChainModule
from controller.run.faults.failures import Fault, TableFault
from controller.run.faults.retry import FaultHandler
from controller.run.journal.notes import ChainAt, ChainLost, last_of
from controller.run.journal.replay import DiscardingNotebook, Notebook
from controller.run.stations.standstill import Standstill
from controller.run.stations.switched import FULL, LATE, MARGIN, SOON, missing
from firmware_bridge.board import Edges, Ended, Level, Reason
from firmware_bridge.boards.devices import Devices


class ChainStation:
    """Drives the chain to a side: zero switch S4 at side 0, corner sensor S5 at each further side.

    The corner sensor gives the same signal at every side, so the station counts sides from side 0.
    A count can be wrong: the contact bounces, or a person who repairs the sensor causes an edge.
    Each arrival is therefore noted in the journal. A run that resumes a build drives back to side 0
    unless it can prove the side of the chain.

    The zero switch can be stuck. Where it is active although the chain is not known to be at side
    0, the chain leaves that side first: only a switch that is inactive at the next side counts.
    """

    def __init__(
        self, chain: ChainModule, devices: Devices, fault_handler: FaultHandler, below: Standstill
    ) -> None:
        self._chain = chain
        self._motor = devices.motor(chain.motor)
        self._zero = devices.sensor(chain.zero)
        self._corner = devices.sensor(chain.corner)
        self._fault_handler = fault_handler
        self._below = below
        self._work: Notebook = DiscardingNotebook()
        self._side: int | None = None
        """The side of the chain; None while it is unknown."""

    async def begin(self, work: Notebook, *, resumed: bool) -> None:
        """Note arrivals in `work` from now on.

        With `resumed` an earlier run began this build, and the side of the chain is the one that
        the journal and the sensors prove, or unknown.
        """
        self._work = work
        if resumed:
            self._side = await self._proven_side()

    async def to_zero(self) -> None:
        """Drive back to side 0. Raises TableFault with the zero switch S4 in its evidence."""
        await self._fault_handler.run(self._drive_to_zero, around=self._below.held)

    async def to_side(self, target: int) -> None:
        """Drive to this side. Raises TableFault with the corner sensor S5 in its evidence.

        After a missed edge, or if the side is unknown, the station drives back and counts again
        from side 0.
        """

        async def forth() -> None:
            if self._side is None or self._side > target:
                await self._drive_to_zero()
            assert self._side is not None
            if corners := target - self._side:
                try:
                    await self._drive_sides(corners)
                except TableFault:
                    await self._work.note(ChainLost())
                    raise
                self._side = target
                await self._note_arrival()

        async def forget_side(_: TableFault) -> None:
            self._side = None

        try:
            await self._fault_handler.run(forth, forget_side, forget_side, self._below.held)
        except TableFault:
            self._side = None
            raise

    async def _drive_sides(self, corners: int) -> None:
        """Drive the chain forward by this number of sides. Raises TableFault."""
        # A corner edge before the least travel time is contact bounce as the chain leaves its side.
        # After a pause the chain can be between two sides; the travel is then shorter, so no edge
        # is too early.
        is_at_side = any([await end.active() for end in (self._zero, self._corner)])
        least = corners - SOON if is_at_side else 0.0
        spent = 0.0
        while True:
            ended = await self._drive_to_corner(corners)
            spent += ended.seconds
            if spent >= least * self._chain.seconds_per_side:
                return
            if corners > 1:
                evidence = f"{self._corner.channel} counted {corners} sides within {spent:.1f} s"
                raise TableFault(Fault.CHAIN, "chain", evidence)

    async def _note_arrival(self) -> None:
        # The write is not awaited: without this note the next run counts again from side 0.
        assert self._side is not None
        self._work.record(ChainAt(self._side, await self._corner.count()))

    async def _proven_side(self) -> int | None:
        """The side proven by the last note and the corner sensor; else None."""
        arrival = last_of(self._work.notes, ChainAt, ChainLost)
        if not isinstance(arrival, ChainAt) or not await self._corner.active():
            return None
        return arrival.side if await self._corner.count() == arrival.count else None

    async def _drive_to_corner(self, corners: int) -> Ended:
        """Drive forward until the corner sensor has given this number of edges."""
        limit = self._chain.seconds_per_side * corners * LATE + MARGIN
        goal = Edges(self._corner.channel, corners)
        ended = await self._below.run(self._motor, FULL, goal, limit)
        if ended.reason is not Reason.EDGES:
            raise TableFault(Fault.CHAIN, "chain", missing(self._corner.channel, ended))
        return ended

    async def _drive_to_zero(self) -> None:
        """Drive back until the zero switch is active. Raises TableFault."""
        if await self._zero.active():
            if self._side == 0:
                return
            await self._leave_zero()
        limit = self._chain.seconds_per_side * 4 * LATE + MARGIN
        ended = await self._below.run(self._motor, -FULL, Level(self._chain.zero), limit)
        if ended.reason not in (Reason.LEVEL, Reason.SWITCH):
            raise TableFault(Fault.CHAIN, "chain", missing(self._chain.zero, ended))
        self._side = 0

    async def _leave_zero(self) -> None:
        """Drive to the next side. Raises TableFault if the zero switch is still active there."""
        await self._drive_sides(1)
        if await self._zero.active():
            evidence = f"{self._zero.channel} is still active after the chain left it"
            raise TableFault(Fault.CHAIN, "chain", evidence)
