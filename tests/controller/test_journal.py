"""The journal: what was intended is on disk before anything moves, whatever happens next."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.journal import Journal, JournalError

HOUSE = Path(__file__).parents[2]
NOON = "2030-01-01T12:00:00+00:00"
Row = tuple[str, str, float | None, str | None]

KILLED = """
import os, sys
from controller.journal import Journal
journal = Journal(sys.argv[1], "now", {})
packet = journal.intend("top", 1.0, {"step": "packet", "seat": 2})
if sys.argv[2] == "after the next intent":
    journal.confirm(packet, 2.5, {"tiles": 4})
    journal.intend("top", 2.5, {"step": "turn_up"})
if sys.argv[2] == "before the next intent":
    journal.confirm(packet, 2.5, {"tiles": 4})
os._exit(9)
"""
"""A process that dies without closing anything, at three moments."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
def journal(file: Path) -> Iterator[Journal]:
    with Journal(file, NOON, {"table": "robotic"}) as journal:
        yield journal


def on_disk(file: Path) -> list[Row]:
    """What somebody else reads in the file now."""
    other = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    rows = other.execute("SELECT activity, intent, confirmed_at, outcome FROM step ORDER BY id")
    found = rows.fetchall()
    other.close()
    return found


def killed(file: Path, when: str) -> None:
    dead = subprocess.run([sys.executable, "-c", KILLED, file, when], cwd=HOUSE, check=False)
    assert dead.returncode == 9


def test_an_intent_survives_a_process_that_is_killed_right_after_it(file: Path) -> None:
    killed(file, "at once")
    assert on_disk(file) == [("top", '{"step": "packet", "seat": 2}', None, None)]


def test_an_outcome_is_on_disk_with_the_next_intent(file: Path) -> None:
    killed(file, "after the next intent")
    first, second = on_disk(file)
    assert first[2:] == (2.5, '{"tiles": 4}')
    assert second == ("top", '{"step": "turn_up"}', None, None)


def test_an_outcome_that_was_not_yet_flushed_leaves_its_intent_unconfirmed(file: Path) -> None:
    killed(file, "before the next intent")
    assert on_disk(file) == [("top", '{"step": "packet", "seat": 2}', None, None)]


def test_a_journal_of_a_killed_process_serves_the_next_one(file: Path) -> None:
    killed(file, "at once")
    with Journal(file, NOON, {}) as journal:
        journal.intend("top", 0.0, {"do": "home"})
    assert len(on_disk(file)) == 2


def test_every_commit_waits_for_the_disk(journal: Journal, file: Path) -> None:
    assert journal._base.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert journal._base.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    other = sqlite3.connect(file)
    assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    other.close()


def test_what_was_confirmed_is_read_back_as_it_was_told(journal: Journal) -> None:
    thrown = journal.intend("top", 1.0, {"step": "throw", "by": 0, "dice": 2})
    journal.confirm(thrown, 4.0, [3, 5])
    built = journal.intend("under", 4.5, {"do": "build", "set": 1})
    (throw, build) = journal.entries()
    assert (throw.number, throw.activity, throw.confirmed) == (thrown, "top", True)
    assert throw.intent == {"step": "throw", "by": 0, "dice": 2}
    assert throw.outcome == [3, 5]
    assert (build.number, build.outcome, build.confirmed) == (built, None, False)


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


def test_a_table_that_waits_has_everything_on_disk(journal: Journal, file: Path) -> None:
    journal.confirm(journal.intend("top", 1.0, {"step": "packet"}), 2.0, "dealt")
    journal.flush()
    assert on_disk(file)[0][2:] == (2.0, '"dealt"')


def test_closing_puts_everything_on_disk_and_may_be_done_twice(file: Path) -> None:
    with Journal(file, NOON, {}) as journal:
        journal.confirm(journal.intend("top", 1.0, {}), 2.0, "done")
    journal.close()
    assert on_disk(file)[0][3] == '"done"'


def test_two_runs_in_one_file_are_apart(file: Path) -> None:
    with Journal(file, NOON, {"seed": 1}) as journal:
        first = journal.intend("top", 1.0, {"run": "first"})
    with Journal(file, NOON, {"seed": 2}) as journal:
        second = journal.intend("top", 1.0, {"run": "second"})
        assert [each.intent for each in journal.entries()] == [{"run": "second"}]
    assert first != second
    assert len(on_disk(file)) == 2


@pytest.mark.parametrize("place", ["no/such/folder/journal.db", "."])
def test_a_path_that_cannot_serve_is_told_with_the_way_out(place: str, tmp_path: Path) -> None:
    with pytest.raises(JournalError) as refused:
        Journal(tmp_path / place, NOON, {})
    assert str(refused.value) == (
        f"The journal {tmp_path / place} cannot be used (unable to open database file);"
        " name a writable file with --journal."
    )


def test_a_file_that_is_no_journal_is_left_alone(file: Path) -> None:
    file.write_text("shopping: tiles, dice, felt\n" * 40)
    with pytest.raises(JournalError, match=r"\(file is not a database\); name a writable file"):
        Journal(file, NOON, {})
    assert file.read_text().startswith("shopping")


def test_a_disk_that_fills_up_is_told_as_such(journal: Journal) -> None:
    pages = journal._base.execute("PRAGMA page_count").fetchone()[0]
    journal._base.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(JournalError, match=r"cannot be written \(database or disk is full\)"):
        journal.intend("top", 1.0, {"long": "x" * 100_000})
