"""Tests the homing of the gantry: x and y do not move before z is proven to be up."""

from __future__ import annotations

import pytest

from controller.run.faults.catalogue import Fault
from tests.controller.table_with_faults import Evening, evening

ASKED = [
    ("operator_prompted", "HOMING", "gantry_z_home"),
    ("prompt_answered", "HOMING", "gantry_z_home"),
]


def axes_that_moved(events: Evening, until: float) -> set[str]:
    """Return the axes that began to move before this time, in seconds."""
    return {axis for at, axis, value in events.pins if at < until and value and axis in AXES}


AXES = ("gantry_x", "gantry_y", "gantry_z")


def test_a_z_switch_that_stays_inactive_is_a_homing_fault_before_x_or_y_moves() -> None:
    events = evening("stuck_sensor:gantry_z_home", "wrong_answer:people")
    assert events.fault_events == [*ASKED * 3, ("fault", "HOMING", "gantry_z_home")]
    assert events.fault is not None
    assert events.fault.fault is Fault.HOMING
    assert "gantry_z moved towards the switch for" in events.fault.evidence
    assert axes_that_moved(events, 1e9) == {"gantry_z"}
    assert not events.when(event="state", under="idle"), (
        "no wall is built while the arm is not homed"
    )


@pytest.mark.slow
def test_the_table_begins_after_a_person_has_repaired_the_z_switch() -> None:
    events = evening("stuck_sensor:gantry_z_home")
    assert events.fault_events == [*ASKED, ("recovered", "HOMING", "gantry_z_home")]
    (cleared,) = events.when(event="prompt_answered")
    assert axes_that_moved(events, cleared) == {"gantry_z"}
    assert events.fault is None


@pytest.mark.slow
def test_a_failed_homing_is_retried_once_before_a_person_is_asked() -> None:
    events = evening("stuck_sensor:gantry_z_home")
    (asked,) = events.when(event="operator_prompted")
    tries = [at for at, axis, value in events.pins if axis == "gantry_z" and value and at < asked]
    assert len(tries) == 2


def test_an_x_switch_that_stays_inactive_is_reported_and_y_does_not_move() -> None:
    events = evening("stuck_sensor:gantry_x_home", "wrong_answer:people")
    assert events.fault is not None
    assert (events.fault.fault, events.fault.part) == (Fault.HOMING, "gantry_x_home")
    assert axes_that_moved(events, 1e9) == {"gantry_z", "gantry_x"}


@pytest.mark.slow
def test_an_arm_that_cannot_be_homed_after_a_power_cut_is_a_homing_fault() -> None:
    events = evening("stuck_sensor:gantry_z_home@55", "board_reset:arm@60")
    assert events.when(event="paused", board="arm")
    assert events.fault_events == [*ASKED, ("recovered", "HOMING", "gantry_z_home")]
    paused, *_ = events.when(event="paused")
    (cleared,) = events.when(event="prompt_answered")
    moved = {axis for at, axis, value in events.pins if paused < at < cleared and value}
    assert moved & set(AXES) == {"gantry_z"}


@pytest.mark.slow
def test_a_z_switch_that_is_stuck_active_does_not_prove_that_the_arm_is_up() -> None:
    """The z switch gets stuck while the arm is up; after the power cut the arm is lower."""
    events = evening("stuck_sensor:gantry_z_home@6", "board_reset:arm@60", "wrong_answer:people")
    assert events.fault is not None
    assert (events.fault.fault, events.fault.part) == (Fault.HOMING, "gantry_z_home")
    assert "still active 10 mm away" in events.fault.evidence
    paused, *_ = events.when(event="paused")
    assert {axis for at, axis, value in events.pins if at > paused and axis in AXES} == {"gantry_z"}
