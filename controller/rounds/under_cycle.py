"""The activity below: a gathered set becomes walls, while the other set is in play on top."""

from __future__ import annotations

import asyncio
from functools import partial

from config.layout.staging import Staging
from config.schema import Table
from controller.faults.table_fault import Fault, TableFault
from controller.journal.replay import Notebook
from controller.rounds.build_progress import Feeding, has_begun
from controller.run_state import RunState
from controller.run_together import run_together
from controller.stations.heads import HeadStation
from controller.stations.load import Load
from controller.stations.rig import Stations
from controller.stations.switched import FULL
from firmware_bridge.boards.devices import Output

BY_HAND = 4
"""Tiles that a head lets out at a time where people build by hand."""


class Under:
    """One task: waits for a gathered set, mixes it, builds it and stages it for the top."""

    def __init__(self, table: Table, rig: Stations, staging: Staging, run_state: RunState) -> None:
        self._table = table
        self._rig = rig
        self._staging = staging
        self._run_state = run_state
        self._picks: dict[str, int] = {}
        """Tiles that each head has brought of the set that was built last."""
        self._gathered: asyncio.Queue[tuple[int, float]] = asyncio.Queue()
        self._staged: asyncio.Queue[int] = asyncio.Queue()
        self._trays_empty = asyncio.Event()
        self._trays_empty.set()
        self._free = asyncio.Event()
        self._free.set()

    @property
    def busy(self) -> bool:
        """Whether a set is on its way from lid to trays."""
        return not self._free.is_set()

    async def free(self) -> None:
        """Wait until no set is on its way from lid to trays; only then may one be pushed in."""
        await self._free.wait()

    async def take(self, number: int) -> None:
        """Prepare the set in the drum, now that the lid has closed over it.

        Takes over the lease before it returns, so that no output falls to its safe value between.
        """
        self._free.clear()
        await self._rig.hold(self._parts)
        self._gathered.put_nowait((number, self._run_state.clock()))

    async def staged(self) -> int:
        """Wait for the next finished set; returns its number."""
        return await self._staged.get()

    def trays_are_empty(self) -> None:
        """Walls have left the trays, and hands the lanes: the next set may be built."""
        self._trays_empty.set()

    async def run(self) -> None:
        """Prepare set after set until cancelled. Raises TableFault."""
        while True:
            number, closed_at = await self._gathered.get()
            try:
                whole = await self._prepare(number)
            finally:
                await self._rig.release(self._parts)
            if whole:
                self._run_state.figures.under.append(self._run_state.clock() - closed_at)
            self._staged.put_nowait(number)
            self._free.set()

    async def _prepare(self, number: int) -> bool:
        """Prepare one set from drum to trays; returns whether this run did all of it.

        Raises TableFault.
        """
        run_state = self._run_state
        async with run_state.intent("under", {"do": "build", "set": number}) as work:
            await run_state.machine.enter("shuffle")
            if work.done or has_begun(work):
                await self._trays_empty.wait()
            else:
                await self._mix()
            await run_state.machine.enter("build")
            done = work.done or not self.tiles
            counted = self.tiles if done else await self._built(number, work)
            run_state.ledger = run_state.ledger.built(number, counted)
            work({"counted": counted, "picks": self._picks, **self._rig.condition.facts})
        self._trays_empty.clear()
        await run_state.machine.enter("stage")
        return not (work.done or work.doubtful)

    async def _built(self, number: int, work: Notebook) -> int:
        """Build the set in the trays and count it. Raises TableFault if tiles are missing."""
        drum = self._rig.drum
        if drum and work.doubtful:
            # An earlier run has mixed the set; the drum only continues to stir.
            await self._rig.below.keep_running(drum, FULL)
        with self._rig.condition.during():
            self._picks = await self._build(number, work)
        counted = sum(self._picks.values())
        if drum:
            await self._rig.below.stop(drum)
        if counted != self.tiles:
            self._lacks(number, self.tiles - counted)
            evidence = f"{counted} of {self.tiles} tiles were counted"
            raise TableFault(Fault.COUNT, "trays", evidence)
        return counted

    async def _mix(self) -> None:
        """Stir the set, also while it is built; meanwhile the chain returns to side 0.

        Where trays or lanes are not empty yet, the drum rests until they are.
        """
        drum, module, chain = self._rig.drum, self._table.modules.drum, self._rig.chain
        below = self._rig.below
        if drum is None or module is None or not self.tiles:
            return
        await below.keep_running(drum, FULL)
        back = (chain.to_zero(),) if chain else ()
        await run_together(asyncio.sleep(module.mix), *back, stops=(drum.stop,))
        if not self._trays_empty.is_set():
            await below.stop(drum)
            await self._trays_empty.wait()
            await below.keep_running(drum, FULL)

    async def _build(self, number: int, work: Notebook) -> dict[str, int]:
        """Build the set; returns the tiles that each head has brought, by its part."""
        rig, load = self._rig, self._load(number)
        feeding, visits = await Feeding.begun(rig.counters, work), self._run_state.visits
        if rig.chain:
            await rig.chain.begin(work, taken_over=has_begun(work))
        for head in rig.heads:
            load.came(head.part, feeding.left(head.head.counter))
            if (gate := self._gate_before(head, feeding)) is not None:
                await rig.below.open(gate)
            tally = feeding.tally(head.head.counter)
            await head.start(load, tally, taken_over=has_begun(work))
        try:
            if self._staging.by_hand:
                return {rig.heads[0].part: await self._let_out(rig.heads[0], feeding)}
            begun = has_begun(work)
            brought = await run_together(
                *(self._feed(head, feeding, taken_over=begun) for head in rig.heads),
                stops=[head.stop for head in rig.heads],
            )
            if begun or visits != self._run_state.visits:
                await self._prove_empty(feeding)
            return {head.part: tiles for head, tiles in zip(rig.heads, brought, strict=True)}
        finally:
            for head in rig.heads:
                await head.halt()

    async def _feed(self, head: HeadStation, feeding: Feeding, *, taken_over: bool) -> int:
        """Feed everything that one head builds: its lanes first, then its trays one after another.

        Tiles that an earlier run has lifted and pushed on are only counted.
        """
        counter, vane, chain = head.head.counter, head.head.vane, self._rig.chain
        counted = 0
        for seat in self._staging.lanes_of(head.head.trays):
            size = self._staging.lanes[seat]
            there = feeding.take(counter, size)
            counted += there
            # The last counted tile may stick at the counter and still belong to this lane.
            if there < size or (there and not feeding.left(counter)):
                counted += await self._fill_lane(head, seat, size - there)
        for tray in head.head.trays:
            fills = [fill for fill in self._staging.fills if fill.tray == tray]
            pushed = [feeding.take(vane, len(fill.stacks)) for fill in fills]
            # A tray that an earlier run has filled needs no outlet before it.
            left = any(done < len(fill.stacks) for done, fill in zip(pushed, fills, strict=True))
            if chain and (left or not taken_over):
                await chain.to_side(tray)
            for done, fill in zip(pushed, fills, strict=True):
                there = feeding.take(counter, sum(fill.stacks[:done]))
                lifted = feeding.take(counter, sum(fill.stacks[done:]))
                counted += there + await head.stack(fill.stacks[done:], lifted)
        return counted

    def _gate_before(self, head: HeadStation, feeding: Feeding) -> Output | None:
        """Open the gate of the lane at which a head is, before its belt runs.

        Tiles that an earlier run left on the belt or under the counter belong to that lane.
        """
        left = feeding.left(head.head.counter)
        for seat in self._staging.lanes_of(head.head.trays):
            size = self._staging.lanes[seat]
            if size and left <= size:
                return self._rig.gates[seat]
            left -= size
        return None

    async def _prove_empty(self, feeding: Feeding) -> None:
        """Check that the drum is empty: then every counted tile is where it was counted.

        Between two runs, or during an assist in a pause, a person may have put a stuck tile back
        into the drum, and neither lane nor stack has a sensor that would detect its absence. Raises
        TableFault if a tile comes.
        """
        heads = self._rig.heads
        more = [head for head in heads if feeding.left(head.head.counter)]
        if not more:
            stops = [head.stop for head in heads]
            came = await run_together(*(head.brings_more() for head in heads), stops=stops)
            more = [head for head, each in zip(heads, came, strict=True) if each]
        if more:
            evidence = (
                f"{more[0].head.counter} counted a tile after all {self.tiles}: one that was"
                " counted before is back in the drum"
            )
            raise TableFault(Fault.UNPROVEN, "trays", evidence)

    async def _fill_lane(self, head: HeadStation, seat: int, tiles: int) -> int:
        gate, below = self._rig.gates[seat], self._rig.below
        await below.open(gate)
        try:
            return await head.lift(tiles, through=True)
        finally:
            await below.shut(gate)

    async def _let_out(self, head: HeadStation, feeding: Feeding) -> int:
        counted = feeding.take(head.head.counter, self.tiles)
        while counted < self.tiles:
            counted += await head.lift(min(BY_HAND, self.tiles - counted))
        return counted

    def _load(self, number: int) -> Load:
        """The tiles that each head has to bring."""
        staging, heads = self._staging, self._rig.heads
        if staging.by_hand:
            shares = {head.part: self.tiles for head in heads[:1]}
            return Load(shares, partial(self._lacks, number))
        shares = dict[str, int]()
        for head in heads:
            stacks = [fill.stacks for fill in staging.fills if fill.tray in head.head.trays]
            lanes = staging.lanes_of(head.head.trays)
            shares[head.part] = sum(map(sum, stacks)) + sum(staging.lanes[seat] for seat in lanes)
        return Load(shares, partial(self._lacks, number))

    def _lacks(self, number: int, missing: int) -> None:
        """Set these tiles of a set as missing in the ledger, until they come."""
        self._run_state.ledger = self._run_state.ledger.lacking(number, missing)

    @property
    def tiles(self) -> int:
        """Tiles in a set of the game; 0 where there are none to gather."""
        return self._staging.layout.count

    @property
    def _parts(self) -> tuple[str, ...]:
        """The channels whose boards must hold a lease for this activity."""
        drum = self._table.modules.drum
        gates = [gate.channel for gate in self._rig.gates] if self._staging.lanes else []
        return (*((drum.motor,) if drum else ()), *gates)
