"""Tests the statistics that are computed from a table's journal."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from controller.run.health.statistics import RECENT, facts, statistics_of
from controller.run.journal.lines import JournalRecord


class JournalRecords:
    """Builds journal records as a run writes them."""

    def __init__(self) -> None:
        self.records: list[JournalRecord] = []
        self._numbers: Iterator[int] = count(1)

    def run(self, **content: object) -> None:
        self.records.append(JournalRecord(next(self._numbers), "run", "", 0.0, content))

    def step(
        self, activity: str, at: float, seconds: float, outcome: object = None, **intent: object
    ) -> None:
        number = next(self._numbers)
        self.records.append(JournalRecord(number, "intent", activity, at, intent))
        self.records.append(
            JournalRecord(next(self._numbers), "outcome", "", at + seconds, outcome, number)
        )

    def built(self, at: float, seconds: float = 20.0, **samples: object) -> None:
        self.step("under", at, seconds, {"counted": 136, **samples}, do="build", set=0)

    def jam(self, at: float, attempt: int, part: str = "head 2") -> None:
        self.step("recovered", at, 0.0, None, code="JAM", part=part, attempt=attempt)


def test_a_journal_without_faults_has_no_jam_and_no_assist() -> None:
    journal = JournalRecords()
    journal.run()
    journal.built(0.0)
    figures = facts(statistics_of(journal.records))
    assert (figures["sets"], figures["tiles"], figures["seconds"]) == (1, 136, 20.0)
    assert figures["tiles_per_jam"] is figures["mtba_s"] is figures["mtta_s"] is None


def test_tiles_per_jam_and_mean_times_of_assists() -> None:
    journal = JournalRecords()
    journal.run()
    for number in range(4):
        journal.built(100.0 * number)
    journal.jam(400.0, 2)
    journal.step("asked", 410.0, 30.0, {"by": "attendant"}, code="JAM", part="head 2")
    journal.jam(440.0, 5)
    figures = facts(statistics_of(journal.records))
    assert figures["tiles_per_jam"] == 4 * 136 / 2
    assert (figures["mtba_s"], figures["mtta_s"]) == (440.0, 30.0)
    # One retry of the first jam and four of the second, of which one followed an assist.
    assert figures["faults"]["JAM"] == {
        "recoveries": 2,
        "retries": 4,
        "asks": 1,
        "clears": 1,
        "stops": 0,
    }


def test_an_open_question_and_a_stop_are_counted() -> None:
    journal = JournalRecords()
    journal.run()
    journal.records.append(
        JournalRecord(90, "intent", "asked", 1.0, {"code": "LIFT", "part": "lift 1"})
    )
    journal.step("fault", 2.0, 0.0, None, code="LIFT", part="lift 1", evidence="")
    lift = facts(statistics_of(journal.records))["faults"]["LIFT"]
    assert (lift["asks"], lift["clears"], lift["stops"]) == (1, 0, 1)


def test_times_of_runs_are_added_and_a_resumed_run_counts_as_a_power_cut() -> None:
    journal = JournalRecords()
    journal.run()
    journal.built(500.0)
    journal.run(resumes=1)
    journal.built(30.0)
    figures = facts(statistics_of(journal.records))
    assert (figures["runs"], figures["seconds"]) == (2, 570.0)
    assert figures["faults"]["POWER"]["recoveries"] == 1


def test_movements_that_wear_parts_are_counted() -> None:
    journal = JournalRecords()
    journal.run()
    journal.step("top", 0.0, 1.0, None, do="take in", set=0)
    journal.step("top", 2.0, 1.0, None, step="build", walls=[{}, {}, {}, {}])
    journal.step("top", 4.0, 1.0, None, step="throw", times=2)
    worn = facts(statistics_of(journal.records))["worn"]
    assert worn == {"lid_openings": 1, "walls_raised": 4, "throws": 2, "picks": {}}


def test_opening_the_lid_for_a_forgotten_tile_is_not_an_assist() -> None:
    journal = JournalRecords()
    journal.run()
    journal.step("asked", 0.0, 12.0, {"by": "player"}, code="FORGOTTEN", part="lid")
    figures = facts(statistics_of(journal.records))
    assert figures["assists"] == 0
    assert figures["faults"]["FORGOTTEN"]["clears"] == 1


def test_a_part_that_often_recovers_from_faults_causes_a_warning() -> None:
    journal = JournalRecords()
    journal.run()
    for number in range(3):
        journal.built(100.0 * number)
        journal.jam(100.0 * number + 50.0, 2)
    (warning,) = facts(statistics_of(journal.records))["warnings"]
    assert warning == (
        f"head 2: 3 recoveries in the last {RECENT} sets."
        " Clean the sensor of head 2 when the table is next at rest."
    )


def test_recoveries_of_long_ago_cause_no_warning() -> None:
    journal = JournalRecords()
    journal.run()
    for number in range(3):
        journal.jam(float(number), 2)
    for number in range(RECENT):
        journal.built(100.0 * number)
    assert facts(statistics_of(journal.records))["warnings"] == []


@pytest.mark.parametrize(("last", "warned"), [(22.0, False), (30.0, True)])
def test_sets_that_take_longer_than_at_first_cause_a_warning(last: float, warned: bool) -> None:
    journal = JournalRecords()
    journal.run()
    for number in range(RECENT):
        journal.built(100.0 * number)
    for number in range(RECENT, 2 * RECENT):
        journal.built(100.0 * number, last)
    assert bool(facts(statistics_of(journal.records))["warnings"]) is warned


def test_the_tiles_that_each_head_has_lifted_are_counted() -> None:
    journal = JournalRecords()
    journal.run()
    journal.built(0.0, picks={"head 0": 68, "head 1": 68})
    journal.built(100.0, picks={"head 0": 70, "head 1": 66})
    journal.built(200.0)  # as a version that did not record `picks` wrote it
    figures = facts(statistics_of(journal.records))
    assert figures["worn"]["picks"] == {"head 0": 138, "head 1": 134}


def test_drift_is_among_the_warnings() -> None:
    journal = JournalRecords()
    journal.run()
    for number in range(12):
        samples = {"head 1": {"tiles": 5, "width_ms": 152.0 - 4.0 * number, "spread_ms": 0.1}}
        journal.built(100.0 * number, tile_ms=152.0, heads=samples)
    (warning,) = facts(statistics_of(journal.records))["warnings"]
    assert warning.startswith("S1 of head 1 reports tiles 19 % shorter than at first. Clean ")
