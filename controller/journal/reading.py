"""Reads a journal without locking, repairing or writing it, for programs beside the run."""

from __future__ import annotations

from pathlib import Path

from controller.journal.copies import paths_of
from controller.journal.history import Entry, history_of
from controller.journal.lines import JournalRecord, record_of
from controller.journal.reconcile import read_copy, verified_lines
from controller.journal.stamp import require_own


def read_records(path: Path, directory: Path | None = None) -> tuple[JournalRecord, ...]:
    """Every record of a journal, merged from its copies; none if there is no file.

    `directory` is the directory of the third copy. Raises JournalError and JournalLockedError.
    """
    copies = [read_copy(each) for each in paths_of(path, directory)]
    require_own(copies)
    return tuple(record_of(line) for line in verified_lines(copies))


def read_entries(path: Path, directory: Path | None = None) -> tuple[Entry, ...]:
    """Every step of a journal, in the order of intent. Arguments and errors as `read_records`."""
    return history_of(read_records(path, directory))
