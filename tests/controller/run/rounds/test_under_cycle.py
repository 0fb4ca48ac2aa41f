"""Tests the `under` activity: a gathered set is mixed, built, counted and staged.

The fake board never fails: it counts a tile every 0.28 s and completes every motion. Expected times
are therefore sums: 17 stacks of two tiles take 9.52 s, the last push takes 0.28 s, and then the
four wheels prove for 22.16 s that the drum is empty; a tile could travel for another 0.5 s.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

import pytest

from config.layout.staging import Staging
from config.loader import game_parameters, load_game, load_table
from controller.events import Event, EventLog
from controller.run.faults.failures import Fault, TableFault
from controller.run.journal import Entry, Journal
from controller.run.ledger import Ledger
from controller.run.operator.table_keys import Key
from controller.run.orders import Orders
from controller.run.planning.setup_forecast import staging_of
from controller.run.rounds.cycle_chances import CycleChances
from controller.run.rounds.lid_interrupt import LidInterrupt
from controller.run.rounds.sorted_build import planned_choices
from controller.run.rounds.under_cycle import UnderCycle
from controller.run.run_state import RunState
from controller.run.run_together import end_task
from controller.run.stations.rig import Stations
from firmware_bridge.board import Board, Edge, Edges, Ended, Reason, Until
from firmware_bridge.boards.devices import Devices, Sensor
from firmware_bridge.sim import clock
from firmware_bridge.sim.host_computer import SeededChance
from rules.games import find_game
from tests.firmware_bridge.scripted_edges import scripted

MIX, BUILD = 60.0, 17 * 0.56 + 0.28
PROOF = 2.0 + 6.0 * 24 * 0.28 / 2 + 0.5
"""Seconds in which four heads lift the only tile in the drum, and it reaches a counter."""
STAGED = round(MIX + BUILD + PROOF, 6)
FULL = MIX + 22.0
"""Seconds for which walls fill the trays: longer than the next set is mixed."""


class FaultlessBoard(Board):
    """A fake board that completes every command; it records the commands and their times."""

    def __init__(self) -> None:
        self.commands: list[tuple[float, str]] = []
        self.starved: str | None = None
        self.leases = 0
        self.lease_takes = self.release_takes = 0.0
        """Seconds to take a lease, and to release it."""
        self.in_drum = 0

    async def drive(self, motor: str, value: int, until: Until, limit: float) -> Ended:
        count = until.count if isinstance(until, Edges) else 0
        self._note(f"{motor} {count}")
        is_wheel = motor.endswith("wheel")
        if motor == self.starved or (is_wheel and count > self.in_drum):
            await asyncio.sleep(limit)
            return Ended(Reason.TIME, 0, limit)
        self.in_drum -= count if is_wheel else 0
        seconds = 0.28 * count
        await asyncio.sleep(seconds)
        return Ended(Reason.EDGES if count else Reason.LEVEL, count, seconds)

    async def set(self, channel: str, value: int) -> None:
        self._note(f"{channel} = {value}")

    async def stop(self, channel: str | None = None) -> None:
        self._note(f"{channel} stop")

    async def read(self, channel: str) -> int:
        return 0

    @scripted
    async def watch(self, *sensors: str) -> AsyncIterator[Edge]:
        """Emit the edges of a tile every 0.28 s, 0.152 s long as at belt speed."""
        for number in count(1):
            await asyncio.sleep(0.28)
            at = asyncio.get_running_loop().time()
            yield Edge(sensors[0], True, at, number)
            yield Edge(sensors[0], False, at + 0.152, number)

    async def count(self, sensor: str) -> int:
        return 0

    async def hold_lease(self) -> None:
        self.leases += 1
        await asyncio.sleep(self.lease_takes)

    async def release_lease(self) -> None:
        self.leases -= 1
        await asyncio.sleep(self.release_takes)

    def when(self, text: str) -> list[float]:
        """Return the times at which the board received this command, in seconds."""
        return [at for at, command in self.commands if command == text]

    def _note(self, text: str) -> None:
        self.commands.append((round(asyncio.get_running_loop().time(), 6), text))


class Below:
    """An `UnderCycle` and its components, on a table that has just started to run."""

    def __init__(self, table: str, game: str, change: Callable[[Staging], Staging]) -> None:
        machine, config, rules = load_table(table), load_game(game), find_game(game)
        orders = Orders(rules, game_parameters(config))
        layout = orders.setup(0).layout
        loop = asyncio.get_running_loop()
        staging = change(staging_of(machine, orders))
        events = EventLog(loop.time)
        self.states: list[tuple[float, object]] = []
        events.listen(self._hear)
        self.board = FaultlessBoard()
        boards = dict.fromkeys(machine.boards, self.board)
        rig = Stations(machine, config.tile, Devices(machine, boards))
        self.journal = Journal.in_memory("now", {})
        self.run_state = RunState(Ledger.of(2, layout.count), self.journal, events, loop.time)
        for trigger in ("connect", "home", "run"):
            self.run_state.machine.fire(trigger)
        self.states.clear()
        choices = planned_choices(machine, layout.count)
        chances = CycleChances(self.run_state, partial(SeededChance, 7), table, choices)
        self.under = UnderCycle(machine, rig, staging, self.run_state, chances)

    async def take(self, number: int) -> None:
        """Start the preparation of a set, as after the lid has closed."""
        self.run_state.machine.fire("gather")
        self.board.in_drum = self.under.tiles
        self.run_state.ledger = self.run_state.ledger.gathered(number)
        await self.under.take(number)

    def builds(self) -> list[Entry]:
        """Return the journal's entries of this activity."""
        return [entry for entry in self.journal.entries() if entry.activity == "under"]

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
    """Run a scenario and the `under` activity until one of them ends; return the components.

    Raises the fault of the activity.
    """

    async def play() -> Below:
        stage = Below(table, game, change)
        with stage.journal:
            working = asyncio.create_task(stage.under.run())
            playing = asyncio.create_task(scenario(stage))
            await asyncio.wait([working, playing], return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                playing.cancel()
                await working
            working.cancel()
            await playing
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
        (STAGED, "staged"),
    ]
    assert (stage.run_state.ledger.sets[0].where, stage.run_state.ledger.sets[0].counted) == (
        "trays",
        136,
    )
    assert stage.run_state.figures.under == [pytest.approx(STAGED)]


