"""Tests tiles that do not belong to the set: the removal of one leaves no gap in the walls."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.proof.chaos.evening import play_evening
from controller.proof.chaos.run_report import RoundPlayed
from controller.proof.chaos.scenarios import Evening, ScheduledFault
from firmware_bridge.sim.faults.injected_fault import Always, Nth
from tests.quick import sampled, slow_except

HARMLESS = ScheduledFault("clock_jump", "host", 0, 0.0)
"""The spare fault: it has no effect, because no table uses the wall clock."""
TABLES = ("single_port", "auto_deal", "pai_gow")


def pushed_in(kind: str) -> ScheduledFault:
    """Return an injected fault that puts a tile of this kind into the drum with the first set."""
    return ScheduledFault(kind, "drum", 0, 0.0, Nth(1))


def rounds_of(
    table: str, game: str, folder: Path, *faults: tuple[ScheduledFault, ...], seed: int = 7
) -> list[RoundPlayed]:
    """Play one round with each group of faults, and with no other fault; return the rounds."""
    spares = tuple(HARMLESS for _ in faults)
    evening = Evening(0, table, game, seed, play=False, scheduled_faults=faults, spares=spares)
    return play_evening(evening, folder, len(faults)).rounds


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["foreign_tile", "extra_tile"])
@pytest.mark.parametrize("table", slow_except(["single_port"], TABLES))
def test_a_person_at_the_lid_removes_the_wrong_tile_and_the_walls_have_no_gap(
    table: str, kind: str, tmp_path: Path
) -> None:
    called = ScheduledFault("half_up", "lid", 0, 0.0, Nth(1), 9)
    first, second, third = rounds_of(
        table, "pai_gow", tmp_path, (pushed_in(kind),), (called,), (called,)
    )
    assert kind in first.injected_faults
    assert [event["code"] for event in second.events_named("operator_prompted")] == ["LID"]
    assert [each.wrong for each in (first, second, third)] == [[], [], []]
    assert [len(each.events_named("ready")) for each in (first, second, third)] == [1, 1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["foreign_tile", "extra_tile"])
@pytest.mark.parametrize("phase", sampled(3, [4, 7, 10], quick=[7]))
def test_a_technician_removes_the_wrong_tile_from_a_wall_during_the_deal(
    phase: int, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In this test the technician who frees the disk also repairs the table.
    monkeypatch.setattr("controller.proof.chaos.evening.ON_DISK", ())
    full = ScheduledFault("full_disk", "host", phase, 1.0)
    (only,) = rounds_of("single_port", "pai_gow", tmp_path, (pushed_in(kind), full))
    assert {kind, "full_disk"} <= set(only.injected_faults)
    assert only.stops == ["JOURNAL"]
    assert only.wrong == []


@pytest.mark.parametrize("kind", slow_except(["extra_tile"], ["foreign_tile", "extra_tile"]))
@pytest.mark.parametrize("phase", sampled(3, [4, 7, 10], quick=[7]))
def test_a_technician_who_only_frees_the_disk_leaves_the_wrong_tile_in_the_table(
    phase: int, kind: str, tmp_path: Path
) -> None:
    full = ScheduledFault("full_disk", "host", phase, 1.0)
    (only,) = rounds_of("single_port", "pai_gow", tmp_path, (pushed_in(kind), full))
    assert only.stops[0] == "JOURNAL"
    assert set(only.stops) <= {"JOURNAL", "UNPROVEN"}, (
        "if positions cannot be proven, the tiles are put away"
    )
    assert only.wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("nth", sampled(4, [1, 6, 13, 21], quick=[6]))
def test_double_feeds_leave_no_gap_in_a_boneyard(nth: int, tmp_path: Path) -> None:
    double = ScheduledFault("double_feed", "head0", 0, 0.0, Nth(nth))
    first, second, third = rounds_of("single_port", "block", tmp_path, (double,), (double,), ())
    assert "double_feed" in first.injected_faults
    assert "double_feed" in second.injected_faults
    assert [each.wrong for each in (first, second, third)] == [[], [], []]


@pytest.mark.slow
@pytest.mark.parametrize("nth", sampled(3, [1, 9, 15, 16, 17], quick=[15]))
def test_a_hand_lane_returns_the_second_tile_of_a_double_feed(nth: int, tmp_path: Path) -> None:
    double = ScheduledFault("double_feed", "head0", 0, 0.0, Nth(nth))
    first, second, third = rounds_of("auto_deal", "da_san", tmp_path, (double,), (double,), ())
    assert "double_feed" in first.injected_faults
    assert [each.wrong for each in (first, second, third)] == [[], [], []]


@pytest.mark.slow
def test_a_head_with_permanent_double_feeds_leaves_no_gap(tmp_path: Path) -> None:
    double = ScheduledFault("double_feed", "head0", 0, 0.0, Always())
    (only,) = rounds_of("single_port", "muggins", tmp_path, (double,))
    assert only.injected_faults.count("double_feed") > 10
    assert only.wrong == []


@pytest.mark.slow
def test_people_who_turn_up_a_foreign_tile_stop_the_table_with_a_named_fault(
    tmp_path: Path,
) -> None:
    # The first seed from 0 with which the foreign tile is where people turn up the joker.
    first, second, third = rounds_of(
        "bench", "filipino", tmp_path, (pushed_in("foreign_tile"),), (), (), seed=115
    )
    assert "foreign_tile" in first.injected_faults
    assert [each.wrong for each in (first, second, third)] == [[], [], []]
    assert first.stops == ["FOREIGN"]
    assert "FOREIGN" in [each.get("code") for each in first.events]
