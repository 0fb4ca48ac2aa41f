"""A copy of the journal: its verified lines, and the state of each copy on disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controller.records.backup.manifest import BackupError
from controller.run.journal import JournalError, JournalLockedError
from controller.run.journal.copies import paths_of
from controller.run.journal.history import unfinished_of
from controller.run.journal.lines import GENESIS, chain_of, follows, record_of, start_of
from controller.run.journal.reconcile import Copy, defect_of, read_copy, text_of, verified_lines

TRIES = 10
"""Reads of the three copies, until two of them agree: a run can write between two reads."""


@dataclass(frozen=True)
class JournalSnapshot:
    """The lines of a journal as one file, and what is known of them."""

    data: bytes
    facts: dict[str, Any]


def journal_snapshot(journal: Path, directory: Path | None) -> JournalSnapshot | None:
    """The journal; None if there is none. `directory` has its third copy.

    Raises BackupError if the copies do not contain one verified sequence of records.
    """
    try:
        paths = paths_of(journal, directory)
        if not any(path.exists() for path in paths):
            return None
        lines, copies = _consistent(paths)
        records = [record_of(line) for line in lines]
        run = unfinished_of(records)
    except JournalLockedError as error:
        raise BackupError(
            f"{error} A backup of a locked journal would lose evidence: copy the folder instead."
        ) from error
    except JournalError as error:
        raise BackupError(str(error)) from error
    facts = {
        "records": len(records),
        "unfinished": None if run is None else run.started,
        "copies": [
            {"name": copy.path.name, "state": defect_of(copy, lines) or "intact"} for copy in copies
        ],
    }
    return JournalSnapshot(text_of(lines), facts)


def _consistent(paths: tuple[Path, ...]) -> tuple[tuple[bytes, ...], list[Copy]]:
    """Verified lines, and the copies cut to the same length as far as they agree.

    While a run appends, a copy that is read later has more lines. Each copy that verifies by itself
    is cut to the shortest one of them; what remains is judged as at the start of a run.
    """
    error: JournalError | None = None
    for _ in range(TRIES):
        copies = [read_copy(path) for path in paths]
        whole = [copy for copy in copies if _verifies(copy.lines)]
        if whole:
            count = min(len(copy.lines) for copy in whole)
            lines = whole[0].lines[:count]
            if all(copy.lines[:count] == lines for copy in whole):
                cut = [
                    Copy(copy.path, text_of(lines)) if copy in whole else copy for copy in copies
                ]
                if len(whole) == len(copies):
                    return lines, cut
        try:
            return verified_lines(copies), copies
        except JournalError as found:
            error = found
    assert error is not None
    raise error


def _verifies(lines: tuple[bytes, ...]) -> bool:
    """Whether the chain of all lines verifies."""
    if not lines or start_of(lines[0]) is None:
        return False
    chain = start_of(lines[0]) or GENESIS
    for line in lines:
        if not follows(line, chain):
            return False
        chain = chain_of(line)
    return True
