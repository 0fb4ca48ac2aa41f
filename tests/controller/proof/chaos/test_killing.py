"""Tests the checks of the events and the journal of killed hosts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from controller.proof.chaos.killing import Killing, kill_hosts, one_outcome_a_throw, one_run
from controller.run.journal import Journal
from controller.run.journal.notes import ShakesBefore

KILLING = Killing("robotic", "block", 1, 3)


def host(*places: str, ends: bool = False) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [{"event": "delivered", "from": [place]} for place in places]
    if ends:
        tiles = {"expected": 56, "accounted": 56}
        events.append({"event": "summary", "rounds": 1, "tiles": tiles})
    return events


RAISED = [{"event": "walls_raised"}]
ALL = [f"b{number}" for number in range(1, 21)]


def test_an_event_that_a_later_host_repeats_counts_once() -> None:
    hosts = [RAISED + host(*ALL[:7]), host(*ALL[6:12]), host(*ALL[12:], ends=True)]
    assert one_run(hosts, KILLING) == []


def test_a_place_that_was_delivered_twice_is_reported() -> None:
    hosts = [RAISED + host(*ALL[:7]), host(*ALL[5:], ends=True)]
    assert "twice ['b6', 'b7']" in one_run(hosts, KILLING)[0]


def test_a_place_that_was_skipped_is_reported() -> None:
    hosts = [RAISED + host(*ALL[:7]), host(*ALL[8:], ends=True)]
    assert one_run(hosts, KILLING)[0].startswith("Round 1: 19 of 20 places were delivered")


def test_a_run_without_a_summary_is_reported() -> None:
    assert one_run([RAISED + host(*ALL)], KILLING)[0].startswith("The last host emitted no summary")


def test_missing_tiles_at_the_end_are_reported() -> None:
    hosts = [RAISED + host(*ALL, ends=True)]
    hosts[0][-1]["tiles"]["accounted"] = 55
    assert one_run(hosts, KILLING) == [
        "Not all tiles are accounted for: {'expected': 56, 'accounted': 55}."
    ]


def journal_of_a_throw(path: Path, *shakes: int, confirmed: bool = True) -> Path:
    with Journal(path, "now", {}) as journal:
        throw = journal.intend("top", 1.0, {"step": "throw", "by": 0, "dice": 2, "times": 1})
        for number in shakes:
            journal.note(throw, 2.0, ShakesBefore(number))
        if confirmed:
            journal.confirm(throw, 3.0, [3, 5])
        journal.end()
    return path


def test_a_shake_that_has_not_ended_can_be_repeated(tmp_path: Path) -> None:
    assert one_outcome_a_throw(journal_of_a_throw(tmp_path / "kept", 4, 4)) == []


def test_a_repeated_throw_is_reported(tmp_path: Path) -> None:
    (wrong,) = one_outcome_a_throw(journal_of_a_throw(tmp_path / "kept", 4, 5))
    assert "thrown again: shakes [4, 5]" in wrong


def test_a_throw_without_an_outcome_is_reported(tmp_path: Path) -> None:
    (wrong,) = one_outcome_a_throw(journal_of_a_throw(tmp_path / "kept", 4, confirmed=False))
    assert "has no outcome" in wrong


@pytest.mark.slow
def test_hosts_are_ended_at_once_when_stop_returns_true(tmp_path: Path) -> None:
    asked = iter([False] * 3)
    killed = kill_hosts(KILLING, tmp_path, stop=lambda: next(asked, True))
    assert killed.kills < KILLING.kills
    assert killed.tables == 1
    assert killed.wrong == []
