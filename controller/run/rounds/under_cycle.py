"""The activity below: mixes and builds one set while the other set is in play on top."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from config.layout.staging import Staging
from config.schema import Table
from controller.events import EventName
from controller.run.faults.failures import Fault, TableFault
from controller.run.journal.replay import Notebook
from controller.run.rounds.build_progress import BuildProgress, has_begun
from controller.run.rounds.cycle_chances import CycleChances
from controller.run.rounds.sorted_build import build_from_magazine, draw_order
from controller.run.run_state import RunState
from controller.run.run_together import run_together
from controller.run.stations.heads import HeadStation
from controller.run.stations.rig import Stations
from controller.run.stations.switched import FULL
from controller.run.stations.tile_counter import Load
from firmware_bridge.boards.devices import Output
from firmware_bridge.wire.errors import BoardError

BY_HAND = 4
"""Tiles that a head lifts in one go if people build the walls by hand."""


class UnderCycle:
    """Waits for a gathered set, mixes it, builds it in the trays and stages it; runs as a task."""

    def __init__(
        self,
        table: Table,
        rig: Stations,
        staging: Staging,
        run_state: RunState,
        chances: CycleChances,
    ) -> None:
        self._table = table
        self._rig = rig
        self._staging = staging
        self._run_state = run_state
        self._chances = chances
        self._picks: dict[str, int] = {}
        """Tiles of the last set that each head has lifted, by the head's part."""
        self.on_lifted: Callable[[], None] = _ignore
        """Called after every tile that a head has lifted."""
        self._order: Sequence[int] = ()
        """The pocket of each tile of the set in a magazine, in the order of the stacks."""
        self._shares: dict[str, int] = {}
        self._to_lift = Load()
        self._taken: deque[int] = deque()
        """Sets that were taken in and that `staged` has not returned yet, in order."""
        self._gathered: asyncio.Queue[tuple[int, float]] = asyncio.Queue()
        self._staged: asyncio.Queue[int] = asyncio.Queue()
        self._trays_empty = asyncio.Event()
        self._trays_empty.set()
        self._free = asyncio.Event()
        self._free.set()

    @property
    def busy(self) -> bool:
        """Whether a set is being prepared, from the closed lid to the full trays."""
        return not self._free.is_set()

    @property
    def may_lack_tiles(self) -> bool:
        """Whether a set is being prepared of which not every tile is counted yet."""
        return self.busy and not (self._shares and not self._to_lift.left)

    @property
    def lifted(self) -> dict[str, tuple[int, int]]:
        """Tiles that each head has lifted in this or the last build, and its share of the set.

        Empty while a set is mixed.
        """
        left = self._to_lift.shares
        return {part: (share - left.get(part, 0), share) for part, share in self._shares.items()}

    async def free(self) -> None:
        """Wait until no set is being prepared; only then can another set be pushed in."""
        await self._free.wait()

    async def take(self, number: int) -> None:
        """Start preparing the set in the drum, after the lid has closed.

        Holds the leases of the boards before it returns, so that no output falls to its safe value
        between the two activities.
        """
        self._free.clear()
        self._taken.append(number)
        await self._rig.hold(self._parts)
        self._gathered.put_nowait((number, self._run_state.clock()))

    async def staged(self) -> int:
        """Wait for the next finished set; returns its number."""
        number = await self._staged.get()
        self._taken.popleft()
        return number

    @property
    def coming(self) -> int:
        """The number of the set that `staged` returns next; the set may still be built."""
        return self._taken[0]

    def trays_are_empty(self) -> None:
        """Report that trays and lanes are empty, so that the next set can be built."""
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
            # While the lid is open for a forgotten tile, the walls must not rise.
            await self._rig.below.wait_moving(0.0)
            self._staged.put_nowait(number)
            self._free.set()

    async def _prepare(self, number: int) -> bool:
        """Mix and build one set; returns whether this run did all of it. Raises TableFault."""
        run_state, at_rest = self._run_state, self._times_at_rest
        self._shares, self._to_lift = {}, Load()
        self._order = await draw_order(self._chances, number, self.tiles)
        async with run_state.intent("under", {"do": "build", "set": number}) as work:
            await run_state.machine.enter("shuffle")
            if work.done or has_begun(work):
                await self._trays_empty.wait()
            else:
                await self._mix()
            await run_state.machine.enter("build")
            done = work.done or not self.tiles
            counted = self.tiles if done else await self._built(number, work, at_rest)
            run_state.ledger = run_state.ledger.built(number, counted)
            built = {"counted": counted, "picks": self._picks, **self._rig.condition.facts}
            work(built)
        if not done:
            run_state.events.emit(EventName.SET_BUILT, set=number, **built)
        self._trays_empty.clear()
        await run_state.machine.enter("stage")
        return not (work.done or work.doubtful)

    async def _built(self, number: int, work: Notebook, at_rest: int) -> int:
        """Build the set in the trays; returns the counted tiles.

        `at_rest` is `_times_at_rest` before the set was mixed. Raises TableFault if tiles are
        missing, or if the drum is not empty after the build.
        """
        drum = self._rig.drum
        if drum and work.doubtful:
            # An earlier run has mixed the set; the drum only has to keep running during the build.
            await self._rig.below.keep_running(drum, FULL)
        with self._rig.condition.during():
            self._picks = await self._build(number, work, at_rest)
        counted = sum(self._picks.values())
        if drum:
            await self._rig.below.stop(drum)
        if counted != self.tiles:
            self._set_missing(number, self.tiles - counted)
            evidence = f"{counted} of {self.tiles} tiles were counted"
            raise TableFault(Fault.COUNT, "trays", evidence)
        return counted

    async def _mix(self) -> None:
        """Start the drum and let it turn for the mixing time; the chain returns to side 0.

        The drum keeps running for the build. If trays or lanes are not empty after the mixing time,
        the drum stops until they are empty.
        """
        drum, module, chain = self._rig.drum, self._table.modules.drum, self._rig.chain
        below = self._rig.below
        if drum is None or module is None or not self.tiles:
            return
        await below.keep_running(drum, FULL)
        back = (chain.to_zero(),) if chain else ()
        await run_together(self._turned(module.mix), *back, stops=(drum.stop,))
        if not self._trays_empty.is_set():
            await below.stop(drum)
            await self._trays_empty.wait()
            await below.keep_running(drum, FULL)

    async def _turned(self, seconds: float) -> None:
        """Wait until the drum has turned for this time: standstills and pauses do not count.

        Otherwise a person could keep the lid open during the mixing time, and the set would be
        built in the order in which it was pushed in. A second with such an interruption counts as
        none.
        """
        run_state, below, left = self._run_state, self._rig.below, seconds
        while left > 0:
            await below.wait_moving(0.0)
            part, before = min(left, 1.0), (run_state.pauses, below.stops)
            await asyncio.sleep(part)
            if before == (run_state.pauses, below.stops) and run_state.machine.mode == "going":
                left -= part

    async def _build(self, number: int, work: Notebook, at_rest: int) -> dict[str, int]:
        """Build the set; returns the tiles that each head has lifted, by the head's part."""
        rig, load = self._rig, self._load(number)
        self._shares, self._to_lift = dict(load.shares), load
        load.counted = self.on_lifted
        progress = await BuildProgress.begun(rig.counters, work)
        if rig.chain:
            await rig.chain.begin(work, resumed=has_begun(work))
        for head in rig.heads:
            load.count(head.part, progress.left(head.head.counter))
            if (gate := self._gate_before(head, progress)) is not None:
                await rig.below.open(gate)
            counter = progress.counter(head.head.counter)
            await head.start(load, counter, resumed=has_begun(work))
        try:
            if self._staging.by_hand:
                picks = {rig.heads[0].part: await self._let_out(rig.heads[0], progress)}
            else:
                begun = has_begun(work)
                brought = await run_together(
                    *(self._feed(head, progress, resumed=begun) for head in rig.heads),
                    stops=[head.stop for head in rig.heads],
                )
                picks = {head.part: tiles for head, tiles in zip(rig.heads, brought, strict=True)}
            if sum(picks.values()) == self.tiles:
                await self._prove_empty(number, work, progress, at_rest)
            return picks
        finally:
            for head in rig.heads:
                await head.halt()

    async def _feed(self, head: HeadStation, progress: BuildProgress, *, resumed: bool) -> int:
        """Lift and stack the tiles of one head: its lanes first, then its trays one after another.

        Returns the number of tiles. Tiles that an earlier run has lifted and pushed are counted and
        not lifted again.
        """
        if head.magazine is not None:
            staging, chain, order = self._staging, self._rig.chain, self._order
            return await build_from_magazine(head, staging, chain, progress, order, resumed=resumed)
        counter, vane, chain = head.head.counter, head.head.vane, self._rig.chain
        counted = 0
        for seat in self._staging.lanes_of(head.head.trays):
            size = self._staging.lanes[seat]
            there = progress.take(counter, size)
            counted += there
            if progress.is_filled(seat):
                continue
            # The last counted tile can be stuck at the counter and still belong to this lane.
            if there < size or (there and not progress.left(counter)):
                counted += await self._fill_lane(head, seat, size - there)
                await progress.note_filled(seat)
        for tray in head.head.trays:
            fills = [fill for fill in self._staging.fills if fill.tray == tray]
            pushed = [progress.take(vane, len(fill.stacks)) for fill in fills]
            # The outlet need not move to a tray that an earlier run has filled.
            left = any(done < len(fill.stacks) for done, fill in zip(pushed, fills, strict=True))
            if chain and (left or not resumed):
                await chain.to_side(tray)
            for done, fill in zip(pushed, fills, strict=True):
                there = progress.take(counter, sum(fill.stacks[:done]))
                lifted = progress.take(counter, sum(fill.stacks[done:]))
                counted += there + await head.stack(fill.stacks[done:], lifted)
        return counted

    def _gate_before(self, head: HeadStation, progress: BuildProgress) -> Output | None:
        """The gate of the lane that a head fills at present, None if it fills no lane.

        The gate is opened before the head's belt runs, because tiles that an earlier run left on
        the belt or under the counter belong to that lane.
        """
        left = progress.left(head.head.counter)
        for seat in self._staging.lanes_of(head.head.trays):
            size = self._staging.lanes[seat]
            if size and left <= size and not progress.is_filled(seat):
                return self._rig.gates[seat]
            left -= size
        return None

    async def _prove_empty(
        self, number: int, work: Notebook, progress: BuildProgress, at_rest: int
    ) -> None:
        """Prove that the set has no tile more than it should, before its walls can rise.

        The heads count as many tiles as the set has, and no sensor counts the tiles that remain in
        the drum, so the wheels run until no tile can be left. If a head lifts another tile, a
        person is asked to take it out, and the wheels prove again that the drum is empty.

        Between two runs, while the lid is open, during an assist in a pause, or during a pause by
        command, a person can have put a counted tile back into the drum. Neither lanes nor stacks
        have a sensor that detects the gap, so that after one of these the table stops.

        Raises TableFault: UNPROVEN if the tile can have been counted before, or if no person has
        confirmed that the tile is out.
        """
        heads = self._rig.heads

        async def look() -> None:
            more = [head for head in heads if progress.left(head.head.counter)]
            if not more:
                stops = [head.stop for head in heads]
                came = await run_together(*(head.lifts_another() for head in heads), stops=stops)
                more = [head for head, each in zip(heads, came, strict=True) if each]
            self._set_surplus(number, len(more))
            if not more:
                return
            counters = " and ".join(head.head.counter for head in more)
            counted = f"{counters} counted a tile after all {self.tiles} were counted"
            if has_begun(work) or at_rest != self._times_at_rest:
                evidence = (
                    f"{counted}: a counted tile, or a tile of the other set, was put into the drum"
                )
                raise TableFault(Fault.UNPROVEN, "trays", evidence)
            evidence = f"{counted}; {self._run_state.ledger.words(number)}"
            raise TableFault(Fault.LEFT_OVER, " or ".join(head.part for head in more), evidence)

        async def taken_out(_: TableFault) -> None:
            for head in heads:
                await head.forget_edges()

        try:
            await self._rig.fault_handler.run(look, cleared=taken_out, around=self._rig.below.held)
        except TableFault as fault:
            if fault.fault is not Fault.LEFT_OVER:
                raise
            evidence = f"{fault.evidence}; no person has confirmed that the walls are right"
            unproven = TableFault(Fault.UNPROVEN, "trays", evidence)
            unproven.final, unproven.ordered = fault.final, fault.ordered
            raise unproven from fault

    async def _fill_lane(self, head: HeadStation, seat: int, tiles: int) -> int:
        """Lift tiles into the hand lane of a seat; returns their number."""
        gate, below = self._rig.gates[seat], self._rig.below
        await below.open(gate)
        try:
            return await head.lift(tiles, through=True)
        except BaseException:
            # A counted tile can still be before the gate. It must stay on the belt, so that the
            # run that resumes the build brings it into the lane and not into a stack.
            with suppress(BoardError):
                await head.halt()
            raise
        finally:
            await below.shut(gate)

    async def _let_out(self, head: HeadStation, progress: BuildProgress) -> int:
        """Lift all tiles in small groups for people who build by hand; returns their number."""
        counted = progress.take(head.head.counter, self.tiles)
        while counted < self.tiles:
            counted += await head.lift(min(BY_HAND, self.tiles - counted))
        return counted

    def _load(self, number: int) -> Load:
        """The number of tiles that each head has to lift."""
        staging, heads = self._staging, self._rig.heads
        if staging.by_hand:
            shares = {head.part: self.tiles for head in heads[:1]}
            return Load(shares, partial(self._set_missing, number))
        shares = dict[str, int]()
        for head in heads:
            stacks = [fill.stacks for fill in staging.fills if fill.tray in head.head.trays]
            lanes = staging.lanes_of(head.head.trays)
            shares[head.part] = sum(map(sum, stacks)) + sum(staging.lanes[seat] for seat in lanes)
        return Load(shares, partial(self._set_missing, number))

    def _set_missing(self, number: int, missing: int) -> None:
        """Set the number of missing tiles of a set in the ledger."""
        self._run_state.ledger = self._run_state.ledger.lacking(number, missing)

    def _set_surplus(self, number: int, surplus: int) -> None:
        """Set the number of tiles that a set in the drum has too many in the ledger."""
        self._run_state.ledger = self._run_state.ledger.exceeding(number, surplus)

    @property
    def _times_at_rest(self) -> int:
        """How often people could put tiles into the table at rest since the run began."""
        run_state = self._run_state
        return run_state.assists_in_pauses + run_state.commanded_pauses + run_state.lid_interrupts

    @property
    def tiles(self) -> int:
        """Tiles in a set of the game; 0 for a game without tiles."""
        return self._staging.layout.count

    @property
    def _parts(self) -> tuple[str, ...]:
        """The channels whose boards must hold a lease for this activity."""
        modules = self._table.modules
        gates = [gate.channel for gate in self._rig.gates] if self._staging.lanes else []
        heads = modules.heads.ports if modules.heads else ()
        sorting = modules.magazine
        motors = [
            motor
            for head in heads
            for motor in (head.wheel, head.belt, head.pusher, head.turner)
            if motor
        ] + ([sorting.motor, sorting.ejector] if sorting else [])
        return (*((modules.drum.motor,) if modules.drum else ()), *motors, *gates)


def _ignore() -> None:
    """The default of `on_lifted`."""
