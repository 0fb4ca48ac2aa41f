"""What a journal tells of its run and of a story without an end, as it was told, in order."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.journal import Journal, JournalError
from controller.journal.notes import FacesFallen, Flipped, MovesMade, TagRead
from controller.journal.replay import Replay
from tests.controller.journal.on_disk import NOON, PACKET, now

# What is read back


def test_what_was_confirmed_is_read_back_as_it_was_told(journal: Journal) -> None:
    thrown = journal.intend("top", 1.0, {"step": "throw", "by": 0, "dice": 2})
    journal.confirm(thrown, 4.0, [3, 5])
    built = journal.intend("under", 4.5, {"do": "build", "set": 1})
    (throw, build) = journal.entries()
    assert (throw.number, throw.activity, throw.at) == (thrown, "top", 1.0)
    assert throw.intent == {"step": "throw", "by": 0, "dice": 2}
    assert (throw.outcome, throw.confirmed) == ([3, 5], True)
    assert (build.number, build.outcome, build.confirmed) == (built, None, False)


def test_what_happened_on_the_way_is_read_back_in_order(journal: Journal) -> None:
    packet = journal.intend("top", 1.0, PACKET)
    journal.note(packet, 1.5, MovesMade(1))
    journal.note(packet, 2.5, TagRead(0x20))
    (entry,) = journal.entries()
    assert entry.notes == (MovesMade(1), TagRead(0x20))
    assert not entry.confirmed


def test_a_step_without_an_outcome_of_its_own_still_counts_as_confirmed(journal: Journal) -> None:
    journal.confirm(journal.intend("top", 1.0, {"step": "packet"}), 2.0, None)
    (packet,) = journal.entries()
    assert packet.confirmed and packet.outcome is None


def test_activities_that_overlap_are_confirmed_each_for_itself(journal: Journal) -> None:
    building = journal.intend("under", 1.0, {"do": "build"})
    dealing = journal.intend("top", 2.0, {"step": "packet"})
    journal.confirm(dealing, 3.0, "dealt")
    journal.confirm(building, 40.0, {"counted": 136})
    assert [(each.activity, each.outcome) for each in journal.entries()] == [
        ("under", {"counted": 136}),
        ("top", "dealt"),
    ]


def test_two_runs_in_one_file_are_apart(file: Path) -> None:
    with Journal(file, NOON, {"seed": 1}) as journal:
        first = journal.intend("top", 1.0, {"run": "first"})
    with Journal(file, NOON, {"seed": 2}) as journal:
        second = journal.intend("top", 1.0, {"run": "second"})
        assert [each.intent for each in journal.entries()] == [{"run": "second"}]
        assert [each.number for each in journal.history()] == [first, second]
    assert first != second


def test_a_journal_in_memory_reads_back_the_same_and_touches_no_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Journal.in_memory(NOON, {}) as journal:
        packet = journal.intend("top", 1.0, PACKET)
        journal.note(packet, 1.5, FacesFallen((3, 5)))
        journal.confirm(packet, 2.0, None)
        (entry,) = journal.history()
        assert (entry.notes, entry.confirmed) == ((FacesFallen((3, 5)),), True)
        assert (now(journal.check()), journal.healed, journal.unfinished()) == ((), (), None)
    assert list(tmp_path.iterdir()) == []


# Stories without an end


def test_a_run_that_ended_leaves_nothing_unfinished(file: Path) -> None:
    with Journal(file, NOON, {}) as journal:
        journal.confirm(journal.intend("top", 1.0, PACKET), 2.0, None)
        journal.end()
    with Journal(file, NOON, {}) as journal:
        assert journal.unfinished() is None
        assert journal.resume() is None


def test_a_run_that_was_cut_off_is_told_with_its_facts_and_steps(file: Path) -> None:
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


def test_a_story_goes_on_through_every_run_that_resumed_it(file: Path) -> None:
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


def test_a_run_that_begins_anew_leaves_the_old_story_behind(file: Path) -> None:
    with Journal(file, "first", {}) as journal:
        journal.intend("top", 1.0, {"of": "first"})
    with Journal(file, "second", {}) as journal:
        journal.intend("top", 1.0, {"of": "second"})
    with Journal(file, NOON, {}) as journal:
        left = journal.unfinished()
        assert left is not None
        assert [entry.intent for entry in left.entries] == [{"of": "second"}]


def test_a_run_that_did_nothing_leaves_the_unfinished_story_as_it_was(file: Path) -> None:
    with Journal(file, "first", {}) as journal:
        journal.intend("top", 1.0, {})
    for _ in range(2):
        with Journal(file, "idle", {}) as journal:
            left = journal.resume()
            assert left is not None and left.started == "first"
            journal.end()


def test_a_run_with_other_options_is_refused_with_both_steps_in_words(journal: Journal) -> None:
    number = journal.intend("top", 1.0, {"step": "throw", "by": 0})
    replay = Replay(journal.entries())
    with pytest.raises(JournalError) as refused:
        replay.take("top", {"step": "throw", "by": 2})
    assert str(refused.value) == (
        f"Entry {number} of the journal is step throw by 0, and this run would do step throw by 2;"
        " give the same options as that run, or give the round up with --abandon."
    )
    assert replay.ahead("top") is not None, "the refused entry is still to be taken"
