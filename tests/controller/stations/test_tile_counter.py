"""What a head knows of the tiles that passed its counter, whoever took one out again, and when.

The board counts every edge of S1; a tile can pass while no drive waits for it, or be counted and
then be taken out, before the eyes of one host or between two.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from controller.faults.table_fault import Fault, TableFault
from controller.journal.notes import Note
from controller.rounds.build_progress import BuildProgress
from controller.soak.host_restarts import SurvivingTable
from controller.soak.witness import hands_as_planned
from controller.stations.heads import HeadStation
from controller.stations.tile_counter import TileCounter
from firmware_bridge.board import Ended, Reason
from firmware_bridge.boards.devices import Sensor
from firmware_bridge.guide import Ask
from firmware_bridge.sim import clock
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.faults.injection import parse
from tests.controller.stations.test_station_cures import helped
from tests.controller.stations.test_stations import ScriptedBoard, fault_of, rig_of

S1, VANE = "head2_counter", "head2_vane"
NONE_CAME = Ended(Reason.TIME, 0, 5.0)


class Notes:
    """The notes of a piece of work, as a host that takes over finds them."""

    doubtful = True

    def __init__(self) -> None:
        self.notes: tuple[Note, ...] = ()

    def record(self, note: Note) -> None:
        self.notes = (*self.notes, note)

    async def on_disk(self) -> None:
        """What is noted is kept at once."""

    async def note(self, note: Note) -> None:
        self.record(note)


class Counted:
    """A board whose S1 has counted 7 tiles, 5 of them since the set on hand was begun."""

    def __init__(self) -> None:
        self.board = ScriptedBoard()
        self.work = Notes()
        self.board.counts[S1] = 2
        self.tally = self.feed().tally(S1)
        self.board.counts[S1] = 7
        self.tally.came(5)

    def feed(self) -> BuildProgress:
        """A host begins with the build, or takes it over. Raises TableFault."""
        sensors = (Sensor(self.board, S1), Sensor(self.board, VANE))
        return clock.run(BuildProgress.begun(sensors, self.work))

    def believed(self) -> int:
        """The tiles that a host which takes over believes to be through."""
        return self.feed().left(S1)


def head_of(board: ScriptedBoard, head: HeadStation) -> HeadStation:
    """A head of which feeding begins with no tile through."""
    clock.run(head.start(tally=TileCounter(Sensor(board, S1), base=0)))
    return head


def test_a_tile_that_came_just_as_the_wheel_had_stopped_is_not_asked_for_again() -> None:
    rig, board = rig_of("robotic")
    head = head_of(board, rig.heads[2])
    board.ends["head2_wheel"], board.slips[S1] = [NONE_CAME], [1]
    assert clock.run(head.lift(1)) == 1
    assert board.events.count("head2_wheel forward") == 1


def test_a_tile_that_came_while_the_wheel_was_reversed_is_not_asked_for_again() -> None:
    rig, board = rig_of("robotic")
    head = head_of(board, rig.heads[2])
    board.ends["head2_wheel"] = [Ended(Reason.TIME, 1, 5.0)]
    board.levels[S1], board.slips[S1] = [1, 1, 0], [1]
    assert clock.run(head.lift(2)) == 2
    assert board.events.count("head2_wheel forward") == 1


def test_what_an_earlier_run_left_on_the_belt_comes_before_the_wheel_lifts_the_rest() -> None:
    rig, board = rig_of("robotic")
    head = rig.heads[2]

    async def scenario() -> None:
        await head.start(tally=TileCounter(Sensor(board, S1), base=0), resumed=True)
        lifting = asyncio.create_task(head.lift(2))
        await asyncio.sleep(0.2)
        board.counts[S1] += 1
        await lifting

    clock.run(scenario())
    assert board.counts[S1] == 2


def test_two_that_came_where_one_was_due_are_one_too_many() -> None:
    asked: list[Ask] = []
    rig, board = helped("robotic", asked)
    head = head_of(board, rig.heads[2])
    board.ends["head2_wheel"], board.slips[S1] = [NONE_CAME], [2]
    clock.run(head.lift(1))
    assert [(ask.code, ask.part) for ask in asked] == [("EXTRA_TILE", "head 2")]


def test_a_count_that_went_back_is_not_believed() -> None:
    counted = Counted()
    counted.board.counts[S1] = 6
    fault = fault_of(counted.tally.slipped_by())
    assert (fault.fault, fault.evidence) == (Fault.UNPROVEN, f"{S1} counts 6 and had 7")


def test_a_host_that_takes_over_believes_what_was_counted() -> None:
    assert Counted().believed() == 5


def test_it_takes_off_the_tile_that_a_person_took_out() -> None:
    counted = Counted()
    clock.run(counted.tally.taken_out(1))
    assert counted.believed() == 4


def test_what_hands_did_under_the_counter_is_no_tile() -> None:
    counted = Counted()
    counted.board.counts[S1] += 3
    clock.run(counted.tally.taken_out(1))
    assert counted.believed() == 4
    assert clock.run(counted.tally.slipped_by()) == 0


def test_a_tile_that_was_taken_out_after_the_host_had_asked_and_gone_is_taken_off() -> None:
    counted = Counted()
    counted.tally.stuck(asked=True)
    counted.tally.stuck(asked=False)
    assert counted.believed() == 4
    assert counted.believed() == 4, "it is taken off once"


def test_a_tile_that_sticks_there_still_is_counted_still() -> None:
    counted = Counted()
    counted.tally.stuck(asked=True)
    counted.board.levels[S1] = [1]
    assert counted.believed() == 5


def test_a_tile_that_came_free_is_counted_still() -> None:
    counted = Counted()
    counted.tally.stuck(asked=False)
    counted.tally.comes_free()
    assert counted.believed() == 5


def test_where_a_stuck_tile_went_that_nobody_was_asked_for_is_not_guessed() -> None:
    counted = Counted()
    counted.tally.stuck(asked=False)
    with pytest.raises(TableFault, match="has gone on, or was taken out") as raised:
        counted.believed()
    assert raised.value.fault is Fault.UNPROVEN


def test_a_push_that_nobody_saw_is_not_guessed_at_until_it_is_proven() -> None:
    counted = Counted()
    counted.tally.doubts(VANE, f"{VANE} gave no signal")
    with pytest.raises(TableFault, match="head2_vane gave no signal") as raised:
        counted.believed()
    assert raised.value.fault is Fault.UNPROVEN
    counted.tally.doubts(VANE, None)
    assert counted.believed() == 5


def test_a_tile_taken_out_while_no_host_lived_is_lifted_again_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    injected_faults = [parse("jam:head1#5~99"), parse("wrong_answer:people")]

    async def scenario() -> tuple[int, list[str]]:
        place = SurvivingTable("classic", "da_san", 7, injected_faults=injected_faults)
        with pytest.raises(TableFault, match="head 1"):
            await place.live(path)
        place.plant.repair("everything", "table")
        lived = await place.live(path, until_ready=True)
        assert lived is not None and lived[0].deal is not None
        deal = lived[0].deal
        raised = sum(map(len, place.plant.felt.raised.values()))
        return raised, hands_as_planned(place.plant, deal.setup, deal.staging)

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        assert runner.run(scenario()) == (52, [])
