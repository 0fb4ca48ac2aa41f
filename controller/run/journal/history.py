"""The history in a journal: its records as steps with notes and outcomes, and the steps as runs.

`read_records`, `read_entries` and `PageReader` read a journal without locking, repairing or writing
it, for programs beside the run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from controller.run.journal.copies import paths_of
from controller.run.journal.lines import JournalError, JournalRecord, number_of, record_of
from controller.run.journal.notes import Note, UnknownNoteError, decode
from controller.run.journal.reconcile import own_lines, read_copy


@dataclass(frozen=True)
class Entry:
    """One step: its activity, intent and notes, and its outcome if it was confirmed.

    `at` is the time of the intent, in seconds since the run began.
    """

    number: int
    activity: str
    at: float
    intent: dict[str, object]
    notes: tuple[Note, ...] = ()
    outcome: object = None
    confirmed: bool = False


@dataclass(frozen=True)
class Unfinished:
    """A run without an end record: its facts, and its steps in every run that resumed it.

    `number` is the number of the last of these runs' records; the next run that resumes it refers
    to that number.
    """

    number: int
    started: str
    facts: dict[str, object]
    entries: tuple[Entry, ...]


def history_of(records: Iterable[JournalRecord]) -> tuple[Entry, ...]:
    """Every step of these records, in the order of intent.

    Raises JournalError for a note that this version cannot decode.
    """
    steps: dict[int, Entry] = {}
    for record in records:
        if record.kind == "intent":
            intent: Any = record.content
            steps[record.number] = Entry(record.number, record.activity, record.at, intent)
        elif record.of in steps:
            entry = steps[record.of]
            if record.kind == "note":
                steps[record.of] = replace(entry, notes=(*entry.notes, _note_of(record)))
            elif record.kind == "outcome":
                steps[record.of] = replace(entry, outcome=record.content, confirmed=True)
    return tuple(steps.values())


def _note_of(record: JournalRecord) -> Note:
    try:
        return decode(record.content)
    except UnknownNoteError as unknown:
        raise JournalError(
            f"Record {record.number} of the journal has a note that this version cannot decode"
            f" ({json.dumps(record.content)}: {unknown}); run the version that wrote it, or name"
            " another file with --journal."
        ) from unknown


@dataclass
class _Run:
    """The run record of one run, and all records that the run wrote."""

    begin: JournalRecord
    records: list[JournalRecord] = field(default_factory=list)


def unfinished_of(records: Iterable[JournalRecord]) -> Unfinished | None:
    """The last run, with the runs that it resumed, if it wrote no end record; else None."""
    runs: dict[int, _Run] = {}
    last: _Run | None = None
    for record in records:
        if record.kind == "run":
            last = runs[record.number] = _Run(record)
        if last is not None:
            last.records.append(record)
    if last is None or last.records[-1].kind == "end":
        return None
    chained = [last]
    while (earlier := _content(chained[0]).get("resumes")) in runs:
        chained.insert(0, runs[earlier])
    first = _content(chained[0])
    all_of_them = [record for run in chained for record in run.records]
    return Unfinished(last.begin.number, first["started"], first["facts"], history_of(all_of_them))


def _content(run: _Run) -> dict[str, Any]:
    content: Any = run.begin.content
    return dict(content)


def serials_of(records: Sequence[JournalRecord]) -> dict[str, str]:
    """The serial numbers of the boards in the last run, by board; empty if it has none."""
    runs: list[Any] = [record.content for record in records if record.kind == "run"]
    return dict(runs[-1].get("serials", {})) if runs else {}


def cycles_of(records: Iterable[JournalRecord]) -> int:
    """The highest number of a cycle of random choices; 0 if the records have none.

    A file that continues an archived one has the number in its run record.
    """
    numbers = [0]
    for record in records:
        content: Any = record.content
        if record.kind == "run":
            numbers.append(content.get("cycles", 0))
        elif record.kind == "intent" and record.activity == "chance":
            numbers.append(content["cycle"])
    return max(numbers)


def built_sets_of(records: Iterable[JournalRecord]) -> tuple[dict[str, Any], ...]:
    """The outcome of each set that was built, oldest first: its counts and condition samples."""
    builds: set[int] = set()
    found: list[dict[str, Any]] = []
    for record in records:
        content: Any = record.content
        if record.kind == "intent" and record.activity == "under" and content.get("do") == "build":
            builds.add(record.number)
        elif record.kind == "outcome" and record.of in builds and isinstance(content, dict):
            found.append(content)
    return tuple(found)


def storage_used_of(records: Iterable[JournalRecord]) -> dict[str, int]:
    """The last reported share of each board's storage, permille, by board."""
    used: dict[str, int] = {}
    for record in records:
        if record.kind == "storage" and isinstance(record.content, dict):
            used |= record.content
    return used


def ended_of(records: Sequence[JournalRecord]) -> dict[str, object] | None:
    """The facts of the last run if it wrote its end record; else None."""
    if not records or records[-1].kind != "end":
        return None
    last: Any = next(record.content for record in reversed(records) if record.kind == "run")
    return dict(last["facts"])


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
