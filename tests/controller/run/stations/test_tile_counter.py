"""Tests the count of tiles at a head's counter (S1); some tiles pass uncounted or are removed.

The board counts every edge of S1. A tile can pass while no drive counts it, and a person can remove
a counted tile during a run or between two runs.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from controller.proof.chaos.host_restarts import SurvivingTable
from controller.proof.chaos.witness import hands_as_planned
from controller.run.faults.failures import Fault, TableFault
from controller.run.journal.notes import Note, TilesSurplus, notes_of
from controller.run.rounds.build_progress import BuildProgress
from controller.run.stations.heads import HeadStation
from controller.run.stations.tile_counter import TileCounter
from firmware_bridge.board import Ended, Reason
from firmware_bridge.boards.devices import Sensor
from firmware_bridge.guide import Ask
from firmware_bridge.sim import clock
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.faults.injected_fault import parse
from tests.controller.run.stations.test_station_cures import helped
from tests.controller.run.stations.test_stations import ScriptedBoard, fault_of, rig_of

S1, VANE = "head2_counter", "head2_vane"
NONE_CAME = Ended(Reason.TIME, 0, 5.0)


class Notes:
    """The notes of a build, which a resumed run reads."""

    doubtful = True

    def __init__(self) -> None:
        self.notes: tuple[Note, ...] = ()

    def record(self, note: Note) -> None:
        self.notes = (*self.notes, note)

    async def on_disk(self) -> None:
        """Return at once, because the notes are kept in memory."""

    async def note(self, note: Note) -> None:
        self.record(note)


class Counted:
    """A build on a board whose S1 has counted 7 tiles, 5 of them in this build."""

    def __init__(self) -> None:
        self.board = ScriptedBoard()
        self.work = Notes()
        self.board.counts[S1] = 2
        self.tile_counter = self.progress().counter(S1)
        self.board.counts[S1] = 7
        self.tile_counter.add(5)

    def progress(self) -> BuildProgress:
        """Return the progress that a run computes when it begins or resumes the build."""
        sensors = (Sensor(self.board, S1), Sensor(self.board, VANE))
        return clock.run(BuildProgress.begun(sensors, self.work))

    def resumed(self) -> int:
        """Return the number of tiles that a run counts as passed when it resumes the build."""
        return self.progress().left(S1)


def head_of(board: ScriptedBoard, head: HeadStation) -> HeadStation:
    """Start a build on a head of this board, with a tile counter at 0; return the head."""
    clock.run(head.start(tile_counter=TileCounter(Sensor(board, S1), base=0)))
    return head


def test_a_tile_that_passes_after_the_wheel_stopped_is_counted() -> None:
    rig, board = rig_of("robotic")
    head = head_of(board, rig.heads[2])
    board.ends["head2_wheel"], board.slips[S1] = [NONE_CAME], [1]
    assert clock.run(head.lift(1)) == 1
    assert board.commands.count("head2_wheel forward") == 1


def test_a_tile_that_passes_while_the_wheel_runs_backwards_is_counted() -> None:
    rig, board = rig_of("robotic")
    head = head_of(board, rig.heads[2])
    board.ends["head2_wheel"] = [Ended(Reason.TIME, 1, 5.0)]
    board.levels[S1], board.slips[S1] = [1, 1, 0], [1]
    assert clock.run(head.lift(2)) == 2
    assert board.commands.count("head2_wheel forward") == 1


def test_a_resumed_build_counts_a_tile_on_the_belt_before_it_lifts_the_rest() -> None:
    rig, board = rig_of("robotic")
    head = rig.heads[2]

    async def scenario() -> None:
        await head.start(tile_counter=TileCounter(Sensor(board, S1), base=0), resumed=True)
        lifting = asyncio.create_task(head.lift(2))
        await asyncio.sleep(0.2)
        board.counts[S1] += 1
        await lifting

    clock.run(scenario())
    assert board.counts[S1] == 2


def test_two_tiles_instead_of_one_are_a_surplus_tile() -> None:
    asked: list[Ask] = []
    rig, board = helped("robotic", asked)
    head = head_of(board, rig.heads[2])
    board.ends["head2_wheel"], board.slips[S1] = [NONE_CAME], [2]
    clock.run(head.lift(1))
    assert [(ask.code, ask.part) for ask in asked] == [("EXTRA_TILE", "head 2")]


def test_a_surplus_tile_that_a_person_has_removed_is_settled_in_the_journal() -> None:
    """Otherwise the next run could not tell whether the tile is still inside, and would stop."""
    rig, board = helped("robotic", [])
    work, head = Notes(), rig.heads[2]
    progress = clock.run(BuildProgress.begun([Sensor(board, S1)], work))
    clock.run(head.start(tile_counter=progress.counter(S1)))
    board.ends["head2_wheel"], board.slips[S1] = [NONE_CAME], [2]
    assert clock.run(head.lift(1)) == 1
    assert [note.tiles for note in notes_of(work.notes, TilesSurplus)] == [1, 0]
    clock.run(BuildProgress.begun([Sensor(board, S1)], work))


def test_a_lower_count_is_a_fault() -> None:
    counted = Counted()
    counted.board.counts[S1] = 6
    fault = fault_of(counted.tile_counter.take_unreported())
    assert (fault.fault, fault.evidence) == (Fault.UNPROVEN, f"{S1} counts 6; its last count was 7")


@pytest.mark.parametrize("sensor", [S1, VANE])
def test_a_board_that_counts_less_than_at_the_beginning_proves_nothing(sensor: str) -> None:
    """The board was replaced or has lost its memory, so the progress of the build is unknown."""
    counted = Counted()
    counted.board.counts[sensor] = -1
    with pytest.raises(TableFault, match=f"{sensor} counts -1, less than . at the beginning") as at:
        counted.resumed()
    assert (at.value.fault, at.value.part) == (Fault.UNPROVEN, "trays")


def test_a_resumed_run_has_the_counted_tiles() -> None:
    assert Counted().resumed() == 5


def test_a_resumed_run_subtracts_a_removed_tile() -> None:
    counted = Counted()
    clock.run(counted.tile_counter.remove(1))
    assert counted.resumed() == 4


def test_edges_caused_by_hands_are_not_counted() -> None:
    counted = Counted()
    counted.board.counts[S1] += 3
    clock.run(counted.tile_counter.remove(1))
    assert counted.resumed() == 4
    assert clock.run(counted.tile_counter.take_unreported()) == 0


def test_a_tile_removed_between_two_runs_after_a_prompt_is_subtracted() -> None:
    counted = Counted()
    counted.tile_counter.note_stuck(asked=True)
    counted.tile_counter.note_stuck(asked=False)
    assert counted.resumed() == 4
    assert counted.resumed() == 4, "the removed tile is subtracted once"


def test_a_tile_that_still_sticks_is_counted() -> None:
    counted = Counted()
    counted.tile_counter.note_stuck(asked=True)
    counted.board.levels[S1] = [1]
    assert counted.resumed() == 5


def test_a_tile_that_stuck_and_passed_is_counted() -> None:
    counted = Counted()
    counted.tile_counter.note_stuck(asked=False)
    counted.tile_counter.note_free()
    assert counted.resumed() == 5


def test_a_stuck_tile_that_is_gone_without_a_prompt_is_a_fault() -> None:
    counted = Counted()
    counted.tile_counter.note_stuck(asked=False)
    with pytest.raises(TableFault, match="has passed, or a person has removed it") as raised:
        counted.resumed()
    assert raised.value.fault is Fault.UNPROVEN


def test_an_unproven_push_is_a_fault_until_it_is_proven() -> None:
    counted = Counted()
    counted.tile_counter.note_doubt(VANE, f"{VANE} gave no signal")
    with pytest.raises(TableFault, match="head2_vane gave no signal") as raised:
        counted.resumed()
    assert raised.value.fault is Fault.UNPROVEN
    counted.tile_counter.note_proven(VANE)
    assert counted.resumed() == 5


def test_surplus_tiles_are_a_fault_until_a_person_has_removed_them() -> None:
    counted = Counted()
    counted.tile_counter.note_surplus(1)
    with pytest.raises(TableFault, match=f"surplus tiles had passed {S1} when") as raised:
        counted.resumed()
    assert raised.value.fault is Fault.UNPROVEN
    counted.tile_counter.note_surplus(0)
    assert counted.resumed() == 5


def test_a_filled_lane_stays_filled_in_the_run_that_resumes_the_build() -> None:
    counted = Counted()
    assert not counted.progress().is_filled(2)
    clock.run(counted.progress().note_filled(2))
    assert counted.progress().is_filled(2)
    assert not counted.progress().is_filled(1)


@pytest.mark.slow
def test_a_tile_removed_between_two_runs_is_lifted_again(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    injected_faults = [parse("jam:head1#5~99"), parse("wrong_answer:people")]

    async def scenario() -> tuple[int, list[str]]:
        place = SurvivingTable("classic", "da_san", 7, injected_faults=injected_faults)
        with pytest.raises(TableFault, match="head 1"):
            await place.run_host(path)
        place.plant.repair("everything", "table")
        ended = await place.run_host(path, until_ready=True)
        assert ended is not None and ended[0].deal is not None
        deal = ended[0].deal
        raised = sum(map(len, place.plant.felt.raised.values()))
        return raised, hands_as_planned(place.plant, deal.setup, deal.staging)

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        assert runner.run(scenario()) == (52, [])