def test_the_drum_runs_until_it_is_proven_to_be_empty() -> None:
    async def scenario(stage: Below) -> None:
        await stage.take(0)
        await stage.under.staged()

    board = below(scenario).board
    assert board.when("drum = 1000") == [0.0]
    assert board.when("drum stop") == board.when("head3_belt stop") == [STAGED]
    assert board.when("head2_wheel 1") == [pytest.approx(MIX + BUILD)]
    assert len(board.when("head2_wheel 2")) == len(board.when("head2_pusher 1")) == 17


def test_the_build_is_recorded_as_an_intent_and_confirmed_with_its_count() -> None:
    async def scenario(stage: Below) -> None:
        await stage.take(0)
        await asyncio.sleep(1.0)
        (building,) = stage.builds()
        assert (building.activity, building.intent) == ("under", {"do": "build", "set": 0})
        assert not building.confirmed
        await stage.under.staged()
        outcome = stage.builds()[0].outcome
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
        await asyncio.sleep(FULL)
        assert stage.run_state.machine.under == "shuffling"
        assert len(stage.board.when("head0_wheel 2")) == 17
        stage.under.trays_are_empty()
        assert await stage.under.staged() == 1

    stage = below(scenario)
    (*_, waits, staged) = stage.states
    assert waits == (pytest.approx(STAGED + FULL), "building")
    assert staged == (pytest.approx(STAGED + FULL + BUILD + PROOF), "staged")


def test_a_set_is_not_taken_in_while_another_one_is_prepared() -> None:
    async def scenario(stage: Below) -> None:
        await stage.under.free()
        await stage.take(0)
        await stage.under.free()
        assert asyncio.get_running_loop().time() == pytest.approx(STAGED)

    below(scenario)


def test_the_lease_is_held_from_the_closed_lid_to_the_staged_walls() -> None:
    async def scenario(stage: Below) -> None:
        assert stage.board.leases == 0
        await stage.take(0)
        assert stage.board.leases == 1
        await asyncio.sleep(STAGED - 0.01)
        assert stage.board.leases == 1
        await stage.under.staged()
        assert stage.board.leases == 0

    below(scenario)


def test_a_head_that_gets_no_tile_ends_the_build_and_everything_stops() -> None:
    # The drum is full, so two tiles take at most 5.36 s. Four attempts of two drives each are made.
    # Between attempts the wheel runs backwards for 0.5 s (3 times); before each drive except the
    # first the lift waits 0.5 s for a tile that is on the belt (7 times).
    boards: list[FaultlessBoard] = []

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


def test_trays_that_lack_tiles_are_a_fault_with_the_count() -> None:
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


