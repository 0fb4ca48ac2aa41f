"""The activity below: a gathered set becomes walls, while the other set is in play on top."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import cycle

from config.schema import Table
from config.staging import Staging
from controller.books import Books
from controller.faults import Fault, TableFault
from controller.stations.heads import HeadStation
from controller.stations.rig import Rig
from controller.stations.switched import FULL

BY_HAND = 4
"""Tiles that a head lets out at a time where people build by hand."""


class Under:
    """One task: waits for a gathered set, shuffles it, builds it, offers it to the top.

    `stagings` are built in turn, round and round: one for each dealer, in the order of dealing.
    """

    def __init__(self, table: Table, rig: Rig, stagings: Sequence[Staging], books: Books) -> None:
        self._table = table
        self._rig = rig
        self._turns = cycle(stagings)
        self._staging = stagings[0]
        self._books = books
        self._gathered: asyncio.Queue[tuple[int, float]] = asyncio.Queue()
        self._staged: asyncio.Queue[tuple[int, Staging]] = asyncio.Queue()
        self._trays_empty = asyncio.Event()
        self._trays_empty.set()
        self._free = asyncio.Event()
        self._free.set()

    async def free(self) -> None:
        """Wait until no set is on its way from lid to trays: only then may one be pushed in."""
        await self._free.wait()

    async def take(self, number: int) -> None:
        """A set lies in the drum and the lid has closed over it: prepare it.

        Takes the lease over before it returns, so that nothing falls to its safe value between.
        """
        self._free.clear()
        await self._rig.hold(self._parts)
        self._gathered.put_nowait((number, self._books.clock()))

    async def staged(self) -> tuple[int, Staging]:
        """Wait for the next finished set; returns its number, and how trays and lanes hold it."""
        return await self._staged.get()

    def trays_are_empty(self) -> None:
        """Walls have left the trays, and hands the lanes: the next may be built."""
        self._trays_empty.set()

    async def run(self) -> None:
        """Prepare set after set until cancelled. Raises TableFault."""
        while True:
            number, closed_at = await self._gathered.get()
            try:
                await self._prepare(number)
            finally:
                await self._rig.release(self._parts)
            self._books.figures.under.append(self._books.clock() - closed_at)
            self._staged.put_nowait((number, self._staging))
            self._free.set()

    async def _prepare(self, number: int) -> None:
        books = self._books
        self._staging = next(self._turns)
        with books.intent("under", {"do": "build", "set": number}) as outcome:
            books.machine.fire("shuffle")
            await self._mix()
            books.machine.fire("build")
            counted = await self._build() if self.tiles else 0
            if self._rig.drum and self.tiles:
                await self._rig.drum.stop()
            if counted != self.tiles:
                raise TableFault(
                    Fault.COUNT, "trays", f"{counted} of {self.tiles} tiles were counted"
                )
            books.ledger = books.ledger.built(number, counted)
            outcome({"counted": counted})
        self._trays_empty.clear()
        books.machine.fire("stage")

    async def _mix(self) -> None:
        """Stir the set, and go on stirring while it is built; the chain goes back meanwhile.

        Where trays or lanes are not empty yet, the drum rests until they are.
        """
        drum, module, chain = self._rig.drum, self._table.modules.drum, self._rig.chain
        if drum is None or module is None or not self.tiles:
            return
        await drum.keep_running(FULL)
        back = (chain.to_zero(),) if chain else ()
        await asyncio.gather(asyncio.sleep(module.mix), *back)
        if not self._trays_empty.is_set():
            await drum.stop()
            await self._trays_empty.wait()
            await drum.keep_running(FULL)

    async def _build(self) -> int:
        rig = self._rig
        for head in rig.heads:
            await head.start()
        try:
            if self._staging.by_hand:
                return await self._let_out(rig.heads[0])
            jobs = [asyncio.create_task(self._feed(head)) for head in rig.heads]
            try:
                return sum(await asyncio.gather(*jobs))
            finally:
                for job in jobs:
                    job.cancel()
        finally:
            for head in rig.heads:
                await head.halt()

    async def _feed(self, head: HeadStation) -> int:
        """Everything that one head builds: its lanes first, then its trays one after another."""
        counted = 0
        for seat in self._staging.lanes_of(head.head.trays):
            counted += await self._fill_lane(head, seat)
        for tray in head.head.trays:
            if self._rig.chain and tray:
                await self._rig.chain.to_next()
            for fill in self._staging.fills:
                if fill.tray == tray:
                    counted += await head.stack(fill.stacks)
        return counted

    async def _fill_lane(self, head: HeadStation, seat: int) -> int:
        gate = self._rig.gates[seat]
        await gate.switch(1)
        try:
            return await head.lift(self._staging.lanes[seat])
        finally:
            await gate.switch(0)

    async def _let_out(self, head: HeadStation) -> int:
        counted = 0
        while counted < self.tiles:
            counted += await head.lift(min(BY_HAND, self.tiles - counted))
        return counted

    @property
    def tiles(self) -> int:
        """Tiles in a set of the game; 0 where there are none to gather."""
        return self._staging.layout.count

    @property
    def _parts(self) -> tuple[str, ...]:
        """The channels whose boards this activity needs alive."""
        drum = self._table.modules.drum
        gates = [gate.channel for gate in self._rig.gates] if self._staging.lanes else []
        return (*((drum.motor,) if drum else ()), *gates)
