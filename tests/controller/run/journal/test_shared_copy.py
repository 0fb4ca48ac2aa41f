"""Tests that two tables with one directory for third copies do not mix their journals."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from controller.run.journal import (
    Journal,
    JournalError,
    JournalInUseError,
    JournalLockedError,
    read_entries,
)
from controller.run.journal.copies import paths_of
from tests.controller.run.journal.on_disk import NOON


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Return the journal paths of two tables, and the directory that both use for third copies."""
    for name in ("east", "west", "shared"):
        (tmp_path / name).mkdir()
    return tmp_path / "east" / "journal", tmp_path / "west" / "journal", tmp_path / "shared"


def round_of(file: Path, shared: Path, what: str) -> None:
    with Journal(file, NOON, {}, shared) as journal:
        journal.confirm(journal.intend("top", 1.0, {"what": what}), 2.0, None)
        journal.end()


def everything(*folders: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for folder in folders for file in folder.iterdir()}


def test_a_table_without_a_journal_refuses_the_third_copy_of_another_table(
    tables: tuple[Path, Path, Path],
) -> None:
    east, west, shared = tables
    round_of(east, shared, "east")
    before = everything(east.parent, shared)
    for _ in range(2):
        with pytest.raises(JournalError, match="belongs to a journal that was at another path"):
            Journal(west, NOON, {}, shared)
    assert everything(east.parent, shared) == before
    assert list(west.parent.iterdir()) == []
    with pytest.raises(JournalError, match="at another path"):
        read_entries(west, shared)
    round_of(east, shared, "east again")


def test_a_table_with_an_empty_journal_refuses_the_third_copy_of_another_table(
    tables: tuple[Path, Path, Path],
) -> None:
    east, west, shared = tables
    Journal(west, NOON, {}, shared).close()
    round_of(east, shared, "east")
    with pytest.raises(JournalError, match="at another path"):
        Journal(west, NOON, {}, shared)


def test_two_tables_with_journals_are_refused_one_shared_third_copy(
    tables: tuple[Path, Path, Path],
) -> None:
    east, west, shared = tables
    round_of(west, west.parent, "west")
    round_of(east, shared, "east")
    before = everything(east.parent, west.parent, shared)
    with pytest.raises(JournalLockedError, match="two tables share one file for their third copy"):
        Journal(west, NOON, {}, shared)
    assert everything(east.parent, west.parent, shared) == before


def test_two_tables_cannot_open_the_shared_copy_at_the_same_time(
    tables: tuple[Path, Path, Path],
) -> None:
    east, west, shared = tables
    with Journal(east, NOON, {}, shared):
        with pytest.raises(JournalInUseError, match=rf"{shared}/journal.3 open; wait"):
            Journal(west, NOON, {}, shared)
        assert not west.with_name("journal.lock").exists(), "the first lock was released"


@pytest.mark.parametrize("which", range(3))
def test_each_copy_is_locked_and_its_lock_file_is_removed_after_the_run(
    which: int, file: Path, tmp_path: Path
) -> None:
    """One copy of another journal is a symbolic link to a copy of this one."""
    other = tmp_path / "other"
    other.mkdir()
    with Journal(file, NOON, {}) as journal:
        journal.intend("top", 1.0, {})
        paths_of(other / "journal")[which].symlink_to(paths_of(file)[which])
        with pytest.raises(JournalInUseError):
            Journal(other / "journal", NOON, {})
    assert sorted(each.name for each in tmp_path.iterdir() if each.suffix == ".lock") == []


def test_the_third_copy_alone_restores_the_journal_at_its_old_path(
    tables: tuple[Path, Path, Path],
) -> None:
    east, _, shared = tables
    round_of(east, shared, "east")
    shutil.rmtree(east.parent)
    east.parent.mkdir()
    with Journal(east, NOON, {}, shared) as journal:
        assert len(journal.repairs) == 2
        assert [entry.intent for entry in journal.history()] == [{"what": "east"}]


def test_a_third_copy_copied_to_another_path_continues_the_journal_there(
    tables: tuple[Path, Path, Path],
) -> None:
    east, west, shared = tables
    round_of(east, shared, "east")
    shutil.copy(shared / "journal.3", west)
    round_of(west, shared, "moved")
    west.unlink()
    west.with_name("journal.2").unlink()
    with Journal(west, NOON, {}, shared) as journal:
        assert [entry.intent["what"] for entry in journal.history()] == ["east", "moved"]


def test_a_host_with_another_name_refuses_the_third_copy(
    tables: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    east, _, shared = tables
    round_of(east, shared, "east")
    shutil.rmtree(east.parent)
    east.parent.mkdir()
    named = os.uname()
    other = os.uname_result((named[0], "another host", *named[2:5]))
    monkeypatch.setattr(os, "uname", lambda: other)
    with pytest.raises(JournalError, match="at another path"):
        Journal(east, NOON, {}, shared)


# Renames


def test_a_rewritten_copy_is_synced_with_its_directory(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a sync of the directory a power cut can undo the rename and all later records."""
    done: list[tuple[str, str]] = []
    sync, replace = os.fsync, os.replace

    def synced(opened: int) -> None:
        done.append(("sync", str(Path(f"/proc/self/fd/{opened}").readlink())))
        sync(opened)

    def replaced(fresh: str, target: Path) -> None:
        done.append(("rename", str(target)))
        replace(fresh, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    with Journal(file, NOON, {}) as journal:
        journal.intend("top", 1.0, {})
    here = str(file.parent)
    assert done == [
        each for path in paths_of(file) for each in (("rename", str(path)), ("sync", here))
    ]
    done.clear()
    file.write_bytes(b"")
    Journal(file, NOON, {}).close()
    assert done == [("rename", str(file)), ("sync", here)]
