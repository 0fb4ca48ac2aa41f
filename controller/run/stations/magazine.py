"""Station of the magazine: turns a pocket to the inlet, and ejects the tile in it.

The vane gives the same signal at every pocket, so the station counts pockets from the home switch.
After each turn it compares the board's time of the turn with the usual one, and the home switch
with the pocket: a missed edge, or one edge too many, is found before a tile falls. The next attempt
turns back to the home switch and counts again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from config.schema import MagazineModule
from controller.run.faults.failures import Fault, TableFault
from controller.run.faults.retry import FaultHandler
from controller.run.planning.magazine import shortest_turn
from controller.run.stations.standstill import Standstill
from controller.run.stations.switched import FULL, LATE, MARGIN, SOON, missing
from controller.run.stations.tile_counter import TileCounter
from firmware_bridge.board import Edges, Level, Reason
from firmware_bridge.boards.devices import Devices

PART = "magazine"


class MagazineStation:
    """The carousel and the ejector; a `StackSource` for the pusher of the head.

    `start` begins a build. `at_inlet` is used while the tiles fall in, `lift` when all are in.
    """

    part = "head 0"
    """The head whose pusher it feeds: the only one of the table."""

    def __init__(
        self,
        module: MagazineModule,
        devices: Devices,
        fault_handler: FaultHandler,
        below: Standstill,
    ) -> None:
        self.module = module
        self.sensor = module.passed
        self._motor = devices.motor(module.motor)
        self._vane = devices.sensor(module.vane)
        self._home = devices.sensor(module.home)
        self._ejector = devices.motor(module.ejector)
        self._withdrawn = devices.sensor(module.withdrawn)
        self._fault_handler = fault_handler
        self._below = below
        self._at: int | None = None
        """The pocket at the inlet; None while it is unknown."""
        self._edges = 0
        """The board's count of the vane when the pocket came to the inlet."""
        self._order: Sequence[int] = ()
        self._ejected = 0
        self.tile_counter = TileCounter(devices.sensor(module.passed))
        """The tiles that have fallen out of the magazine."""

    async def start(
        self, order: Sequence[int], ejected: int, strokes: int, tile_counter: TileCounter
    ) -> int:
        """Begin a build, or resume one; returns the ejected tiles.

        `order` has the pocket of each tile in the order in which they are stacked; an earlier run
        has `ejected` the first of them, in so many complete `strokes`. An ejector that the earlier
        run left in a pocket ends its stroke first, and the tile of that pocket falls. Raises
        TableFault, UNPROVEN if more tiles have fallen than the ejector can have pushed.
        """
        self._order, self._ejected, self.tile_counter = order, ejected, tile_counter
        begun = not await self._withdrawn.active()
        if ejected > strokes + begun:
            evidence = f"{self.sensor} counted {ejected} tiles after {strokes} strokes"
            raise TableFault(Fault.UNPROVEN, PART, evidence)
        if begun:
            self._ejected += await self._fault_handler.run(self._stroke, around=self.at_rest)
        return self._ejected

    async def stop(self) -> None:
        """Stop the carousel and the ejector."""
        await self._motor.stop()
        await self._ejector.stop()

    async def at_inlet(self, pocket: int) -> None:
        """Turn a pocket to the inlet. Raises TableFault with the sensor in its evidence."""

        async def turn() -> None:
            # Another count: a person has turned the carousel, by hand or in service mode.
            if self._at is None or await self._vane.count() != self._edges:
                await self._find_home()
            await self._turn_to(pocket)

        async def forget(_: TableFault) -> None:
            self._at = None

        await self._fault_handler.run(turn, forget, forget, self.at_rest)

    # For the pusher

    async def lift(self, tiles: int) -> int:
        """Eject the next tiles of the order; returns their number. Raises TableFault."""
        for _ in range(tiles):
            await self.at_inlet(self._order[self._ejected])
            await self._fault_handler.run(self._eject, around=self.at_rest)
            self._ejected += 1
        return tiles

    async def is_stuck(self) -> bool:
        """Return False: a tile that has fallen lies before the pusher."""
        return False

    async def loosen(self, fault: TableFault) -> None:
        """Do nothing: the pusher's next turn loosens a tile before it."""

    async def feed_again(self, fault: TableFault) -> None:
        """Do nothing: a person who clears a fault of the push leaves the stack complete."""

    @asynccontextmanager
    async def at_rest(self) -> AsyncIterator[None]:
        """Stop all parts below while a person reaches in."""
        async with self._below.held():
            yield

    # The carousel

    async def _turn_to(self, pocket: int) -> None:
        """Turn the shorter way to a pocket. Raises TableFault if the sensors do not confirm it."""
        assert self._at is not None
        turn = shortest_turn(self._at, pocket, self.module.pockets)
        if turn:
            self._at = None
            count, step = abs(turn), self.module.step
            goal = Edges(self.module.vane, count)
            value = FULL if turn > 0 else -FULL
            ended = await self._below.run(self._motor, value, goal, count * step * LATE + MARGIN)
            if ended.reason is not Reason.EDGES:
                raise self._fault(missing(self.module.vane, ended))
            if abs(ended.seconds - count * step) > SOON * step:
                evidence = f"{self.module.vane} gave {count} edges in {ended.seconds:.2f} s, not in"
                raise self._fault(f"{evidence} {count * step:.2f} s")
        at_home = await self._home.active()
        if at_home is not (pocket == 0) or not await self._vane.active():
            switch = f"{self.module.home} is {'active' if at_home else 'inactive'}"
            raise self._fault(f"{switch} at pocket {pocket}, or {self.module.vane} is inactive")
        self._at, self._edges = pocket, await self._vane.count()

    async def _find_home(self) -> None:
        """Turn back until the home switch is active at pocket 0. Raises TableFault."""
        home, step = self.module.home, self.module.step
        if await self._home.active():
            # The switch can be stuck: only one that is inactive at the next pocket counts.
            goal = Edges(self.module.vane, 1)
            ended = await self._below.run(self._motor, FULL, goal, step * LATE + MARGIN)
            if ended.reason is not Reason.EDGES:
                raise self._fault(missing(self.module.vane, ended))
            if await self._home.active():
                raise self._fault(f"{home} stays active away from pocket 0")
        limit = step * self.module.pockets * LATE + MARGIN
        ended = await self._below.run(self._motor, -FULL, Level(home), limit)
        if ended.reason is not Reason.LEVEL:
            raise self._fault(missing(home, ended))
        self._at = 0

    # The ejector

    async def _eject(self) -> None:
        """Make one stroke, after which the tile has fallen. Raises TableFault."""
        if not await self._stroke():
            pocket = self._order[self._ejected]
            evidence = f"{self.module.passed} gave no edge: the tile in pocket {pocket} did not"
            raise self._fault(f"{evidence} fall")

    async def _stroke(self) -> int:
        """Make one stroke; returns the tiles that have fallen of the present pocket, 0 or 1.

        Raises TableFault if the ejector does not come back, and UNPROVEN if more than one tile
        fell: then the tiles of the stack are not the ones of the order.
        """
        limit, vane = self.module.eject * LATE + MARGIN, self.module.withdrawn
        whole = await self._withdrawn.active()
        while True:
            ended = await self._below.run(self._ejector, FULL, Edges(vane, 1), limit)
            if ended.reason is not Reason.EDGES:
                raise self._fault(missing(vane, ended))
            if not whole or ended.seconds >= SOON * self.module.eject:
                break
            # Too early for a stroke: contact bounce from the moment when the ejector set out.
            whole = False
        await self.tile_counter.take_unreported()
        fallen = self.tile_counter.through - self._ejected
        if fallen > 1:
            evidence = f"{self.module.passed} counted {fallen} tiles from one pocket"
            raise TableFault(Fault.UNPROVEN, PART, evidence)
        return fallen

    def _fault(self, evidence: str) -> TableFault:
        return TableFault(Fault.MAGAZINE, PART, evidence)
