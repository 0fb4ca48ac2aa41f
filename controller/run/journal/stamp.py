"""Stamp of a journal: an id in every run record that shows which journal a file belongs to.

If two tables use the same directory for their third copies and the same journal name, both write
to one file. The stamp prevents a journal from taking the records of another journal as its own.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from controller.run.journal.lines import (
    JOURNAL_FORMAT,
    JournalError,
    JournalLockedError,
    start_of,
)
from controller.run.journal.reconcile import NEXT_STEP, Copy, verified_lines

KEY = "journal"
"""The key of the stamp in the content of a run record."""
_RUN = b'"kind":"run"'
_DIGITS = 16


@dataclass(frozen=True)
class Stamp:
    """A journal's id, and a digest of the host and the path where it is kept."""

    id: str
    place: str

    @classmethod
    def new(cls, path: Path) -> Stamp:
        """Create the stamp of a new journal at this path, with a random id."""
        return cls(secrets.token_hex(_DIGITS // 2), place_of(path))

    def facts(self) -> dict[str, str | int]:
        """The stamp as a JSON value, with the version of the journal's format."""
        return {**asdict(self), "format": JOURNAL_FORMAT}


def place_of(path: Path) -> str:
    """A digest of the host name and the path; it has the same length for every path."""
    return sha256(f"{os.uname().nodename}:{path.resolve()}".encode()).hexdigest()[:_DIGITS]


def stamp_of(lines: Sequence[bytes]) -> Stamp | None:
    """The stamp of the last run record that has one; None in a journal of version 0.1."""
    for line in reversed(lines):
        if _RUN in line and (stamp := _stamp_in(line)) is not None:
            return stamp
    return None


def own_lines(copies: Sequence[Copy]) -> tuple[bytes, ...]:
    """The verified lines of a journal, after the check that every copy belongs to it.

    Raises JournalLockedError and JournalError, also if a run was recorded in a newer format.
    """
    require_own(copies)
    verified = verified_lines(copies)
    _require_readable(copies[0].path, verified)
    return verified


def require_own(copies: Sequence[Copy]) -> None:
    """Check that the third copy, which can be in a shared directory, belongs to this journal.

    Raises JournalLockedError if the other copies have another id, and JournalError if the other
    copies are empty or missing and the third one was written for a journal at another place.
    """
    *beside, third = copies
    stamp = stamp_of(third.lines)
    if stamp is None:
        return
    others = [other for copy in beside if (other := stamp_of(copy.lines)) is not None]
    if others and all(other.id != stamp.id for other in others):
        raise JournalLockedError(
            f"The copy {third.path} belongs to another journal than {copies[0].path}: two tables"
            f" share one file for their third copy. Give each its own --journal-copy. {NEXT_STEP}"
        )
    alone = third.path.parent != copies[0].path.parent and not any(copy.data for copy in beside)
    if alone and start_of(third.lines[0]) is not None and stamp.place != place_of(copies[0].path):
        raise JournalError(
            f"The copy {third.path} belongs to a journal that was at another path, and there is no"
            f" journal {copies[0].path}; name another directory with --journal-copy, or copy"
            f" {third.path} to {copies[0].path} to continue that journal here."
        )


def _require_readable(path: Path, verified: Sequence[bytes]) -> None:
    """Raise JournalError if a run of a newer version has written to the journal."""
    for line in verified:
        if _RUN not in line:
            continue
        try:
            found = json.loads(line)["content"][KEY].get("format", JOURNAL_FORMAT)
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
        if type(found) is int and found > JOURNAL_FORMAT:
            raise JournalError(
                f"The journal {path} has the format {found}, and this program reads"
                f" {JOURNAL_FORMAT}; start the program that wrote it. Nothing was changed."
            )


def _stamp_in(line: bytes) -> Stamp | None:
    try:
        parsed: Any = json.loads(line)
        stamp = parsed["content"][KEY]
        return Stamp(str(stamp["id"]), str(stamp["place"])) if parsed["kind"] == "run" else None
    except (ValueError, KeyError, TypeError):
        return None  # the line is damaged; another copy can have it undamaged
