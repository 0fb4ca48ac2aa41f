"""Tests that heads are sampled in every set, and that wear is reported before it is a fault."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from controller.cli import main
from controller.run.faults.catalogue import Fault
from controller.run.health.condition import SAMPLES
from controller.run.health.statistics import TableStatistics, statistics_of
from controller.run.journal.lines import JournalRecord, record_of
from controller.run.journal.reconcile import read_copy
from tests.quick import slow_except

TILE_MS = 38 / 0.25
"""Time for which a mahjong tile darkens S1 at belt speed, milliseconds."""
ROBOTIC = Path("config/tables/robotic.yaml")
HEADS = [f"head {number}" for number in range(4)]


def sets_of(records: list[JournalRecord]) -> list[dict[str, Any]]:
    """Return the recorded outcome of each set that the heads have built, in order."""
    outcomes = [record.content for record in records if record.kind == "outcome"]
    return [each for each in outcomes if isinstance(each, dict) and "picks" in each]


def journal_of(file: Path, *options: str) -> list[JournalRecord]:
    """Run the table with these options; return its journal records, also after a fault."""
    main(["run", "--seed", "7", "--journal", str(file), *options])
    return [record_of(line) for line in read_copy(file).lines]


def statistics_before_fault(records: list[JournalRecord], part: str) -> TableStatistics:
    """Return the statistics of the records before the first fault of this part."""

    def until_then() -> Iterator[JournalRecord]:
        for record in records:
            content = record.content if isinstance(record.content, dict) else {}
            if record.activity in ("recovered", "asked", "fault") and content.get("part") == part:
                return
            yield record

    before = list(until_then())
    assert len(before) < len(records), f"The run has no fault of {part}."
    return statistics_of(before)


@pytest.mark.slow
def test_a_few_tiles_of_every_head_are_sampled_in_each_set(tmp_path: Path) -> None:
    sets = sets_of(journal_of(tmp_path / "table.journal", "--rounds", "2"))
    assert len(sets) == 3
    for built in sets:
        assert built["picks"] == dict.fromkeys(HEADS, 34)
        assert built["tile_ms"] == TILE_MS
        assert list(built["heads"]) == HEADS
        for samples in built["heads"].values():
            assert samples["tiles"] == SAMPLES
            assert samples["width_ms"] == pytest.approx(TILE_MS, abs=0.5)
            assert samples["spread_ms"] < 1.0
        assert "drawn_mv" not in built, "the table has no current sensors"


@pytest.mark.slow
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
def test_an_interruption_is_not_reported_as_a_dirty_sensor_or_a_slow_belt(
    injected: str, tmp_path: Path
) -> None:
    built, *_ = sets_of(journal_of(tmp_path / "table.journal", "--fault", injected))
    assert sum(built["picks"].values()) == 136
    for samples in built["heads"].values():
        assert samples["width_ms"] == pytest.approx(TILE_MS, rel=0.05)


@pytest.mark.slow
def test_a_sensor_that_gets_dirtier_with_every_set_causes_a_warning_before_it_fails(
    tmp_path: Path,
) -> None:
    dirt = ["--fault", "dirty_sensor:head2~0.01", "--rounds", "10"]
    figures = statistics_before_fault(journal_of(tmp_path / "table.journal", *dirt), "head 2")
    (warning,) = figures.warnings
    assert warning.startswith("S1 of head 2 reports tiles ")
    assert warning.endswith(
        " % shorter than at first. Clean the sensor of head 2 when the table is next at rest."
    )


@pytest.mark.slow
def test_a_table_without_wear_causes_no_warning(tmp_path: Path) -> None:
    figures = statistics_of(journal_of(tmp_path / "table.journal", "--rounds", "10"))
    assert (figures.sets, figures.warnings) == (11, ())
    assert figures.picks == dict.fromkeys(HEADS, 11 * 34)
    assert all(len(widths) == 11 for widths in figures.drift.widths.values())


def with_current_sensors(folder: Path) -> Path:
    """Write a table file with current sensors for two belts and the drum; return its path."""
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


@pytest.mark.slow
def test_currents_of_belts_and_drum_are_in_the_journal_if_the_table_has_sensors(
    tmp_path: Path,
) -> None:
    table = ["--table", str(with_current_sensors(tmp_path))]
    drawn = sets_of(journal_of(tmp_path / "table.journal", *table))[0]["drawn_mv"]
    assert list(drawn) == ["belt of head 0", "drum", "belt of head 1"]
    assert drawn["belt of head 0"] == drawn["belt of head 1"] > 0
    assert drawn["drum"] > drawn["belt of head 1"]


@pytest.mark.slow
def test_a_belt_that_slips_more_with_every_set_causes_warnings_by_its_current_and_by_s1(
    tmp_path: Path,
) -> None:
    # The faults are listed from the last set to the first: when an injected fault takes effect,
    # the faults listed after it do not count that occasion.
    slips = [f"slipping_belt:head1#{n}~{1 + 0.08 * (n - 1):g}" for n in range(11, 0, -1)]
    options = [option for slip in slips for option in ("--fault", slip)]
    table = ["--table", str(with_current_sensors(tmp_path)), "--rounds", "9"]
    records = journal_of(tmp_path / "table.journal", *table, *options)
    figures = statistics_of(records)
    assert not [record for record in records if record.activity == "fault"]
    width, current = sorted(figures.warnings, key=lambda warning: "current" in warning)
    assert width.startswith("S1 of head 1 reports tiles ") and "Tighten the belt of head 1" in width
    assert current.startswith("The belt of head 1 draws ") and "It slips" in current
    firsts = figures.drift.widths["head 1"]
    assert median(firsts[-3:]) > 1.3 > 1.1 > median(firsts[:3])
    assert Fault.JAM.name not in figures.faults
