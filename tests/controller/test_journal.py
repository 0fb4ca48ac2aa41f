"""The journal: what was intended is on disk before anything moves, whatever happens next."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from controller import journal as journal_module
from controller.journal import Journal, JournalError, JournalInUse, JournalLocked

HOUSE = Path(__file__).parents[2]
NOON = "2030-01-01T12:00:00+00:00"

KILLED = """
import os, sys
from controller.journal import Journal
journal = Journal(sys.argv[1], "now", {})
packet = journal.intend("top", 1.0, {"step": "packet", "seat": 2})
if sys.argv[2] == "after a note":
    journal.note(packet, 2.0, "gripped")
if sys.argv[2] == "after the next intent":
    journal.confirm(packet, 2.5, {"tiles": 4})
    journal.intend("top", 2.5, {"step": "turn_up"})
if sys.argv[2] == "before the next intent":
    journal.confirm(packet, 2.5, {"tiles": 4})
os._exit(9)
"""
"""A process that dies without closing anything, at four moments."""

PACKET = {"step": "packet", "seat": 2}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "table.journal"


@pytest.fixture
def journal(file: Path) -> Iterator[Journal]:
    with Journal(file, NOON, {"table": "robotic"}) as journal:
        yield journal


def on_disk(file: Path) -> list[dict[str, Any]]:
    """What somebody else reads in the copies now, without their runs: all three say the same."""
    (text,) = {(file.with_name(file.name + end)).read_text() for end in ("", ".2", ".3")}
    told = [json.loads(line) for line in text.splitlines()]
    return [record for record in told if record["kind"] != "run"]


def contents(file: Path) -> list[tuple[str, object]]:
    return [(record["kind"], record["content"]) for record in on_disk(file)]


def killed(file: Path, when: str) -> None:
    dead = subprocess.run([sys.executable, "-c", KILLED, file, when], cwd=HOUSE, check=False)
    assert dead.returncode == 9


# What is on disk, and when


def test_an_intent_survives_a_process_that_is_killed_right_after_it(file: Path) -> None:
    killed(file, "at once")
    assert contents(file) == [("intent", PACKET)]


def test_a_note_survives_a_process_that_is_killed_right_after_it(file: Path) -> None:
    killed(file, "after a note")
    assert contents(file) == [("intent", PACKET), ("note", "gripped")]


def test_an_outcome_is_on_disk_with_the_next_intent(file: Path) -> None:
    killed(file, "after the next intent")
    packet, outcome, turn_up = on_disk(file)
    assert (outcome["of"], outcome["at"]) == (packet["number"], 2.5)
    assert outcome["content"] == {"tiles": 4}
    assert (turn_up["kind"], turn_up["content"]) == ("intent", {"step": "turn_up"})


def test_an_outcome_that_was_not_yet_flushed_leaves_its_intent_unconfirmed(file: Path) -> None:
    killed(file, "before the next intent")
    assert contents(file) == [("intent", PACKET)]


def test_a_journal_of_a_killed_process_serves_the_next_one(file: Path) -> None:
    killed(file, "at once")
    with Journal(file, NOON, {}) as journal:
        journal.intend("top", 0.0, {"do": "home"})
        assert journal.healed == ()
    assert len(on_disk(file)) == 2


def test_every_write_waits_for_every_disk(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[int] = []
    with Journal(file, NOON, {}) as journal:
        monkeypatch.setattr(os, "fdatasync", waited.append)
        number = journal.intend("top", 1.0, {})
        assert len(waited) == len(set(waited)) == 3
        journal.note(number, 1.0, "gripped")
        assert len(waited) == 6
        journal.confirm(number, 1.0, "dealt")
        assert len(waited) == 6
        journal.flush()
        assert len(waited) == 9


def test_a_table_that_waits_has_everything_on_disk(journal: Journal, file: Path) -> None:
    journal.confirm(journal.intend("top", 1.0, PACKET), 2.0, "dealt")
    journal.flush()
    assert contents(file)[-1] == ("outcome", "dealt")


def test_closing_puts_everything_on_disk_and_may_be_done_twice(file: Path) -> None:
    with Journal(file, NOON, {}) as journal:
        journal.confirm(journal.intend("top", 1.0, {}), 2.0, "done")
    journal.close()
    assert contents(file)[-1] == ("outcome", "done")


def test_the_third_copy_lies_where_it_is_told(file: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with Journal(file, NOON, {}, disk) as journal:
        journal.intend("top", 1.0, {})
    assert (disk / "table.journal.3").read_bytes() == file.read_bytes()
    assert not (tmp_path / "table.journal.3").exists()


def test_anybody_can_check_the_chain_with_a_few_lines(journal: Journal, file: Path) -> None:
    journal.confirm(journal.intend("top", 1.0, {"seat": "北"}), 2.0, [3, 5])
    journal.flush()
    chain = ""
    for line in file.read_text("ascii").splitlines():
        text, stated = line[:-76] + "}", json.loads(line)["chain"]
        chain = sha256((chain + text).encode()).hexdigest()
        assert chain == stated


def test_a_run_that_did_nothing_leaves_nothing(file: Path) -> None:
    with Journal(file, NOON, {}) as journal:
        journal.flush()
        journal.end()
    assert file.read_bytes() == b""


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
    journal.note(packet, 1.5, {"gripped": "w1.1u"})
    journal.note(packet, 2.5, {"let go": "hand 2"})
    (entry,) = journal.entries()
    assert entry.notes == ({"gripped": "w1.1u"}, {"let go": "hand 2"})
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
        journal.note(packet, 1.5, (3, 5))
        journal.confirm(packet, 2.0, None)
        (entry,) = journal.history()
        assert (entry.notes, entry.confirmed) == (([3, 5],), True)
        assert (journal.check(), journal.healed, journal.unfinished()) == ((), (), None)
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
        journal.note(journal.intend("top", 2.0, PACKET), 2.5, "gripped")
    with Journal(file, "later", {"seed": 2}) as journal:
        left = journal.unfinished()
    assert left is not None
    assert (left.started, left.facts) == (NOON, {"seed": 1})
    throw, packet = left.entries
    assert (throw.outcome, throw.confirmed) == ([3, 5], True)
    assert (packet.notes, packet.confirmed) == (("gripped",), False)


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


# Files and disks that cannot serve


def test_a_second_run_cannot_have_the_same_journal(journal: Journal, file: Path) -> None:
    with pytest.raises(JournalInUse, match=r"Another run has the journal .* open; wait"):
        Journal(file, NOON, {})
    journal.intend("top", 1.0, {})


@pytest.mark.parametrize(
    ("place", "why"),
    [("no/such/table.journal", "there is no directory"), (".", "it is no file")],
)
def test_a_path_that_cannot_serve_is_told_with_the_way_out(
    place: str, why: str, tmp_path: Path
) -> None:
    with pytest.raises(JournalError, match=rf"cannot be used \({why}.*with --journal[.]"):
        Journal(tmp_path / place, NOON, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["shopping: tiles, dice, felt\n" * 40, "felt", "\0" * 512])
def test_a_file_that_is_no_journal_is_left_alone(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(JournalError, match=r"is no journal; name another file"):
        Journal(file, NOON, {})
    assert file.read_text() == text
    assert not file.with_name("table.journal.2").exists()


def test_an_sqlite_file_is_left_alone(file: Path) -> None:
    file.write_bytes(b"SQLite format 3\0" + bytes(100))
    with pytest.raises(JournalError, match="is an SQLite file of an earlier version"):
        Journal(file, NOON, {})


def test_a_journal_of_a_later_version_is_told_as_such(file: Path) -> None:
    text = b'{"number":1,"kind":"run","activity":"","at":0.0,"content":{},"by":"seat 2"}'
    chain = sha256(text).hexdigest().encode()
    file.write_bytes(text[:-1] + b',"chain":"' + chain + b'"}\n')
    for _ in range(2):
        with pytest.raises(JournalError, match=r"Record 1 .* does not know \(number, .*, by\)"):
            Journal(file, NOON, {})


def test_a_journal_behind_a_link_is_put_right_where_it_lies(file: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    file.symlink_to(disk / "real")
    with Journal(file, NOON, {}) as journal:
        journal.intend("top", 1.0, {})
    (disk / "real").write_bytes(b"")
    with Journal(file, NOON, {}) as journal:
        assert len(journal.healed) == 1
    assert file.is_symlink()
    assert (disk / "real").read_bytes() == file.with_name("table.journal.2").read_bytes()


def filling_up(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on the disk takes so many bytes more, the last write of them cut short."""
    left, write = room, os.write

    def short(file: int, data: Any) -> int:
        nonlocal left
        if not left:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = write(file, bytes(data)[:left])
        left -= written
        return written

    monkeypatch.setattr(os, "write", short)