def test_if_people_build_a_head_lifts_four_tiles_at_a_time() -> None:
    async def scenario(stage: Below) -> None:
        await stage.take(0)
        await stage.under.staged()

    stage = below(scenario, "bench", "block")
    lifts = [command for _, command in stage.board.commands if command.endswith(" 4")]
    assert len(lifts) == 28 // 4
    assert stage.run_state.ledger.sets[0].counted == 28


def test_a_game_without_tiles_is_staged_at_once() -> None:
    async def scenario(stage: Below) -> None:
        await stage.take(0)
        await stage.under.staged()

    stage = below(scenario, game="backgammon")
    assert stage.states[-1] == (0.0, "staged")
    assert not [
        command
        for _, command in stage.board.commands
        if command.startswith(("drum", "head0_wheel"))
    ]


# The lid's key during a build


class LidOfABuild:
    """The lid's interrupt of a table below which a set is prepared; `press` presses the key."""

    def __init__(self, stage: Below) -> None:
        rig = stage.under._rig
        self.key = Key(Sensor(QuietBoard(), "lid_key"))
        self._interrupt = LidInterrupt(rig, stage.under, stage.run_state, self.key, None)
        self._running = asyncio.create_task(self._interrupt.run())
        self._board = stage.board

    def press(self) -> None:
        self.key.press()

    def motions(self) -> list[float]:
        """Return the times at which the lid was driven, in seconds."""
        return self._board.when("lid 0")

    async def close(self) -> None:
        self.key.close()
        await end_task(self._running)


class QuietBoard(Board):
    """A board whose key nobody presses; the tests press it as a screen does."""

    @scripted
    async def watch(self, *sensors: str) -> AsyncIterator[Edge]:
        await asyncio.Event().wait()
        yield Edge(sensors[0], True, 0.0, 1)


def test_the_lid_stays_closed_if_the_set_is_complete_before_the_lease_is_taken() -> None:
    """The walls rise next, and the lifts are near a hand that reaches in."""

    async def scenario(stage: Below) -> None:
        lid = LidOfABuild(stage)
        await stage.take(0)
        await asyncio.sleep(STAGED - 0.5)
        stage.board.lease_takes = 1.0
        lid.press()
        await stage.under.staged()
        await asyncio.sleep(5.0)
        assert lid.motions() == []
        lid.press()
        await asyncio.sleep(5.0)
        assert lid.motions() == [], "the press is not kept for the next set"
        await lid.close()

    below(scenario)


def test_the_walls_do_not_rise_while_the_lid_is_open() -> None:
    """The lid opens while the heads lift, and the build waits until it is closed."""

    async def scenario(stage: Below) -> None:
        lid = LidOfABuild(stage)
        await stage.take(0)
        await asyncio.sleep(MIX + 1.0)
        lid.press()
        loop = asyncio.get_running_loop()
        loop.call_later(30.0, lid.press)
        await stage.under.staged()
        assert loop.time() >= MIX + 1.0 + 29.9 + PROOF
        opened, closed = lid.motions()
        assert closed - opened == pytest.approx(30.0)
        await lid.close()

    below(scenario)


@pytest.mark.parametrize("after", [0.5, PROOF - 0.5, PROOF + 0.1])
def test_the_lid_stays_closed_once_every_tile_is_counted(after: float) -> None:
    """No tile is forgotten, and people would push the other set into a drum that looks empty."""

    async def scenario(stage: Below) -> None:
        lid = LidOfABuild(stage)
        await stage.take(0)
        stage.board.release_takes = 1.0
        await asyncio.sleep(MIX + BUILD + after)
        assert stage.under.busy
        lid.press()
        await stage.under.staged()
        assert lid.motions() == []
        await lid.close()

    below(scenario)


@pytest.mark.parametrize("top", ["collecting", "raising"])
def test_the_key_opens_no_lid_while_a_set_is_taken_in_or_walls_rise(top: str) -> None:
    """While a set is taken in, the press says that the tiles are in: it stays in the queue."""
    trigger = {"collecting": "collect", "raising": "raise_walls"}[top]

    async def scenario(stage: Below) -> None:
        lid = LidOfABuild(stage)
        await stage.take(0)
        stage.run_state.machine.fire(trigger)
        assert (stage.run_state.machine.top, stage.under.busy) == (top, True)
        lid.press()
        await asyncio.sleep(5.0)
        assert lid.motions() == []
        async with asyncio.timeout(1.0):
            await lid.key.wait_queued()
        await lid.close()

    below(scenario)
