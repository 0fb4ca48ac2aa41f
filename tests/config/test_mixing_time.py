"""Tests that a table whose mixing time is too short for its drum is reported."""

from __future__ import annotations

import pytest

from config.layout.mixing import needed_seconds, pan_motion, with_drum
from config.loader import load_table, table_names
from config.schema import Table
from config.validation.checks import table_warnings


def warnings(table: Table) -> list[str]:
    return [str(each) for each in table_warnings(table) if each.key.startswith("modules.drum")]


def needed() -> float:
    drum = load_table("robotic").modules.drum
    assert drum is not None
    return needed_seconds(pan_motion(drum, drum.capacity))


def test_a_mixing_time_that_is_too_short_for_a_full_drum_is_reported_with_the_needed_time() -> None:
    (warning,) = warnings(with_drum(load_table("robotic"), mix=needed() - 1))
    assert warning.startswith("modules.drum.mix: ")
    assert f" is less than the {needed():g} s that this drum needs with 160 tiles" in warning
    assert warnings(with_drum(load_table("robotic"), mix=needed() + 1)) == []


def test_a_drum_that_hardly_mixes_is_reported_whatever_its_mixing_time() -> None:
    (warning,) = warnings(with_drum(load_table("robotic"), mix=590.0, tilt_deg=10.0))
    assert warning.startswith("modules.drum: this drum hardly mixes (tilt 10 deg, 20 rpm, 2 ribs).")


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("tilt_deg", 5.0, "its tilt in degrees is 5, and the model of mixing is for 10 to 45"),
        ("rpm", 60.0, "its speed in revolutions a minute is 60, and"),
        ("ribs", 0, "its number of ribs is 0, and the model of mixing is for 1 to 8"),
        ("pan", 120.0, "in areas of the pan) is 15.1, and the model of mixing is for 0.25 to 0.8"),
    ],
)
def test_a_drum_that_no_simulated_drum_is_like_is_reported(
    key: str, value: float, reason: str
) -> None:
    (warning,) = warnings(with_drum(load_table("robotic"), **{key: value}))
    assert warning.startswith("modules.drum: no simulated drum is like this one: ")
    assert reason in warning


@pytest.mark.parametrize("name", table_names())
def test_the_mixing_time_of_every_shipped_table_is_long_enough(name: str) -> None:
    assert warnings(load_table(name)) == []
