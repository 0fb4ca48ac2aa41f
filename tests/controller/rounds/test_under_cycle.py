"""The activity below: a gathered set is mixed, built, counted and staged, one set at a time.

Everything goes as it should on the board beneath: tiles come every 0.28 s, edges when they are
waited for. So the times are sums: 17 stacks of two take 9.52 s, the last push 0.28 s.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from config.layout.staging import Staging
from config.loader import game_parameters, load_game, load_table
from controller.events import Event, EventLog
from controller.faults.table_fault import Fault, TableFault
from controller.journal import Journal
from controller.ledger import Ledger
from controller.orders import Orders
from controller.planning.hand_lanes import staging_of
from controller.rounds.under_cycle import UnderCycle
from controller.run_state import RunState
from controller.stations.rig import Stations
from firmware_bridge.board import Board, Edge, Edges, Ended, Reason, Until
from firmware_bridge.boards.devices import Devices
from firmware_bridge.sim import clock
from rules.games import find_game

MIX, BUILD = 8.0, 17 * 0.56 + 0.28


class Obliging(Board):
    """A board on which everything comes that is waited for; it keeps what it was told, and when."""

    def __init__(self) -> None:
        self.events: list[tuple[float, str]] = []
        self.starved: str | None = None
        self.leases = 0

    async def drive(self, motor: str, value: int, until: Until, limit: float) -> Ended:
        count = until.count if isinstance(until, Edges) else 0
        self._note(f"{motor} {count}")
        if motor == self.starved:
            await asyncio.sleep(limit)
            return Ended(Reason.TIME, 0, limit)
        seconds = 0.28 * count
        await asyncio.sleep(seconds)
        return Ended(Reason.EDGES if count else Reason.LEVEL, count, seconds)

    async def set(self, channel: str, value: int) -> None:
        self._note(f"{channel} = {value}")

    async def stop(self, channel: str | None = None) -> None:
        self._note(f"{channel} stop")

    async def read(self, channel: str) -> int:
        return 0

    async def watch(self, *sensors: str) -> AsyncIterator[Edge]:
        """Every tile darkens a counter for as long as one of this game takes at belt speed."""
        for number in count(1):
            await asyncio.sleep(0.28)
            at = asyncio.get_running_loop().time()
            yield Edge(sensors[0], True, at, number)
            yield Edge(sensors[0], False, at + 0.152, number)

    async def count(self, sensor: str) -> int:
        return 0

    async def hold_lease(self) -> None:
        self.leases += 1

    async def release_lease(self) -> None:
        self.leases -= 1

    def when(self, text: str) -> list[float]:
        """The instants at which it was told this."""
        return [at for at, emitted in self.events if emitted == text]

    def _note(self, text: str) -> None:
        self.events.append((round(asyncio.get_running_loop().time(), 6), text))


class Below:
    """An under-activity with everything that it needs, on a table that has just begun to run."""

    def __init__(self, table: str, game: str, change: Callable[[Staging], Staging]) -> None:
        machine, config, rules = load_table(table), load_game(game), find_game(game)
        orders = Orders(rules, game_parameters(config))
        layout = orders.setup(0).layout
        loop = asyncio.get_running_loop()
        staging = change(staging_of(machine, orders))
        events = EventLog(loop.time)
        self.states: list[tuple[float, object]] = []
        events.listen(self._hear)
        self.board = Obliging()
        boards = dict.fromkeys(machine.boards, self.board)
        rig = Stations(machine, config.tile, Devices(machine, boards))
        self.journal = Journal.in_memory("now", {})
        self.run_state = RunState(Ledger.of(2, layout.count), self.journal, events, loop.time)
        for trigger in ("connect", "home", "run"):
            self.run_state.machine.fire(trigger)
        self.states.clear()
        self.under = UnderCycle(machine, rig, staging, self.run_state)

    async def take(self, number: int) -> None:
        """The lid has closed over a set."""
        self.run_state.machine.fire("gather")
        self.run_state.ledger = self.run_state.ledger.gathered(number)
        await self.under.take(number)

    def _hear(self, event: Event) -> None:
        if event["event"] == "state":
            self.states.append((round(float(str(event["t"])), 6), event["under"]))


Scenario = Callable[[Below], Coroutine[Any, Any, None]]


def below(
    scenario: Scenario,
    table: str = "robotic",
    game: str = "wenzhou",
    change: Callable[[Staging], Staging] = lambda staging: staging,
) -> Below:
    """Play a story below; a fault of the activity ends it. Returns how everything stands then."""

    async def play() -> Below:
        stage = Below(table, game, change)
        with stage.journal:
            working = asyncio.create_task(stage.under.run())
            telling = asyncio.create_task(scenario(stage))
            await asyncio.wait([working, telling], return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                telling.cancel()
                await working
            working.cancel()
            await telling
        return stage

    return clock.run(play())


def test_a_gathered_set_is_mixed_built_counted_and_staged() -> None:
    async def scenario(stage: Below) -> None:
        await stage.take(0)
        assert await stage.under.staged() == 0

    stage = below(scenario)
    assert stage.states == [
        (0.0, "gathering"),
        (0.0, "shuffling"),
        (MIX, "building"),
        (MIX + BUILD, "staged"),
    ]
    assert (stage.run_state.ledger.sets[0].where, stage.run_state.ledger.sets[0].counted) == (
        "trays",
        136,
    )
    assert stage.run_state.figures.under == [pytest.approx(MIX + BUILD)]


def test_the_drum_stirs_until_the_last_tile_is_out() -> None:
    async def scenario(stage: Below) -> None:
        await stage.take(0)
        await stage.under.staged()

    board = below(scenario).board
    assert board.when("drum = 1000") == [0.0]
    assert board.when("drum stop") == board.when("head3_belt stop") == [MIX + BUILD]
    assert len(board.when("head2_wheel 2")) == len(board.when("head2_pusher 1")) == 17


def test_the_intent_is_on_disk_before_the_drum_turns_and_its_count_when_it_is_done() -> None:
    async def scenario(stage: Below) -> None:
        await stage.take(0)
        await asyncio.sleep(1.0)
        (building,) = stage.journal.entries()
        assert (building.activity, building.intent) == ("under", {"do": "build", "set": 0})
        assert not building.confirmed
        await stage.under.staged()
        outcome = stage.journal.entries()[0].outcome
        assert isinstance(outcome, dict)
        assert (outcome["counted"], sum(outcome["picks"].values())) == (136, 136)
        seen = {"tiles": 5, "width_ms": 152.0, "spread_ms": 0.0}
        assert outcome["heads"] == {f"head {number}": seen for number in range(4)}

    below(scenario)


def test_the_second_set_is_mixed_but_not_built_while_walls_fill_the_trays() -> None:
    async def scenario(stage: Below) -> None:
        await stage.take(0)
        await stage.under.staged()
        await stage.take(1)
        await asyncio.sleep(30.0)
        assert stage.run_state.machine.under == "shuffling"
        assert len(stage.board.when("head0_wheel 2")) == 17
        stage.under.trays_are_empty()
        assert await stage.under.staged() == 1

    stage = below(scenario)
    (*_, waits, staged) = stage.states
    assert waits == (MIX + BUILD + 30.0, "building")
    assert staged == (pytest.approx(MIX + BUILD + 30.0 + BUILD), "staged")


def test_no_set_may_be_pushed_in_while_one_is_on_its_way_to_the_trays() -> None:
    async def scenario(stage: Below) -> None:
        await stage.under.free()
        await stage.take(0)
        await stage.under.free()
        assert asyncio.get_running_loop().time() == pytest.approx(MIX + BUILD)

    below(scenario)


def test_the_lease_is_held_from_the_closed_lid_to_the_staged_walls() -> None:
    async def scenario(stage: Below) -> None:
        assert stage.board.leases == 0
        await stage.take(0)
        assert stage.board.leases == 1
        await asyncio.sleep(MIX + BUILD - 0.01)
        assert stage.board.leases == 1
        await stage.under.staged()
        assert stage.board.leases == 0

    below(scenario)


def test_a_head_that_gets_no_tile_ends_the_build_and_leaves_nothing_running() -> None:
    # The drum is full, so two tiles take 5.36 s at most; four attempts, and between them the
    # wheel goes back for half a second. S1 is looked at within each, and before all drives but the
    # first half a second is given to whatever is on the belt. This board turns drums in no time.
    boards: list[Obliging] = []

    async def scenario(stage: Below) -> None:
        boards.append(stage.board)
        stage.board.starved = "head2_wheel"
        await stage.take(0)
        await stage.under.staged()

    with pytest.raises(TableFault) as raised:
        below(scenario)
    assert (raised.value.fault, raised.value.part) == (Fault.JAM, "head 2")
    assert raised.value.evidence.endswith("34 tiles are still in the drum")
    (board,) = boards
    assert board.leases == 0
    for head in range(4):
        assert board.when(f"head{head}_belt stop") == [pytest.approx(MIX + 4 * 5.36 + 10 * 0.5)]


def test_trays_that_do_not_hold_the_set_are_told_with_the_count() -> None:
    async def scenario(stage: Below) -> None:
        await stage.take(0)
        await stage.under.staged()

    with pytest.raises(TableFault) as raised:
        below(scenario, change=lambda staging: replace(staging, fills=staging.fills[:3]))
    assert raised.value.fault is Fault.COUNT
    assert raised.value.evidence == "102 of 136 tiles were counted"


def test_hand_lanes_are_filled_through_their_gates_before_the_walls() -> None:
    async def scenario(stage: Below) -> None:
        await stage.take(0)
        await stage.under.staged()

    board = below(scenario, "auto_deal").board
    (opened,), (closed,) = board.when("lane1_gate = 1"), board.when("lane1_gate stop")
    assert (opened, closed) == (MIX, pytest.approx(MIX + 16 * 0.28))
    assert board.when("head1_wheel 16") == [opened]
    assert board.when("head1_wheel 2")[0] == closed


def test_where_people_build_a_head_lets_four_tiles_out_at_a_time() -> None:
    async def scenario(stage: Below) -> None:
        await stage.take(0)
        await stage.under.staged()

    stage = below(scenario, "bench", "block")
    lifts = [emitted for _, emitted in stage.board.events if emitted.endswith(" 4")]
    assert len(lifts) == 28 // 4
    assert stage.run_state.ledger.sets[0].counted == 28


def test_a_game_without_tiles_is_staged_at_once() -> None:
    async def scenario(stage: Below) -> None:
        await stage.take(0)
        await stage.under.staged()

    stage = below(scenario, game="backgammon")
    assert stage.states[-1] == (0.0, "staged")
    assert not [
        emitted for _, emitted in stage.board.events if emitted.startswith(("drum", "head0_wheel"))
    ]
