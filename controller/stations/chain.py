"""The chain of a table with one port: it carries the outlet of the head from side to side."""

from __future__ import annotations

from config.schema import ChainModule
from controller.faults.retry import Care
from controller.faults.table_fault import Fault, TableFault
from controller.journal.notes import ChainAt, ChainLost, last_of
from controller.journal.replay import DiscardingNotebook, Notebook
from controller.stations.standstill import Standstill
from controller.stations.switched import FULL, LATE, MARGIN, SOON, missing
from firmware_bridge.board import Edges, Ended, Level, Reason
from firmware_bridge.boards.devices import Devices


class ChainStation:
    """Drives the chain to a side: zero switch S4 at side 0, corner sensor S5 at each further side.

    The corner sensor gives the same signal at every side, so a side is known only by counting from
    side 0. A count can be wrong: the contact bounces, or a person repairs the sensor while the
    chain stands still, and that gives an edge too. Each arrival is therefore noted in the journal.
    A run that goes on with a build drives back to side 0 unless it can prove where the chain is.
    """

    def __init__(self, chain: ChainModule, devices: Devices, care: Care, below: Standstill) -> None:
        self._chain = chain
        self._motor = devices.motor(chain.motor)
        self._zero = devices.sensor(chain.zero)
        self._corner = devices.sensor(chain.corner)
        self._care = care
        self._below = below
        self._work: Notebook = DiscardingNotebook()
        self._side: int | None = 0
        """The side at which it is known to stand; None while that is not known."""

    async def begin(self, work: Notebook, *, resumed: bool) -> None:
        """Note arrivals in `work` from now on.

        With `resumed` an earlier run began this build: then the chain is where the journal and
        the sensors together prove it to be, or at no known side.
        """
        self._work = work
        if resumed:
            self._side = await self._proven()

    async def to_zero(self) -> None:
        """Back to side 0. Raises TableFault naming S4."""
        await self._care.cured(self._back)

    async def to_side(self, target: int) -> None:
        """Drive on to this side. Raises TableFault naming S5.

        After a missed edge, or if the chain's side is unknown, it counts again from side 0.
        """

        async def forth() -> None:
            if self._side is None or self._side > target:
                await self._back()
            assert self._side is not None
            if corners := target - self._side:
                try:
                    await self._over(corners)
                except TableFault:
                    await self._work.note(ChainLost())
                    raise
                self._side = target
                await self._note_arrival()

        async def begin_again(_: TableFault) -> None:
            self._side = None

        try:
            await self._care.cured(forth, begin_again, begin_again)
        except TableFault:
            self._side = None
            raise

    async def _over(self, corners: int) -> None:
        """Drive the chain on by so many sides. Raises TableFault."""
        # A corner edge that comes sooner is contact bounce as the chain leaves its side, not an
        # arrival. After a pause the chain may stand between two sides; then the way is shorter.
        stands = any([await end.active() for end in (self._zero, self._corner)])
        least = corners - SOON if stands else 0.0
        spent = 0.0
        while True:
            ended = await self._onward(corners)
            spent += ended.seconds
            if spent >= least * self._chain.seconds_per_side:
                return
            if corners > 1:
                evidence = f"{self._corner.channel} counted {corners} sides within {spent:.1f} s"
                raise TableFault(Fault.CHAIN, "chain", evidence)

    async def _note_arrival(self) -> None:
        # Without this note on disk the next run counts again from side 0, so nothing waits for it.
        assert self._side is not None
        self._work.record(ChainAt(self._side, await self._corner.count()))

    async def _proven(self) -> int | None:
        """The side of the chain, as proven by a switch and the last note; None without proof."""
        if await self._zero.active():
            return 0
        arrival = last_of(self._work.notes, ChainAt, ChainLost)
        if not isinstance(arrival, ChainAt) or not await self._corner.active():
            return None
        return arrival.side if await self._corner.count() == arrival.count else None

    async def _onward(self, corners: int) -> Ended:
        limit = self._chain.seconds_per_side * corners * LATE + MARGIN
        goal = Edges(self._corner.channel, corners)
        ended = await self._below.run(self._motor, FULL, goal, limit)
        if ended.reason is not Reason.EDGES:
            raise TableFault(Fault.CHAIN, "chain", missing(self._corner.channel, ended))
        return ended

    async def _back(self) -> None:
        limit = self._chain.seconds_per_side * 4 * LATE + MARGIN
        ended = await self._below.run(self._motor, -FULL, Level(self._chain.zero), limit)
        if ended.reason not in (Reason.LEVEL, Reason.SWITCH):
            raise TableFault(Fault.CHAIN, "chain", missing(self._chain.zero, ended))
        self._side = 0
