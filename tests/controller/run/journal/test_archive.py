"""Tests that a journal that has reached its size limit is archived after a completed run."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from controller.run.journal import Journal, JournalError, JournalLockedError
from controller.run.journal import journal as journal_module
from tests.controller.run.journal.on_disk import NOON, now


def test_a_full_journal_is_archived_after_a_completed_run_and_continued_in_a_new_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "ARCHIVE_SIZE", 400)
    for number in range(4):
        with Journal(file, f"203{number}-01-01T12:00:00+00:00", {}) as journal:
            journal.confirm(journal.intend("top", 1.0, {"of": number, "long": "x" * 400}), 2.0, 1)
            assert [entry.intent["of"] for entry in journal.entries()] == [number]
            assert now(journal.check()) == ()
            journal.end()
    archives = sorted(each.name for each in file.parent.iterdir() if "20" in each.name)
    assert archives == sorted(
        f"table.journal{copy}.203{year}0101T120000"
        for copy in ("", ".2", ".3")
        for year in (1, 2, 3)
    )
    with Journal(file, NOON, {}) as journal:
        assert [entry.intent["of"] for entry in journal.history()] == [2, 3]
        assert [entry.number for entry in journal.history()] == [10, 14]
        assert journal.repairs == ()


def test_a_full_journal_is_not_archived_while_its_last_run_is_unfinished(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "ARCHIVE_SIZE", 100)
    for _ in range(2):
        with Journal(file, NOON, {}) as journal:
            journal.intend("top", 1.0, {})
    assert len(list(file.parent.iterdir())) == 3  # the copies; their lock files are removed


@pytest.mark.parametrize("done", range(7))
def test_a_power_cut_while_a_journal_is_archived_loses_no_record(
    file: Path, monkeypatch: pytest.MonkeyPatch, done: int
) -> None:
    monkeypatch.setattr(journal_module, "ARCHIVE_SIZE", 100)
    with Journal(file, "2031", {}) as journal:
        journal.confirm(journal.intend("top", 1.0, {"of": "old"}), 2.0, None)
        journal.end()
    replace, left = os.replace, done

    def cut(fresh: str, target: Path) -> None:
        nonlocal left
        if not left:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        left -= 1
        replace(fresh, target)

    with monkeypatch.context() as power, Journal(file, "2032", {}) as journal:
        power.setattr(os, "replace", cut)
        if done < 6:
            with pytest.raises(JournalError, match="cannot be archived"):
                journal.intend("top", 1.0, {"of": "new"})
    with Journal(file, "2033", {}) as journal:
        journal.intend("top", 1.0, {"of": "newer"})
        assert [entry.intent["of"] for entry in journal.history()] == ["old", "newer"]


def test_an_archive_with_missing_records_is_an_error(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "ARCHIVE_SIZE", 100)
    for started in ("2031", "2032"):
        with Journal(file, started, {}) as journal:
            journal.intend("top", 1.0, {"of": started})
            journal.end()
    for name in ("table.journal.2032", "table.journal.2.2032", "table.journal.3.2032"):
        shorter = file.with_name(name).read_bytes().splitlines(keepends=True)[:-1]
        file.with_name(name).write_bytes(b"".join(shorter))
    with (
        Journal(file, NOON, {}) as journal,
        pytest.raises(JournalLockedError, match="does not end with the record before record 4"),
    ):
        journal.history()
