"""What the events of many killed hosts must be together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from controller.journal import Journal
from controller.journal.notes import ShakesBefore
from controller.soak.killing import Killing, kill_hosts, one_outcome_a_throw, one_run

KILLING = Killing("robotic", "block", 1, 3)


def life(*places: str, ends: bool = False) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [{"event": "delivered", "from": [place]} for place in places]
    if ends:
        tiles = {"expected": 56, "accounted": 56}
        events.append({"event": "summary", "rounds": 1, "tiles": tiles})
    return events


RAISED = [{"event": "walls_raised"}]
ALL = [f"b{number}" for number in range(1, 21)]


def test_what_a_later_host_tells_again_counts_once() -> None:
    lives = [RAISED + life(*ALL[:7]), life(*ALL[6:12]), life(*ALL[12:], ends=True)]
    assert one_run(lives, KILLING) == []


def test_a_place_that_was_delivered_twice_is_seen() -> None:
    lives = [RAISED + life(*ALL[:7]), life(*ALL[5:], ends=True)]
    assert "twice ['b6', 'b7']" in one_run(lives, KILLING)[0]


def test_a_place_that_was_skipped_is_seen() -> None:
    lives = [RAISED + life(*ALL[:7]), life(*ALL[8:], ends=True)]
    assert one_run(lives, KILLING)[0].startswith("Round 1: 19 places were delivered of 20")


def test_a_run_without_an_end_is_seen() -> None:
    assert one_run([RAISED + life(*ALL)], KILLING)[0].startswith("The last host told no summary")


def test_tiles_that_are_missing_in_the_end_are_seen() -> None:
    lives = [RAISED + life(*ALL, ends=True)]
    lives[0][-1]["tiles"]["accounted"] = 55
    assert one_run(lives, KILLING) == [
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


def test_a_shake_that_never_ended_may_be_begun_again(tmp_path: Path) -> None:
    assert one_outcome_a_throw(journal_of_a_throw(tmp_path / "kept", 4, 4)) == []


def test_a_die_that_was_thrown_again_is_seen(tmp_path: Path) -> None:
    (wrong,) = one_outcome_a_throw(journal_of_a_throw(tmp_path / "kept", 4, 5))
    assert "thrown again: shakes [4, 5]" in wrong


def test_a_throw_without_an_outcome_is_seen(tmp_path: Path) -> None:
    (wrong,) = one_outcome_a_throw(journal_of_a_throw(tmp_path / "kept", 4, confirmed=False))
    assert "has no outcome" in wrong


def test_hosts_are_ended_at_once_when_the_killing_is_to_stop(tmp_path: Path) -> None:
    asked = iter([False] * 3)
    killed = kill_hosts(KILLING, tmp_path, stop=lambda: next(asked, True))
    assert killed.kills < KILLING.kills
    assert killed.boards == 1
    assert killed.wrong == []
