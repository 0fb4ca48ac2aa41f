"""Tests that the journal names a file or disk that cannot be used, and damages no file."""

from __future__ import annotations

import errno
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from controller.run.journal import Journal, JournalError, JournalInUseError, read_records
from controller.run.journal.copies import paths_of
from tests.controller.run.journal.on_disk import NOON, PACKET, contents, now


def filling_up(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the disk accept only `room` more bytes; a longer write is cut off."""
    left, write = room, os.write

    def short(file: int, data: Any) -> int:
        nonlocal left
        if not left:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = write(file, bytes(data)[:left])
        left -= written
        return written

    monkeypatch.setattr(os, "write", short)


def test_a_second_run_cannot_open_the_same_journal(journal: Journal, file: Path) -> None:
    with pytest.raises(JournalInUseError, match=r"Another run has the journal .* open; wait"):
        Journal(file, NOON, {})
    journal.intend("top", 1.0, {})


@pytest.mark.parametrize(
    ("place", "why"),
    [("no/such/table.journal", "there is no directory"), (".", "it is not a regular file")],
)
def test_a_path_that_cannot_be_used_is_refused_with_the_next_step(
    place: str, why: str, tmp_path: Path
) -> None:
    with pytest.raises(JournalError, match=rf"cannot be used \({why}.*with --journal[.]"):
        Journal(tmp_path / place, NOON, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["shopping: tiles, dice, felt\n" * 40, "felt", "\0" * 512])
def test_a_file_that_is_not_a_journal_is_not_changed(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(JournalError, match=r"is not a journal; name another file"):
        Journal(file, NOON, {})
    assert file.read_text() == text
    assert not file.with_name("table.journal.2").exists()


@pytest.mark.parametrize("kept", [("first", "last"), ("last", "last"), ("last", "middle")])
def test_a_power_cut_in_the_first_write_does_not_make_the_journal_unusable(
    kept: tuple[str, str], file: Path
) -> None:
    """Each copy has kept other sectors of the first record, which has more than three."""
    with Journal(file, NOON, {"house": "x" * 2000}):
        pass
    first = file.read_bytes()
    sectors = {"first": (0, 512), "middle": (512, 1024), "last": (1536, len(first))}
    files = paths_of(file)
    for path, name in zip(files, kept, strict=False):
        begin, end = sectors[name]
        path.write_bytes(bytes(begin) + first[begin:end])
    files[2].write_bytes(b"")
    with Journal(file, NOON, {}) as journal:
        journal.confirm(journal.intend("top", 1.0, {"step": "throw"}), 2.0, [3, 5])
    assert len(read_records(file)) == 3
    assert files[1].read_bytes() == files[2].read_bytes() == file.read_bytes()


def test_an_sqlite_file_is_not_changed(file: Path) -> None:
    file.write_bytes(b"SQLite format 3\0" + bytes(100))
    with pytest.raises(JournalError, match="is an SQLite file of an earlier version"):
        Journal(file, NOON, {})


def test_a_journal_of_a_later_version_is_refused_with_the_unknown_key(file: Path) -> None:
    text = b'{"number":1,"kind":"run","activity":"","at":0.0,"content":{},"by":"seat 2"}'
    chain = sha256(text).hexdigest().encode()
    file.write_bytes(text[:-1] + b',"chain":"' + chain + b'"}\n')
    for _ in range(2):
        with pytest.raises(JournalError, match=r"Record 1 .* other keys .* \(number, .*, by\)"):
            Journal(file, NOON, {})


def test_a_journal_behind_a_symbolic_link_is_repaired_at_the_target(
    file: Path, tmp_path: Path
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    file.symlink_to(disk / "real")
    with Journal(file, NOON, {}) as journal:
        journal.intend("top", 1.0, {})
    (disk / "real").write_bytes(b"")
    with Journal(file, NOON, {}) as journal:
        assert len(journal.repairs) == 1
    assert file.is_symlink()
    assert (disk / "real").read_bytes() == file.with_name("table.journal.2").read_bytes()


@pytest.mark.parametrize("room", [0, 1, 100, 200, 300, 400, 500, 537])
def test_a_full_disk_is_reported_and_damages_no_record(
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
    assert now(journal.check()) == ()
    journal.close()
    with Journal(file, NOON, {}) as again:
        assert again.repairs == ()
        assert [entry.confirmed for entry in again.history()] == [True, False]


def test_a_disk_that_stays_full_is_reported_once_and_the_outcome_is_written_later(
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


def test_a_partial_line_that_cannot_be_cut_off_does_not_damage_the_next_one(
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


def test_a_read_only_disk_is_reported(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "write", refused)
    with pytest.raises(JournalError, match=r"cannot be written \(Read-only file system\)"):
        journal.intend("top", 1.0, {})
