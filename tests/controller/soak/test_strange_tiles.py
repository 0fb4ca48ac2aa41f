"""Tiles that do not belong to the set: whoever finds one leaves no gap where it stood."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.soak.evening import RoundPlayed, play_evening
from controller.soak.scenarios import Evening, ScheduledFault, evening_of, pairs_of
from firmware_bridge.sim.faults.injection import Always, Nth
from tests.quick import slow_except

HARMLESS = ScheduledFault("clock_jump", "host", 0, 0.0)
"""What comes where nothing else has happened: no table goes by the wall clock."""
TABLES = ("single_port", "auto_deal", "pai_gow")


def pushed_in(kind: str) -> ScheduledFault:
    """It gets in with the first set."""
    return ScheduledFault(kind, "drum", 0, 0.0, Nth(1))


def rounds_of(
    table: str, game: str, folder: Path, *faults: tuple[ScheduledFault, ...]
) -> list[RoundPlayed]:
    """An evening's rounds, one for each of these; nothing else harms them."""
    spares = tuple(HARMLESS for _ in faults)
    evening = Evening(0, table, game, 7, play=False, scheduled_faults=faults, spares=spares)
    return play_evening(evening, folder, len(faults)).rounds


@pytest.mark.parametrize("kind", ["foreign_tile", "extra_tile"])
@pytest.mark.parametrize("table", slow_except(["single_port"], TABLES))
def test_who_is_called_to_the_lid_finds_the_strange_tile_and_the_walls_stay_whole(
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


@pytest.mark.parametrize("kind", ["foreign_tile", "extra_tile"])
@pytest.mark.parametrize("phase", slow_except([7], [4, 7, 10]))
def test_a_technician_finds_the_strange_tile_in_a_wall_that_is_being_dealt(
    phase: int, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # For once, whoever comes to free the disk looks at the table as well.
    monkeypatch.setattr("controller.soak.evening.ON_DISK", ())
    full = ScheduledFault("full_disk", "host", phase, 1.0)
    (only,) = rounds_of("single_port", "pai_gow", tmp_path, (pushed_in(kind), full))
    assert {kind, "full_disk"} <= set(only.injected_faults)
    assert only.stops == ["JOURNAL"]
    assert only.wrong == []


@pytest.mark.parametrize("kind", ["foreign_tile", "extra_tile"])
@pytest.mark.parametrize("phase", slow_except([7], [4, 7, 10]))
def test_whoever_only_frees_the_disk_leaves_a_strange_tile_to_the_table(
    phase: int, kind: str, tmp_path: Path
) -> None:
    full = ScheduledFault("full_disk", "host", phase, 1.0)
    (only,) = rounds_of("single_port", "pai_gow", tmp_path, (pushed_in(kind), full))
    assert only.stops[0] == "JOURNAL"
    assert set(only.stops) <= {"JOURNAL", "UNPROVEN"}, "what it cannot prove it gathers anew"
    assert only.wrong == []


@pytest.mark.parametrize("nth", slow_except([6], [1, 6, 13, 21]))
def test_two_that_came_as_one_leave_every_row_of_a_boneyard_with_its_tiles(
    nth: int, tmp_path: Path
) -> None:
    double = ScheduledFault("double_feed", "head0", 0, 0.0, Nth(nth))
    first, second, third = rounds_of("single_port", "block", tmp_path, (double,), (double,), ())
    assert "double_feed" in first.injected_faults
    assert "double_feed" in second.injected_faults
    assert [each.wrong for each in (first, second, third)] == [[], [], []]


@pytest.mark.parametrize("nth", slow_except([15], [1, 9, 15, 16, 17]))
def test_a_hand_lane_that_got_two_as_one_gives_the_second_back(nth: int, tmp_path: Path) -> None:
    double = ScheduledFault("double_feed", "head0", 0, 0.0, Nth(nth))
    first, second, third = rounds_of("auto_deal", "da_san", tmp_path, (double,), (double,), ())
    assert "double_feed" in first.injected_faults
    assert [each.wrong for each in (first, second, third)] == [[], [], []]


def test_a_head_that_always_brings_two_is_helped_without_a_gap_in_any_row(tmp_path: Path) -> None:
    double = ScheduledFault("double_feed", "head0", 0, 0.0, Always())
    (only,) = rounds_of("single_port", "muggins", tmp_path, (double,))
    assert only.injected_faults.count("double_feed") > 10
    assert only.wrong == []


@pytest.mark.slow
def test_people_who_turn_up_a_foreign_tile_stop_the_table_with_a_named_fault(
    tmp_path: Path,
) -> None:
    # A round of chaos seed 611977: the foreign tile lay where the joker is turned up by hand.
    played = play_evening(evening_of(978, 611977, pairs_of()), tmp_path)
    assert [each.wrong for each in played.rounds] == [[] for _ in played.rounds]
    assert "FOREIGN" in [each.get("code") for one in played.rounds for each in one.events]
