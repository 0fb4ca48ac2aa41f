"""Tests warnings of trends over many sets, in the tile times at S1 and the motors' currents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from controller.run.health.statistics import COMPARED_SETS, FEWEST_SETS, Drift


def drift_of(widths: Iterable[float] = (), currents: Iterable[float] = ()) -> Drift:
    """Return the drift of sets with these tile times (ms) and belt currents (mV) of head 2."""
    drift = Drift()
    for width in widths:
        drift.add({"tile_ms": 152.0, "heads": {"head 2": {"tiles": 5, "width_ms": width}}})
    for current in currents:
        drift.add({"drawn_mv": {"belt of head 2": current}})
    return drift


def warnings(**samples: Any) -> list[str]:
    return list(drift_of(**samples).warnings)


def test_a_warning_asks_to_clean_a_sensor_that_sees_tiles_shorter_than_at_first() -> None:
    assert warnings(widths=[152.0] * COMPARED_SETS + [124.6] * COMPARED_SETS) == [
        (
            "S1 of head 2 reports tiles 18 % shorter than at first."
            " Clean the sensor of head 2 when the table is next at rest."
        )
    ]


def test_a_warning_asks_to_tighten_the_belt_if_tiles_are_seen_longer_than_at_first() -> None:
    assert warnings(widths=[152.0] * COMPARED_SETS + [182.4] * COMPARED_SETS) == [
        (
            "S1 of head 2 reports tiles 20 % longer than at first. Tighten the belt of head 2;"
            " if it is tight: Clean the sensor of head 2 when the table is next at rest."
        )
    ]


def test_warnings_for_more_and_for_less_current_name_different_causes() -> None:
    assert warnings(currents=[400.0] * COMPARED_SETS + [520.0] * COMPARED_SETS) == [
        (
            "The belt of head 2 draws 30 % more current than at first."
            " Check its bearings and its tension, and look for parts that rub."
        )
    ]
    assert warnings(currents=[400.0] * COMPARED_SETS + [300.0] * COMPARED_SETS) == [
        (
            "The belt of head 2 draws 25 % less current than at first."
            " It slips or is worn: tighten or replace it."
        )
    ]


@pytest.mark.parametrize("last", [143.0, 161.0])
def test_a_belt_that_runs_a_little_faster_or_slower_causes_no_warning(last: float) -> None:
    assert warnings(widths=[152.0] * COMPARED_SETS + [last] * COMPARED_SETS) == []


def test_one_outlier_causes_no_warning() -> None:
    assert warnings(widths=[152.0] * (2 * COMPARED_SETS - 1) + [60.0]) == []
    assert warnings(widths=[60.0] + [152.0] * (2 * COMPARED_SETS - 1)) == []


def test_the_warning_ends_after_the_sensor_was_cleaned() -> None:
    assert (
        warnings(widths=[152.0] * COMPARED_SETS + [110.0] * COMPARED_SETS + [152.0] * COMPARED_SETS)
        == []
    )


def test_three_sets_at_each_end_are_enough_for_a_warning_and_fewer_are_not() -> None:
    first, last = [152.0] * FEWEST_SETS, [120.0] * FEWEST_SETS
    assert len(warnings(widths=first + last)) == 1
    short = drift_of(widths=(first + last)[1:])
    assert list(short.warnings) == []
    assert short.facts["tile_widths"] == {"head 2": None}


def test_tiles_of_another_length_cause_no_warning() -> None:
    """Drift is measured as a share of the time that a tile of the set's length takes."""
    drift = drift_of(widths=[152.0] * COMPARED_SETS)
    for _ in range(COMPARED_SETS):
        drift.add({"tile_ms": 192.0, "heads": {"head 2": {"tiles": 5, "width_ms": 192.0}}})
    assert list(drift.warnings) == []
    assert drift.facts["tile_widths"] == {"head 2": {"first": 1.0, "last": 1.0}}


def test_a_journal_of_an_older_version_has_no_drift() -> None:
    drift = Drift()
    for _ in range(2 * COMPARED_SETS):
        drift.add({"counted": 136})
    assert list(drift.warnings) == []
    assert drift.facts == {"tile_widths": {}, "currents_mv": {}}
