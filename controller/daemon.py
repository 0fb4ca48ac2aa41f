"""The daemon: brings a table from off to ready, runs its two activities, stops it safely."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from config.recovery_limits import limits_of
from config.schema import GameConfig, Table
from controller.events import EVENTS_VERSION, EventLog
from controller.faults.catalogue import STOP
from controller.faults.failures import sort_failures
from controller.faults.retry import Care
from controller.faults.table_fault import Fault, TableFault
from controller.journal import Journal, JournalError
from controller.ledger import Ledger
from controller.operator.buzzer import Buzzer
from controller.operator.guided_steps import Guided
from controller.operator.incidents import Incidents
from controller.operator.lamp_tower import Tower
from controller.operator.table_keys import Key
from controller.orders import Orders
from controller.pausing.pauses import Pauses, Reconnect, never_lost
from controller.pausing.power_lease import supplies
from controller.planning.hand_lanes import staging_of
from controller.planning.least_times import under_bound
from controller.rounds.deal import Deal
from controller.rounds.gather_all import regather
from controller.rounds.lid_interrupt import Forgotten
from controller.rounds.top_cycle import Top
from controller.rounds.under_cycle import Under
from controller.rounds.workplace import Workplace
from controller.run_state import RunState, mean
from controller.state_machine import UNDER_WAY
from controller.stations.rig import Stations
from firmware_bridge.board import Board
from firmware_bridge.boards.devices import Devices
from firmware_bridge.guide import Ask, Guide
from rules.play import Match
from rules.tiles import Face


@dataclass(frozen=True)
class LinkTotals:
    """What the links have carried so far."""

    commands: int
    retries: int


def _keeps_none(line: str) -> None:
    """Discards record lines: the default where no record of the play is kept."""


class Daemon:
    """Controls one table: its boards, the games it plays, and its run state.

    `face_of` returns a tile's face by its tag, or None; `traffic` counts what the links carried;
    `record` takes the lines of a record of the play; `reconnect` opens a board's lost line again.
    """

    def __init__(
        self,
        table: Table,
        game: GameConfig,
        orders: Orders,
        boards: Mapping[str, Board],
        guide: Guide,
        journal: Journal,
        events: EventLog,
        *,
        face_of: Callable[[int], Face | None],
        traffic: Callable[[], LinkTotals],
        clock: Callable[[], float],
        record: Callable[[str], None] | None = None,
        reconnect: Reconnect = never_lost,
    ) -> None:
        layout = orders.setup(orders.dealer).layout
        self.staging = staging_of(table, orders)
        self.run_state = RunState(
            Ledger.of(table.sets if layout.count else 1, layout.count), journal, events, clock
        )
        self.match = orders.first_match() if orders.play else None
        """The match after the hands played so far, where the rules follow the hands."""
        care = Care(partial(limits_of, table), guide.help, self.run_state)
        supply = supplies(table, boards, care)
        self._incidents = Incidents()
        events.listen(self._incidents.update)
        self._tower = Tower(table, supply, events)
        self._buzzer = Buzzer(table, supply, events, clock)
        self._pauses = Pauses(table, boards, self.run_state, guide.help, reconnect, supply)
        boards = self._pauses.boards
        self._table = table
        self._boards = boards
        self._orders = orders
        self._traffic = traffic

        self._help = guide.help
        self._rig = Stations(table, game.tile, Devices(table, boards), care)
        self._under = Under(table, self._rig, self.staging, self.run_state)
        self._key = Key(self._rig.lid_key)
        done = self._done_key()
        guided = Guided(guide, self._rig.lamps, done)
        kept = record or _keeps_none
        place = Workplace(
            table, game.tile, self._rig, guided, self.run_state, orders, face_of, kept
        )
        self._top = Top(place, self.staging, self._under, self._key)
        self._forgotten = Forgotten(self._rig, self._under, self.run_state, self._key, done)
        self._listening = {key for key in (self._key, done) if key is not None}

    def _done_key(self) -> Key | None:
        """The key that confirms a guided step; on a small table one key serves for both."""
        if self._table.modules.keys.done == self._table.modules.keys.lid:
            return self._key
        return Key(self._rig.done_key) if self._rig.done_key else None

    @property
    def deal(self) -> Deal | None:
        """The round in play, or the last one."""
        return self._top.deal

    async def run(
        self, rounds: int, *, until_ready: bool = False, regather_for: str | None = None
    ) -> None:
        """Play rounds, then stop; with `until_ready` the last round ends when it is ready to play.

        If there is a reason to (`regather_for`), people put every tile away first. After everything
        has been stopped it raises TableFault, or an error of the program in an exception group with
        the faults that came with it.
        """
        failing = False
        try:
            await self._connect()
            async with asyncio.TaskGroup() as tasks:
                watching = tasks.create_task(self._pauses.watch())
                await self._start(regather_for)
                await self._both(rounds, until_ready)
                watching.cancel()
        except Exception as failed:
            failing = True
            failures = sort_failures(failed)
            if failures.faults:
                self._failed(failures.faults)
            if failures.errors:
                raise
            raise failures.faults[0] from failed
        finally:
            await _to_its_end(self._stop(failing=failing))

    def _failed(self, faults: tuple[TableFault, ...]) -> None:
        """Record the faults that end the run; the reported fault is the journal's last one."""
        for fault in reversed(faults):
            self.run_state.fault(fault)
        if self.run_state.machine.above in UNDER_WAY:
            self.run_state.machine.fire("fail")

    def summary(self, real_seconds: float) -> dict[str, object]:
        """The figures of the run, as the last event reports them."""
        run_state, traffic = self.run_state, self._traffic()
        return {
            "events_version": EVENTS_VERSION,
            "rounds": run_state.figures.rounds,
            "virtual_s": round(run_state.clock(), 3),
            "real_s": round(real_seconds, 3),
            "cycle_s": {"under": mean(run_state.figures.under), "top": mean(run_state.figures.top)},
            "bound_s": {
                "under": round(under_bound(self._table, self.staging), 3),
                "top": mean(run_state.figures.top_bound),
            },
            "tiles": {
                "expected": run_state.ledger.expected,
                "accounted": run_state.ledger.accounted,
            },
            "faults": run_state.figures.faults,
            **self._incidents.figures(),
            "commands": traffic.commands,
            "retries": traffic.retries,
        }

    # Start and stop

    async def _connect(self) -> None:
        self.run_state.machine.fire("connect")
        for name, board in self._boards.items():
            await self._pauses.connect(board)
            if failing := await board.self_test():
                raise TableFault(
                    Fault.CONFIGURATION, f"board {name}", f"its self-test found {failing:#x}"
                )
        self._tower.begin()
        self._buzzer.begin()

    async def _start(self, regather_for: str | None) -> None:
        machine = self.run_state.machine
        await self._top.darken()
        machine.fire("home")
        if self.run_state.resumed:
            await self._take_over()
        elif regather_for is not None:
            await self._find_axes()
            await regather(self._rig, self.run_state, self._help, regather_for)
        if self.run_state.past.over:
            # No step has begun that depends on the positions of the parts.
            await self._home()
        await machine.enter("run")

    async def _take_over(self) -> None:
        """Leave the parts where the interrupted run left them; its last fault is still present.

        Raises that TableFault unless a person confirms that it has been cleared.
        """
        fault = self.run_state.left_open
        if fault is not None:
            self.run_state.events.emit("fault", **fault.facts())
            row = fault.row
            ask = Ask(row.code, fault.part, fault.evidence, row.request(fault.part), row.answers)
            async with self.run_state.asking(ask, row.who) as note:
                answer = await self._help(ask)
                note(answer)
            if answer == STOP:
                raise fault
        await self._find_axes()

    async def _find_axes(self) -> None:
        if self._rig.gantry and self._table.modules.gantry:
            async with self._rig.leased(self._table.modules.gantry.x):
                await self._rig.gantry.find_axes()

    async def _home(self) -> None:
        """Move every part to its home position from any position."""
        rig = self._rig
        modules = self._table.modules
        switched = [rig.lid, rig.flipper, *rig.lifts, *rig.lanes]
        parts = [part.motor.channel for part in switched if part]
        if modules.gantry:
            parts.append(modules.gantry.x)
        async with rig.leased(*parts):
            if rig.gantry:
                await rig.gantry.home()
            if rig.lid:
                await rig.lid.go_back()
            for part in (*rig.lifts, *rig.lanes):
                await part.go_back()
            if rig.flipper:
                await rig.flipper.go_back()

    async def _both(self, rounds: int, until_ready: bool) -> None:
        """Run both activities in parallel until the rounds are played or one activity fails."""
        async with asyncio.TaskGroup() as activities:
            background = [
                activities.create_task(self._under.run()),
                activities.create_task(self._forgotten.run()),
            ]
            await self._play(rounds, until_ready)
            for task in background:
                task.cancel()

    async def _play(self, rounds: int, until_ready: bool) -> None:
        """Play round after round; a match names the dealer, else the deal moves one seat on."""
        orders = self._orders
        players = orders.setup(orders.dealer).seating.players
        await self._top.load_first()
        for number in range(rounds):
            turn = (orders.dealer + number) % players
            if self.match is not None:
                self.match = await self._ready_match(self.match)
            await self._top.set_up(turn if self.match is None else self.match.dealer)
            if until_ready and number == rounds - 1:
                self.run_state.figures.rounds += 1
                return
            self.match = await self._top.play_out(self.match)

    async def _ready_match(self, match: Match) -> Match:
        """The match before its next hand, with seats and dealer settled; a new match if it is over.

        A match is also over where no player takes the bank (4.3); a new one then offers the bank
        again.
        """
        while True:
            if match.over:
                match = self._orders.match(match.dealer)
            match = await self._top.seated(match)
            if not match.over:
                return match

    async def _stop(self, *, failing: bool) -> None:
        for key in self._listening:
            key.close()
        for board in self._boards.values():
            board.stop_all()
        await self._tower.close()
        await self._buzzer.close()
        for board in self._boards.values():
            await board.close()
        # If the journal caused the fault that ended the run, it has been reported already.
        with suppress(*((JournalError,) if failing else ())):
            await self.run_state.journal.settle()
        if self.run_state.machine.above in UNDER_WAY:
            self.run_state.machine.fire("stop")


async def _to_its_end(work: Coroutine[object, object, None]) -> None:
    """Wait until the coroutine is done, even if Ctrl-C is pressed again meanwhile."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