@pytest.mark.parametrize("room", [0, 1, 100, 200, 300, 400, 500, 537])
def test_a_disk_that_fills_up_is_told_and_spoils_nothing(
    room: int, journal: Journal, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = journal.intend("top", 1.0, {"step": "throw"})
    journal.confirm(number, 2.0, [3, 5])
    with monkeypatch.context() as full:
        filling_up(room, full)
        with pytest.raises(JournalError, match=r"cannot be written \(No space left on device\)"):
            journal.intend("top", 2.0, {"lost": "x" * 50})
        assert contents(file) == [("intent", {"step": "throw"})]
    journal.intend("top", 3.0, PACKET)
    expected = [("intent", {"step": "throw"}), ("outcome", [3, 5]), ("intent", PACKET)]
    assert contents(file) == expected
    assert journal.check() == ()
    journal.close()
    with Journal(file, NOON, {}) as again:
        assert again.healed == ()
        assert [entry.confirmed for entry in again.history()] == [True, False]


def test_a_disk_that_stays_full_is_told_once_and_the_outcome_is_kept_for_later(
    journal: Journal, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal.confirm(journal.intend("top", 1.0, {}), 2.0, "dealt")
    with monkeypatch.context() as full:
        filling_up(0, full)
        with pytest.raises(JournalError):
            journal.flush()
        journal.flush()
    journal.flush()
    assert contents(file)[-1] == ("outcome", "dealt")


def test_a_half_written_line_that_cannot_be_taken_back_does_not_spoil_the_next(
    journal: Journal, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal.intend("top", 1.0, {})
    with monkeypatch.context() as broken:
        filling_up(40, broken)
        broken.setattr(os, "ftruncate", lambda *_: (_ for _ in ()).throw(OSError(errno.EIO, "")))
        with pytest.raises(JournalError):
            journal.intend("top", 2.0, {"lost": True})
    journal.intend("top", 3.0, PACKET)
    assert contents(file) == [("intent", {}), ("intent", PACKET)]


def test_a_disk_that_went_readonly_is_told(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "write", refused)
    with pytest.raises(JournalError, match=r"cannot be written \(Read-only file system\)"):
        journal.intend("top", 1.0, {})


# Putting old material away


def test_an_ended_journal_that_is_full_is_put_away_and_goes_on_in_a_new_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "FULL", 400)
    for number in range(4):
        with Journal(file, f"203{number}-01-01T12:00:00+00:00", {}) as journal:
            journal.confirm(journal.intend("top", 1.0, {"of": number, "long": "x" * 400}), 2.0, 1)
            assert [entry.intent["of"] for entry in journal.entries()] == [number]
            assert journal.check() == ()
            journal.end()
    away = sorted(each.name for each in file.parent.iterdir() if "20" in each.name)
    assert away == sorted(
        f"table.journal{copy}.203{year}0101T120000"
        for copy in ("", ".2", ".3")
        for year in (1, 2, 3)
    )
    with Journal(file, NOON, {}) as journal:
        assert [entry.intent["of"] for entry in journal.history()] == [2, 3]
        assert [entry.number for entry in journal.history()] == [10, 14]
        assert journal.healed == ()


def test_a_full_journal_without_an_end_stays_until_its_story_is_over(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "FULL", 100)
    for _ in range(2):
        with Journal(file, NOON, {}) as journal:
            journal.intend("top", 1.0, {})
    assert len(list(file.parent.iterdir())) == 4  # three copies and the lock


@pytest.mark.parametrize("done", range(7))
def test_a_power_cut_while_a_journal_is_put_away_loses_nothing(
    file: Path, monkeypatch: pytest.MonkeyPatch, done: int
) -> None:
    monkeypatch.setattr(journal_module, "FULL", 100)
    with Journal(file, "2031", {}) as journal:
        journal.confirm(journal.intend("top", 1.0, {"of": "old"}), 2.0, None)
        journal.end()
    replace, left = Path.replace, done

    def cut(self: Path, target: Path) -> Path:
        nonlocal left
        if not left:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        left -= 1
        return replace(self, target)

    with monkeypatch.context() as power, Journal(file, "2032", {}) as journal:
        power.setattr(Path, "replace", cut)
        if done < 6:
            with pytest.raises(JournalError, match="cannot be put away"):
                journal.intend("top", 1.0, {"of": "new"})
    with Journal(file, "2033", {}) as journal:
        journal.intend("top", 1.0, {"of": "newer"})
        assert [entry.intent["of"] for entry in journal.history()] == ["old", "newer"]


def test_an_archive_that_is_not_the_one_that_was_put_away_is_told(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "FULL", 100)
    for started in ("2031", "2032"):
        with Journal(file, started, {}) as journal:
            journal.intend("top", 1.0, {"of": started})
            journal.end()
    for name in ("table.journal.2032", "table.journal.2.2032", "table.journal.3.2032"):
        shorter = file.with_name(name).read_bytes().splitlines(keepends=True)[:-1]
        file.with_name(name).write_bytes(b"".join(shorter))
    with (
        Journal(file, NOON, {}) as journal,
        pytest.raises(JournalLocked, match="does not end where record 4 goes on"),
    ):
        journal.history()
