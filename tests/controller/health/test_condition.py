"""Heads are looked at once a set; what a table grows tired of is told before it becomes a fault."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from controller.cli import main
from controller.faults.catalogue import Fault
from controller.health.condition import SAMPLES
from controller.health.statistics import TableStatistics, statistics_of
from controller.journal.lines import JournalRecord, record_of
from controller.journal.reconcile import read_copy
from tests.quick import slow_except

SHADOW = 38 / 0.25
"""A mahjong tile before S1 at belt speed, milliseconds."""
ROBOTIC = Path("config/tables/robotic.yaml")
HEADS = [f"head {number}" for number in range(4)]


def sets_of(records: list[JournalRecord]) -> list[dict[str, Any]]:
    """What was written down of each set that was built."""
    outcomes = [record.content for record in records if record.kind == "outcome"]
    return [said for said in outcomes if isinstance(said, dict) and "picks" in said]


def journal_of(file: Path, *options: str) -> list[JournalRecord]:
    """The records of a run with these options, however it ended."""
    main(["run", "--seed", "7", "--journal", str(file), *options])
    return [record_of(line) for line in read_copy(file).lines]


def told_before_trouble(records: list[JournalRecord], part: str) -> TableStatistics:
    """The figures as they stood when this part was first in trouble, which it must have been."""

    def until_then() -> Iterator[JournalRecord]:
        for record in records:
            what = record.content if isinstance(record.content, dict) else {}
            if record.activity in ("recovered", "asked", "fault") and what.get("part") == part:
                return
            yield record

    before = list(until_then())
    assert len(before) < len(records), f"{part} was never in trouble"
    return statistics_of(before)


def test_of_every_head_a_few_tiles_are_looked_at_in_each_set(tmp_path: Path) -> None:
    sets = sets_of(journal_of(tmp_path / "table.journal", "--rounds", "2"))
    assert len(sets) == 3
    for built in sets:
        assert built["picks"] == dict.fromkeys(HEADS, 34)
        assert built["tile_ms"] == SHADOW
        assert list(built["heads"]) == HEADS
        for seen in built["heads"].values():
            assert seen["tiles"] == SAMPLES
            assert seen["width_ms"] == pytest.approx(SHADOW, abs=0.5)
            assert seen["spread_ms"] < 1.0
        assert "drawn_mv" not in built, "the table has no current sensors"


@pytest.mark.parametrize(
    "injected",
    slow_except(
        ["link_unplugged:line@20~5", "jam:head2#2~9"],
        [
            "link_unplugged:line@20~5",
            "board_reset:base@20",
            "host_stall:host@18~4",
            "reach_in:table@20~3",
            "jam:head2#2~9",
            "link_noise:line@15~10",
        ],
    ),
)
def test_an_interruption_is_not_taken_for_a_dirty_sensor_or_a_slow_belt(
    injected: str, tmp_path: Path
) -> None:
    built, *_ = sets_of(journal_of(tmp_path / "table.journal", "--fault", injected))
    assert sum(built["picks"].values()) == 136
    for seen in built["heads"].values():
        assert seen["width_ms"] == pytest.approx(SHADOW, rel=0.05)


def test_a_counter_that_gets_dirtier_every_set_is_told_before_it_fails(tmp_path: Path) -> None:
    dirt = ["--fault", "dirty_sensor:head2~0.01", "--rounds", "10"]
    figures = told_before_trouble(journal_of(tmp_path / "table.journal", *dirt), "head 2")
    (warning,) = figures.warnings
    assert warning.startswith("S1 of head 2 sees tiles ")
    assert warning.endswith(
        " % shorter than at first. Clean the sensor of head 2 when the table is next at rest."
    )


@pytest.mark.slow
def test_a_table_that_is_well_is_not_warned_of(tmp_path: Path) -> None:
    figures = statistics_of(journal_of(tmp_path / "table.journal", "--rounds", "10"))
    assert (figures.sets, figures.warnings) == (11, ())
    assert figures.picks == dict.fromkeys(HEADS, 11 * 34)
    assert all(len(widths) == 11 for widths in figures.drift.widths.values())


def with_current_sensors(folder: Path) -> Path:
    """The table with a current sensor at two belts and at the drum, as docs/TABLES.md says."""
    text = ROBOTIC.read_text("utf-8")
    channels = [f"head{n}_current: {{kind: analog, pin: {66 + n}}}" for n in range(2)]
    channels.append("drum_current: {kind: analog, pin: 68}")
    sensors = "".join(f"      {line}\n" for line in channels)
    text = text.replace("      drum: {kind", f"{sensors}      drum: {{kind", 1)
    text = text.replace("drum: {motor: drum,", "drum: {motor: drum, current: drum_current,", 1)
    for number in range(2):
        belt = f"belt: head{number}_belt,"
        text = text.replace(belt, f"{belt} belt_current: head{number}_current,", 1)
    file = folder / "table.yaml"
    file.write_text(text, "utf-8")
    return file


def test_what_belts_and_drum_draw_is_written_down_where_it_is_measured(tmp_path: Path) -> None:
    table = ["--table", str(with_current_sensors(tmp_path))]
    drawn = sets_of(journal_of(tmp_path / "table.journal", *table))[0]["drawn_mv"]
    assert list(drawn) == ["belt of head 0", "drum", "belt of head 1"]
    assert drawn["belt of head 0"] == drawn["belt of head 1"] > 0
    assert drawn["drum"] > drawn["belt of head 1"]


@pytest.mark.slow
def test_a_belt_that_slips_more_every_set_is_told_by_its_current_and_by_s1(tmp_path: Path) -> None:
    # The last one first: those after the one that comes about do not count its occasion.
    slips = [f"slipping_belt:head1#{n}~{1 + 0.08 * (n - 1):g}" for n in range(11, 0, -1)]
    options = [word for slip in slips for word in ("--fault", slip)]
    table = ["--table", str(with_current_sensors(tmp_path)), "--rounds", "9"]
    records = journal_of(tmp_path / "table.journal", *table, *options)
    figures = statistics_of(records)
    assert not [record for record in records if record.activity == "fault"]
    width, current = sorted(figures.warnings, key=lambda warning: "current" in warning)
    assert width.startswith("S1 of head 1 sees tiles ") and "Tighten the belt of head 1" in width
    assert current.startswith("The belt of head 1 draws ") and "It slips" in current
    firsts = figures.drift.widths["head 1"]
    assert median(firsts[-3:]) > 1.3 > 1.1 > median(firsts[:3])
    assert Fault.JAM.name not in figures.faults
