"""The daemon: starts a table, runs its two activities, and stops it safely."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from config.recovery_limits import limits_of
from config.schema import GameConfig, Table
from controller.events import EVENTS_VERSION, EventLog, EventName
from controller.events.counts import CountingListener
from controller.run.chance.source import OpenChance
from controller.run.faults.catalogue import STOP
from controller.run.faults.failures import Fault, TableFault, sort_failures
from controller.run.faults.retry import FaultHandler
from controller.run.health.storage_life import storage_used
from controller.run.journal import Journal, JournalError
from controller.run.ledger import Ledger
from controller.run.operator.guided_steps import Guided
from controller.run.operator.signals import Buzzer, Tower
from controller.run.operator.table_keys import Key
from controller.run.orders import Orders
from controller.run.pausing.leases import supplies
from controller.run.pausing.operator_help import ask_until_answered
from controller.run.pausing.pauses import Pauses
from controller.run.pausing.reconnection import Reconnect, never_lost
from controller.run.planning.least_times import under_bound
from controller.run.planning.magazine import expected_magazine_times
from controller.run.planning.setup_forecast import staging_of
from controller.run.rounds.cycle_chances import CycleChances
from controller.run.rounds.deal import Deal, Workplace
from controller.run.rounds.hand_play import CorrectionRefusedError, HandPlay
from controller.run.rounds.hand_results import EndedHand, HandResults
from controller.run.rounds.lid_interrupt import LidInterrupt
from controller.run.rounds.programme import FixedRounds, RoundOrder, RoundProgramme
from controller.run.rounds.put_away import put_away
from controller.run.rounds.sorted_build import planned_choices
from controller.run.rounds.top_cycle import TopCycle
from controller.run.rounds.under_cycle import UnderCycle
from controller.run.run_state import RunState, mean
from controller.run.state_machine import UNDER_WAY
from controller.run.stations.rig import Stations
from firmware_bridge.board import Board
from firmware_bridge.boards.devices import Devices
from firmware_bridge.guide import Ask, Guide
from rules.play import Match
from rules.tiles import Face


@dataclass(frozen=True)
class LinkTotals:
    """Totals of all links since the start: commands, and frames that were sent again.

    `breaches` are the messages of boards that broke the protocol, by rule.
    """

    commands: int
    retries: int
    breaches: Mapping[str, int] = field(default_factory=dict)


def _discard_record_line(line: str) -> None:
    """Discard a record line; used for runs without a record of the play."""


class Daemon:
    """Controls one table: its boards, its rounds, and its run state.

    `face_of` returns a tile's face by its tag, None for an unknown tag. `traffic` returns the
    totals of the links. `open_chance` opens the source of random shares by the device's name.
    `record` takes the lines of the record of the play. `reconnect` opens a board's lost line again.
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
        open_chance: OpenChance,
        record: Callable[[str], None] | None = None,
        reconnect: Reconnect = never_lost,
    ) -> None:
        layout = orders.setup(orders.dealer).layout
        self.staging = staging_of(table, orders)
        self.run_state = RunState(
            Ledger.of(table.sets if layout.count else 1, layout.count), journal, events, clock
        )
        self.match = orders.first_match() if orders.has_match else None
        """The match after the hands played so far; None if the table follows neither the play nor
        the results."""
        fault_handler = FaultHandler(partial(limits_of, table), guide.help, self.run_state)
        supply = supplies(table, boards, fault_handler)
        self._counted = CountingListener()
        events.listen(self._counted)
        self._tower = Tower(table, supply, events)
        self._buzzer = Buzzer(table, supply, events, clock)
        self._pauses = Pauses(table, boards, self.run_state, guide.help, reconnect, supply)
        boards = self._pauses.boards
        self._table = table
        self._boards = boards
        self._orders = orders
        self._traffic = traffic

        self._help = guide.help
        self._rig = Stations(table, game.tile, Devices(table, boards), fault_handler)
        choices = planned_choices(table, self.staging.layout.count)
        self.chances = CycleChances(self.run_state, open_chance, table.name, choices)
        """The random choices of the shuffle cycles."""
        self._under = UnderCycle(table, self._rig, self.staging, self.run_state, self.chances)
        self._key = Key(self._rig.lid_key)
        done = self._done_key()
        guided = Guided(guide, self._rig.lamps, done)
        record = record or _discard_record_line
        place = Workplace(
            table, game.tile, self._rig, guided, self.run_state, orders, face_of, record
        )
        self._programme: RoundProgramme = FixedRounds(orders, 0)
        self._top = TopCycle(
            place, self.staging, self._under, self._key, self._shuffles, self.chances
        )
        self.results = HandResults(self.run_state, guided, record)
        """The results that people report for hands that the table does not follow."""
        self._begins_match = False
        """Whether the present hand is the first one after a match that is over."""
        self._lid_interrupt = LidInterrupt(self._rig, self._under, self.run_state, self._key, done)
        self._listening = {key for key in (self._key, done) if key is not None}

    def _done_key(self) -> Key | None:
        """The key that confirms a guided step; on a small table this is the lid's key."""
        if self._table.modules.keys.done == self._table.modules.keys.lid:
            return self._key
        return Key(self._rig.done_key) if self._rig.done_key else None

    @property
    def deal(self) -> Deal | None:
        """The deal of the round in play, or of the last round; None before the first round."""
        return self._top.deal

    async def run(
        self, rounds: int, *, until_ready: bool = False, put_away_reason: str | None = None
    ) -> None:
        """Play rounds, then stop; with `until_ready` the last round ends when it is ready to play.

        Raises as `play` does.
        """
        programme = FixedRounds(self._orders, rounds, until_ready=until_ready)
        await self.play(programme, put_away_reason=put_away_reason)

    async def play(self, programme: RoundProgramme, *, put_away_reason: str | None = None) -> None:
        """Play the rounds of a programme, then stop.

        If `put_away_reason` is given, people put every tile away before the first round. After a
        failure all boards are stopped first. Then this method raises TableFault, or an exception
        group with an error of the program and the faults that occurred with it.
        """
        failing = False
        self._programme = programme
        try:
            await self._connect()
            async with asyncio.TaskGroup() as tasks:
                watching = tasks.create_task(self._pauses.watch())
                await self._start(put_away_reason)
                await self._run_activities()
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
            await _finish(self._stop(failing=failing))

    def _failed(self, faults: tuple[TableFault, ...]) -> None:
        """Record the faults that end the run; the first one is recorded last.

        A later run takes the last fault in the journal as the open fault.
        """
        for fault in reversed(faults):
            self.run_state.fault(fault)
        if self.run_state.machine.above in UNDER_WAY:
            self.run_state.machine.fire("fail")

    @property
    def lifted(self) -> dict[str, tuple[int, int]]:
        """Tiles that each head has lifted in this or the last build, and its share of the set."""
        return self._under.lifted

    def watch_lifts(self, lifted: Callable[[], None]) -> None:
        """Call `lifted` after every tile that a head has lifted, which no event reports."""
        self._under.on_lifted = lifted

    @property
    def is_building(self) -> bool:
        """Whether a set is in the drum and is being mixed or built."""
        return self._under.busy

    @property
    def is_lid_interrupted(self) -> bool:
        """Whether the lid is open for a forgotten tile, while a set is prepared."""
        return self._lid_interrupt.is_lid_open

    # Commands from people, at any time of the run

    def press_lid_key(self) -> None:
        """Do what a press of the lid's key does."""
        self._key.press()

    def pause(self) -> None:
        """Pause the table until `resume`: every output gets its safe value."""
        self._pauses.hold()

    def resume(self) -> None:
        """End a pause that `pause` began."""
        self._pauses.release()

    @property
    def hand(self) -> HandPlay | None:
        """The hand of the round in play, also after its end; None if the table follows none."""
        return self._top.hand

    def correct(self, acts: int, by: str, reason: str) -> None:
        """Take back the last actions of the hand that the table follows.

        Raises CorrectionRefusedError.
        """
        if self._top.hand is None:
            raise CorrectionRefusedError("The table follows no hand now; nothing is taken back.")
        self._top.hand.correct(acts, by, reason)

    @property
    def is_held(self) -> bool:
        """Whether `pause` holds the table."""
        return self._pauses.held

    def summary(self, real_seconds: float) -> dict[str, object]:
        """The figures of the run, as the event `summary` contains them.

        `real_seconds` is the duration of the run in real time.
        """
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
            **self._magazine_figures(),
            "tiles": {
                "expected": run_state.ledger.expected,
                "accounted": run_state.ledger.accounted,
            },
            "faults": run_state.figures.faults,
            **self._counted.counts.figures(),
            **({"breaches": dict(traffic.breaches)} if traffic.breaches else {}),
            "commands": traffic.commands,
            "retries": traffic.retries,
        }

    def _magazine_figures(self) -> dict[str, float]:
        """The mean time that a magazine adds to a build, by the key `magazine_s`."""
        times = expected_magazine_times(self._table, self.staging.layout.count)
        return {} if times is None else {"magazine_s": round(times.total, 3)}

    # Start and stop

    async def _connect(self) -> None:
        self.run_state.machine.fire("connect")
        for name, board in self._boards.items():
            identity = await self._pauses.connect(board)
            self.run_state.journal.record_serial(name, identity.serial)
            if failing := await board.self_test():
                raise TableFault(
                    Fault.CONFIGURATION,
                    f"board {name}",
                    f"its self-test reports failing parts {failing:#x}",
                )
        self._tower.begin()
        self._buzzer.begin()

    async def _start(self, put_away_reason: str | None) -> None:
        machine = self.run_state.machine
        await self._top.darken()
        machine.fire("home")
        if self.run_state.resumed:
            await self._continue_interrupted()
        elif put_away_reason is not None:
            await self._rig.find_axes()
            await put_away(self._rig, self.run_state, self._help, put_away_reason)
        if self.run_state.replay.over:
            # No step is left to replay, so no step depends on the present positions of the parts.
            await self._rig.home()
        await machine.enter("run")

    async def _continue_interrupted(self) -> None:
        """Prompt an operator for what the interrupted run has left open, then find the axes.

        First the fault that ended it, then the unanswered prompts, because the person who was asked
        can still have their hands in the machine. A prompt that the pause of a latched fault
        repeats is not asked twice. All other parts stay where the interrupted run left them. Raises
        the fault if the operator answers 'stop' or does not answer in time.
        """
        run_state = self.run_state
        if run_state.open_fault is not None:
            run_state.events.emit(EventName.FAULT, **run_state.open_fault.facts())
            await self._ask_again(run_state.open_fault)
        for fault in run_state.unanswered:
            await self._pauses.gate.wait_until_open()
            if (fault.fault.name, fault.part) in run_state.answered:
                continue
            if fault.fault is Fault.FORGOTTEN:
                self._lid_interrupt.resume()
            else:
                await self._ask_again(fault)
        await self._rig.find_axes()

    async def _ask_again(self, fault: TableFault) -> None:
        """Prompt an operator to clear a fault. Raises the fault if the operator does not."""
        row = fault.row
        ask = Ask(row.code, fault.part, fault.evidence, row.request(fault.part), row.answers)
        answer = await ask_until_answered(self.run_state, self._help, ask, row.who)
        if answer in (None, STOP):
            raise fault

    async def _run_activities(self) -> None:
        """Run both activities in parallel until the rounds are played or one activity fails."""
        async with asyncio.TaskGroup() as activities:
            # The interrupt first: it can hold the parts below before any of them moves.
            background = [
                activities.create_task(self._lid_interrupt.run()),
                activities.create_task(self._under.run()),
            ]
            await self._play()
            for task in background:
                task.cancel()

    async def _play(self) -> None:
        """Play the rounds; the match gives the dealer, or without one the dealer moves one seat."""
        await self._top.load_first()
        while (order := await self._programme.next_round(self._under.coming)) is not None:
            self._begins_match = False
            orders = order.orders
            self._top.play_by(orders, new_match=order.new_match)
            if order.match is not None or order.new_match or not orders.has_match:
                if self.results.open_hand is not None:
                    await self.results.next_match(wait=False)
                self._begins_match = True
                first = orders.first_match() if orders.has_match else None
                self.match = order.match or first
            elif self.results.open_hand is not None:
                self.match = await self.results.next_match()
            players = orders.setup(orders.dealer).seating.players
            turn = (orders.dealer + order.number) % players
            if self.match is not None:
                self.match = await self._next_match(orders, self.match)
            await self._top.set_up(turn if self.match is None else self.match.dealer)
            if order.until_ready:
                self.run_state.figures.rounds += 1
                return
            self.match = await self._top.play_out(self.match)
            self._ask_for_result(order)
            if not self._programme.takes_in():
                # The set that is being built below is finished, so that no tile is on its way.
                await self._under.free()
                return
            await self._top.collect_played()
        if self.results.open_hand is not None:
            self.match = await self.results.next_match()

    def _ask_for_result(self, order: RoundOrder) -> None:
        """Open the question for the result of the hand that is over, if its orders ask for it."""
        if order.orders.follow == "result" and self.match is not None:
            assert self._top.deal is not None
            name, setup = order.hand or str(self.run_state.figures.rounds + 1), self._top.deal.setup
            begins = self._begins_match
            self.results.ask(
                EndedHand(name, order.orders, self.match, setup, self._top.moves, begins)
            )

    def _shuffles(self, tile_set: int) -> None:
        self._programme.shuffles(tile_set)

    async def _next_match(self, orders: Orders, match: Match) -> Match:
        """The match before its next hand, with seats and dealer settled; a new match if it is over.

        A match is also over if no player takes the bank (4.3); the new match then offers the bank
        again.
        """
        while True:
            if match.over:
                match = orders.match(match.dealer)
                self._begins_match = True
                self._top.begin_match()
            match = await self._top.seated(match)
            if not match.over:
                return match

    async def _stop(self, *, failing: bool) -> None:
        """Stop all boards, close them, and write the journal. Raises JournalError.

        `failing` suppresses a JournalError after another failure; the boards are then closed
        without a question about their storage.
        """
        self.results.close()
        for key in self._listening:
            key.close()
        for board in self._boards.values():
            board.stop_all()
        await self._tower.close()
        await self._buzzer.close()
        if not failing:
            used = await storage_used(self._boards)
            self.run_state.journal.record_storage(self.run_state.clock(), used)
        for board in self._boards.values():
            await board.close()
        # After a failure the JournalError is suppressed: if the journal caused the failure, it has
        # been reported already.
        with suppress(*((JournalError,) if failing else ())):
            await self.run_state.journal.settle()
        if self.run_state.machine.above in UNDER_WAY:
            self.run_state.machine.fire("stop")


async def _finish(work: Coroutine[object, object, None]) -> None:
    """Run a coroutine to its end, even if Ctrl-C is pressed again meanwhile."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
