"""A journal as other programs read it: no lock is taken, and nothing is healed or written."""

from __future__ import annotations

from pathlib import Path

from controller.journal.copies import paths_of
from controller.journal.history import Entry, history_of
from controller.journal.lines import JournalRecord, record_of
from controller.journal.reconcile import read_copy, truth_of
from controller.journal.stamp import require_own


def read_records(path: Path, directory: Path | None = None) -> tuple[JournalRecord, ...]:
    """Every record of a journal, put together from its copies; none where there is no file.

    `directory` is that of the third copy. Raises JournalError, JournalLocked.
    """
    copies = [read_copy(each) for each in paths_of(path, directory)]
    require_own(copies)
    return tuple(record_of(line) for line in truth_of(copies))


def read_entries(path: Path, directory: Path | None = None) -> tuple[Entry, ...]:
    """Every step of a journal, in the order of intent. As `read_records`."""
    return history_of(read_records(path, directory))
