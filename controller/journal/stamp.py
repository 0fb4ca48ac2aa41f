"""Which journal a file belongs to: an id that every run record of the journal carries.

Two tables that name the same directory for their third copies, and give their journals the same
name, share one file there. The stamp keeps a journal from adopting another one's records.
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

from controller.journal.lines import JournalError, JournalLockedError, start_of
from controller.journal.reconcile import WHAT_TO_DO, Copy

KEY = "journal"
"""Where a run record's content has the stamp."""
_RUN = b'"kind":"run"'
_DIGITS = 16


@dataclass(frozen=True)
class Stamp:
    """A journal's id, and a digest of the host and the path where it is kept."""

    id: str
    place: str

    @classmethod
    def new(cls, path: Path) -> Stamp:
        """The stamp of a journal that begins at this path. The id is random."""
        return cls(secrets.token_hex(_DIGITS // 2), place_of(path))

    def facts(self) -> dict[str, str]:
        """The stamp as a JSON value."""
        return asdict(self)


def place_of(path: Path) -> str:
    """A digest of this host's name and the path: of one length, so that no record's is another."""
    return sha256(f"{os.uname().nodename}:{path.resolve()}".encode()).hexdigest()[:_DIGITS]


def stamp_of(lines: Sequence[bytes]) -> Stamp | None:
    """The stamp of the last run record that has one; None in a journal of version 0.1."""
    for line in reversed(lines):
        if _RUN in line and (stamp := _stamp_in(line)) is not None:
            return stamp
    return None


def require_own(copies: Sequence[Copy]) -> None:
    """Check that the last of these copies, which may be in a shared directory, is this journal's.

    Raises JournalLocked if the others have another id, JournalError if the others hold nothing and
    the last one was written for a journal at another place.
    """
    *beside, third = copies
    stamp = stamp_of(third.lines)
    if stamp is None:
        return
    others = [other for copy in beside if (other := stamp_of(copy.lines)) is not None]
    if others and all(other.id != stamp.id for other in others):
        raise JournalLockedError(
            f"The copy {third.path} belongs to another journal than {copies[0].path}: two tables"
            f" share one file for their third copy. Give each its own --journal-copy. {WHAT_TO_DO}"
        )
    alone = third.path.parent != copies[0].path.parent and not any(copy.data for copy in beside)
    if alone and start_of(third.lines[0]) is not None and stamp.place != place_of(copies[0].path):
        raise JournalError(
            f"The copy {third.path} belongs to a journal that was kept elsewhere, and there is no"
            f" journal {copies[0].path}; name another directory with --journal-copy, or, to go on"
            " with that journal here, put a copy of that file in its place first."
        )


def _stamp_in(line: bytes) -> Stamp | None:
    try:
        parsed: Any = json.loads(line)
        stamp = parsed["content"][KEY]
        return Stamp(str(stamp["id"]), str(stamp["place"])) if parsed["kind"] == "run" else None
    except (ValueError, KeyError, TypeError):
        return None  # a damaged line, which another copy may have whole
