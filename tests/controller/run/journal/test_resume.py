"""Tests how the steps of the present run and of an interrupted run are read from the journal."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.run.journal import Journal, JournalError
from controller.run.journal.notes import FacesFallen, Flipped, MovesMade, TagRead
from controller.run.journal.replay import Replay
from tests.controller.run.journal.on_disk import NOON, PACKET, now

# The steps of the present run


def test_a_confirmed_step_is_read_back_as_it_was_written(journal: Journal) -> None:
    thrown = journal.intend("top", 1.0, {"step": "throw", "by": 0, "dice": 2})
    journal.confirm(thrown, 4.0, [3, 5])
    built = journal.intend("under", 4.5, {"do": "build", "set": 1})
    (throw, build) = journal.entries()
    assert (throw.number, throw.activity, throw.at) == (thrown, "top", 1.0)
    assert throw.intent == {"step": "throw", "by": 0, "dice": 2}
    assert (throw.outcome, throw.confirmed) == ([3, 5], True)
    assert (build.number, build.outcome, build.confirmed) == (built, None, False)


def test_notes_are_read_back_in_order(journal: Journal) -> None:
    packet = journal.intend("top", 1.0, PACKET)
    journal.note(packet, 1.5, MovesMade(1))
    journal.note(packet, 2.5, TagRead(0x20))
    (entry,) = journal.entries()
    assert entry.notes == (MovesMade(1), TagRead(0x20))
    assert not entry.confirmed


def test_a_step_whose_outcome_is_null_counts_as_confirmed(journal: Journal) -> None:
    journal.confirm(journal.intend("top", 1.0, {"step": "packet"}), 2.0, None)
    (packet,) = journal.entries()
    assert packet.confirmed and packet.outcome is None


def test_overlapping_activities_are_confirmed_separately(journal: Journal) -> None:
    building = journal.intend("under", 1.0, {"do": "build"})
    dealing = journal.intend("top", 2.0, {"step": "packet"})
    journal.confirm(dealing, 3.0, "dealt")
    journal.confirm(building, 40.0, {"counted": 136})
    assert [(each.activity, each.outcome) for each in journal.entries()] == [
        ("under", {"counted": 136}),
        ("top", "dealt"),
    ]


def test_two_runs_in_one_file_are_read_separately(file: Path) -> None:
    with Journal(file, NOON, {"seed": 1}) as journal:
        first = journal.intend("top", 1.0, {"run": "first"})
    with Journal(file, NOON, {"seed": 2}) as journal:
        second = journal.intend("top", 1.0, {"run": "second"})
        assert [each.intent for each in journal.entries()] == [{"run": "second"}]
        assert [each.number for each in journal.history()] == [first, second]
    assert first != second


def test_a_journal_in_memory_is_read_back_and_writes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Journal.in_memory(NOON, {}) as journal:
        packet = journal.intend("top", 1.0, PACKET)
        journal.note(packet, 1.5, FacesFallen((3, 5)))
        journal.confirm(packet, 2.0, None)
        (entry,) = journal.history()
        assert (entry.notes, entry.confirmed) == ((FacesFallen((3, 5)),), True)
        assert (now(journal.check()), journal.repairs, journal.unfinished()) == ((), (), None)
    assert list(tmp_path.iterdir()) == []


# Unfinished runs


def test_a_completed_run_is_not_unfinished(file: Path) -> None:
    with Journal(file, NOON, {}) as journal:
        journal.confirm(journal.intend("top", 1.0, PACKET), 2.0, None)
        journal.end()
    with Journal(file, NOON, {}) as journal:
        assert journal.unfinished() is None
        assert journal.resume() is None


def test_an_interrupted_run_is_read_with_its_facts_and_steps(file: Path) -> None:
    with Journal(file, NOON, {"seed": 1}) as journal:
        journal.confirm(journal.intend("top", 1.0, {"step": "throw"}), 2.0, [3, 5])
        journal.note(journal.intend("top", 2.0, PACKET), 2.5, Flipped())
    with Journal(file, "later", {"seed": 2}) as journal:
        left = journal.unfinished()
    assert left is not None
    assert (left.started, left.facts) == (NOON, {"seed": 1})
    throw, packet = left.entries
    assert (throw.outcome, throw.confirmed) == ([3, 5], True)
    assert (packet.notes, packet.confirmed) == ((Flipped(),), False)


def test_an_unfinished_run_includes_the_steps_of_every_run_that_resumed_it(file: Path) -> None:
    for number in range(4):
        with Journal(file, f"run {number}", {"run": number}) as journal:
            left = journal.resume()
            assert (left is None) == (number == 0)
            if left is not None:
                assert (left.started, left.facts) == ("run 0", {"run": 0})
                assert [entry.intent["of"] for entry in left.entries] == list(range(number))
            journal.intend("top", 1.0, {"of": number})
            if number == 3:
                journal.end()
    with Journal(file, NOON, {}) as journal:
        assert journal.unfinished() is None


def test_a_run_that_does_not_resume_replaces_the_unfinished_run(file: Path) -> None:
    with Journal(file, "first", {}) as journal:
        journal.intend("top", 1.0, {"of": "first"})
    with Journal(file, "second", {}) as journal:
        journal.intend("top", 1.0, {"of": "second"})
    with Journal(file, NOON, {}) as journal:
        left = journal.unfinished()
        assert left is not None
        assert [entry.intent for entry in left.entries] == [{"of": "second"}]


def test_a_run_without_steps_does_not_change_the_unfinished_run(file: Path) -> None:
    with Journal(file, "first", {}) as journal:
        journal.intend("top", 1.0, {})
    for _ in range(2):
        with Journal(file, "idle", {}) as journal:
            left = journal.resume()
            assert left is not None and left.started == "first"
            journal.end()


def test_a_resume_with_other_options_is_refused_and_both_steps_are_named(journal: Journal) -> None:
    number = journal.intend("top", 1.0, {"step": "throw", "by": 0})
    replay = Replay(journal.entries())
    with pytest.raises(JournalError) as refused:
        replay.take("top", {"step": "throw", "by": 2})
    assert str(refused.value) == (
        f"Entry {number} of the journal is step throw by 0, but the next step of this run is step"
        " throw by 2. The round cannot be resumed; the next run asks people to put every tile away."
    )
    assert replay.ahead("top") is not None, "the refused entry is still ahead"
