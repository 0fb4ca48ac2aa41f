"""What gets worse is told before it fails: S1's shadows and motors' currents, over many sets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from controller.health.drift import FEWEST, SETS, Drift


def drift_of(widths: Iterable[float] = (), currents: Iterable[float] = ()) -> Drift:
    """Sets in which head 2 saw its tiles for so many milliseconds, and its belt drew so much."""
    drift = Drift()
    for width in widths:
        drift.saw({"tile_ms": 152.0, "heads": {"head 2": {"tiles": 5, "width_ms": width}}})
    for current in currents:
        drift.saw({"drawn_mv": {"belt of head 2": current}})
    return drift


def warnings(**events: Any) -> list[str]:
    return list(drift_of(**events).warnings)


def test_a_sensor_that_sees_tiles_shorter_than_at_first_is_to_be_cleaned() -> None:
    assert warnings(widths=[152.0] * SETS + [124.6] * SETS) == [
        (
            "S1 of head 2 sees tiles 18 % shorter than at first."
            " Clean the sensor of head 2 when the table is next at rest."
        )
    ]


def test_a_sensor_that_sees_them_longer_has_a_belt_to_be_tightened() -> None:
    assert warnings(widths=[152.0] * SETS + [182.4] * SETS) == [
        (
            "S1 of head 2 sees tiles 20 % longer than at first. Tighten the belt of head 2;"
            " if it is tight: Clean the sensor of head 2 when the table is next at rest."
        )
    ]


def test_a_belt_that_draws_more_is_heavy_and_one_that_draws_less_slips() -> None:
    assert warnings(currents=[400.0] * SETS + [520.0] * SETS) == [
        (
            "The belt of head 2 draws 30 % more current than at first."
            " Look at its bearings, and for what rubs or is too tight."
        )
    ]
    assert warnings(currents=[400.0] * SETS + [300.0] * SETS) == [
        (
            "The belt of head 2 draws 25 % less current than at first."
            " It slips or is worn: tighten it, or exchange it."
        )
    ]


@pytest.mark.parametrize("last", [143.0, 161.0])
def test_a_belt_that_runs_a_little_faster_or_slower_is_no_trend(last: float) -> None:
    assert warnings(widths=[152.0] * SETS + [last] * SETS) == []


def test_one_odd_set_is_no_trend() -> None:
    assert warnings(widths=[152.0] * (2 * SETS - 1) + [60.0]) == []
    assert warnings(widths=[60.0] + [152.0] * (2 * SETS - 1)) == []


def test_a_sensor_that_has_been_cleaned_is_not_told_any_more() -> None:
    assert warnings(widths=[152.0] * SETS + [110.0] * SETS + [152.0] * SETS) == []


def test_few_sets_are_enough_and_fewer_tell_nothing() -> None:
    first, last = [152.0] * FEWEST, [120.0] * FEWEST
    assert len(warnings(widths=first + last)) == 1
    short = drift_of(widths=(first + last)[1:])
    assert list(short.warnings) == []
    assert short.facts["tile_widths"] == {"head 2": None}


def test_tiles_of_another_length_are_no_drift() -> None:
    """What counts is how long a tile is seen of the time that it should be."""
    drift = drift_of(widths=[152.0] * SETS)
    for _ in range(SETS):
        drift.saw({"tile_ms": 192.0, "heads": {"head 2": {"tiles": 5, "width_ms": 192.0}}})
    assert list(drift.warnings) == []
    assert drift.facts["tile_widths"] == {"head 2": {"first": 1.0, "last": 1.0}}


def test_a_journal_of_an_older_version_says_nothing_of_it() -> None:
    drift = Drift()
    for _ in range(2 * SETS):
        drift.saw({"counted": 136})
    assert list(drift.warnings) == []
    assert drift.facts == {"tile_widths": {}, "currents_mv": {}}
