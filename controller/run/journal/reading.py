"""Reads a journal without locking, repairing or writing it, for programs beside the run."""

from __future__ import annotations

import os
from pathlib import Path

from controller.run.journal.copies import paths_of
from controller.run.journal.history import Entry, history_of
from controller.run.journal.lines import JournalRecord, number_of, record_of
from controller.run.journal.reconcile import read_copy
from controller.run.journal.stamp import own_lines

KEPT_PLACES = 16
"""Readers of a long journal whose places are kept at the same time."""


def read_records(path: Path, directory: Path | None = None) -> tuple[JournalRecord, ...]:
    """Every record of a journal, merged from its copies; none if there is no file.

    `directory` is the directory of the third copy. Raises JournalError and JournalLockedError.
    """
    copies = [read_copy(each) for each in paths_of(path, directory)]
    return tuple(record_of(line) for line in own_lines(copies))


def read_entries(path: Path, directory: Path | None = None) -> tuple[Entry, ...]:
    """Every step of a journal, in the order of intent. Arguments and errors as `read_records`."""
    return history_of(read_records(path, directory))


class PageReader:
    """Reads pages of lines of one copy while the run appends to it; for one thread at a time.

    The place of the end of each of the last pages is kept, so that the next page begins there.
    Lines are not verified: the run verified the copy when it opened it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ends: dict[tuple[int, int], int] = {}

    def page(self, after: int, limit: int, last: int) -> list[bytes]:
        """At most `limit` lines with numbers above `after`, up to the number `last`.

        A limit of -1 is none. Raises OSError.
        """
        found: list[bytes] = []
        if after >= last:
            return found
        with self._path.open("rb") as copy:
            file = os.fstat(copy.fileno()).st_ino
            place = self._ends.pop((file, after), 0)
            copy.seek(place)
            for line in copy:
                number = number_of(line)
                if number > last or len(found) == limit:
                    break
                place += len(line)
                if number > after:
                    found.append(line.rstrip(b"\n"))
            if found:
                self._ends[file, number_of(found[-1])] = place
        while len(self._ends) > KEPT_PLACES:
            del self._ends[next(iter(self._ends))]
        return found
