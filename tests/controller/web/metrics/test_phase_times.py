"""Durations of modes, phases and cycles from the events of a table."""

from __future__ import annotations

from controller.web.metrics.readings import PhaseTimes


def test_a_phase_is_measured_without_the_pauses_in_it() -> None:
    times = PhaseTimes(0.0)
    times.update(1.0, "testing", "testing")
    times.update(3.0, "idle", "clear")
    times.update(5.0, "shuffling", "clear")
    times.update(10.0, "paused", "paused")
    times.update(30.0, "servicing", "servicing")
    times.update(40.0, "paused", "paused")
    times.update(50.0, "shuffling", "clear")
    times.update(57.0, "building", "clear")
    times.update(60.0, "staged", "clear")
    under = times.activities["under"]
    assert under.phases["shuffling"].distribution.total == 12.0
    assert under.phases["building"].distribution.total == 3.0
    assert under.cycles.distribution.total == 15.0
    assert sum(under.cycles.distribution.classes) == 1
    assert sum(times.activities["top"].phases["clear"].distribution.classes) == 0
    assert times.modes.seconds(60.0) == {
        "offline": 1.0,
        "testing": 2.0,
        "going": 17.0,
        "paused": 30.0,
        "servicing": 10.0,
    }


def test_a_phase_that_a_stop_has_ended_is_not_measured() -> None:
    times = PhaseTimes(0.0)
    times.update(1.0, "shuffling", "raising")
    times.update(2.0, "fault", "fault")
    times.update(9.0, "idle", "clear")
    times.update(10.0, "gathering", "clear")
    under, top = times.activities["under"], times.activities["top"]
    assert sum(under.phases["shuffling"].distribution.classes) == 0
    assert sum(under.cycles.distribution.classes + top.cycles.distribution.classes) == 0
    assert under.phases["idle"].distribution.total == 1.0


def test_the_end_of_a_run_begins_the_mode_offline() -> None:
    times = PhaseTimes(0.0)
    times.update(0.0, "building", "playing")
    times.end_run(4.0)
    assert times.modes.state == "offline"
    assert times.modes.seconds(10.0) == {"offline": 6.0, "going": 4.0}
    times.update(10.0, "staged", "clear")
    assert sum(times.activities["under"].phases["building"].distribution.classes) == 0
