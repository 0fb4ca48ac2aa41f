"""Chooses the journal lines whose hash chain verifies, from the lines of all copies.

The lines are merged one by one: each line can come from any copy that has it undamaged.
`defect_of` describes the defect of a copy that lacks a line or has it damaged. If no copy has an
undamaged line that was on disk, or if two copies have different verified lines for one record, the
journal is locked and a person has to decide.

A `Stamp` is an id in every run record that shows which journal a file belongs to. If two tables use
the same directory for their third copies and the same journal name, both write to one file. The
stamp prevents a journal from taking the records of another journal as its own.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from controller.run.journal.lines import (
    JOURNAL_FORMAT,
    JournalError,
    JournalLockedError,
    batch_of,
    chain_of,
    follows,
    has_lost_sectors,
    is_torn,
    looks_begun,
    looks_written,
    number_of,
    start_of,
)

NEXT_STEP = (
    "Nothing was changed. Keep the copies for the person who decides; restore an intact copy, or"
    " begin a new journal in another file with --journal."
)


@dataclass(frozen=True)
class Copy:
    """The contents of one copy as read from disk; `data` is None if there is no file."""

    path: Path
    data: bytes | None

    @cached_property
    def lines(self) -> tuple[bytes, ...]:
        """The lines that end with a newline, without it."""
        return tuple((self.data or b"").split(b"\n")[:-1])

    @property
    def tail(self) -> bytes:
        """The bytes after the last newline: empty, or a record that was not written completely."""
        return (self.data or b"").rpartition(b"\n")[2]

    def has_lines_after(self, verified: Sequence[bytes]) -> bool:
        """Whether the copy has more lines than were verified, with higher record numbers."""
        return len(self.lines) > len(verified) and bool(self.lines_after(verified))

    def lines_after(self, verified: Sequence[bytes]) -> list[bytes]:
        """The copy's lines whose record number is higher than that of the last verified line."""
        last = number_of(verified[-1]) if verified else 0
        return [line for line in self.lines if number_of(line) > last]

    def is_cut_short(self, verified: Sequence[bytes]) -> bool:
        """Whether a power cut during a write explains all bytes after the verified lines."""
        before = text_of(verified)
        data = self.data or b""
        return data.startswith(before) and has_lost_sectors(data[len(before) :], len(before))

    def ends_with(self, verified: Sequence[bytes]) -> bool:
        """Whether the last line is the last verified one, followed at most by a torn line."""
        return self.lines[-1:] == tuple(verified[-1:]) and is_torn(self.tail)


def text_of(lines: Sequence[bytes]) -> bytes:
    """The contents of a file with these lines."""
    return b"".join(line + b"\n" for line in lines)


def read_copy(path: Path) -> Copy:
    """Read a copy from disk. Raises JournalError if the file exists and cannot be read."""
    try:
        return Copy(path, path.read_bytes())
    except FileNotFoundError:
        return Copy(path, None)
    except OSError as error:
        raise JournalError(
            f"The journal {path} cannot be used ({error.strerror}); name a writable file with"
            " --journal."
        ) from error


def verified_lines(copies: Sequence[Copy]) -> tuple[bytes, ...]:
    """The verified lines, merged from all copies; none if the journal has no record yet.

    Raises JournalLockedError if the lines cannot be merged, and JournalError if the files are not
    a journal.
    """
    _require_journal(copies)
    starts = {
        copy.lines[0]: after
        for copy in copies
        if copy.lines and (after := start_of(copy.lines[0])) is not None
    }
    verified = _walk(copies, starts)
    for other in starts.keys() - set(verified):
        raise _contradiction(copies, number_of(other))
    lost = number_of(verified[-1]) + 1 if verified else 1
    existing = [copy for copy in copies if copy.data is not None]
    # All copies are written at the same time, and a batch is written only after the previous batch
    # is on disk in every copy. So a power cut can damage only the last batch, in any of the copies.
    damaged = [
        copy
        for copy in existing
        if copy.has_lines_after(verified) and not copy.is_cut_short(verified)
    ]
    whole = any(copy.ends_with(verified) or copy.is_cut_short(verified) for copy in existing)
    later = any(batch_of(line) > lost for copy in existing for line in copy.lines_after(verified))
    if later or len(damaged) > 1 or (existing and not whole):
        raise JournalLockedError(
            f"Record {lost} of the journal is damaged in every copy that has it"
            f" ({_names(copies)}), so later records cannot be trusted. {NEXT_STEP}"
        )
    return verified


def defect_of(copy: Copy, verified: Sequence[bytes]) -> str | None:
    """The defect of a copy, as the predicate of a sentence about it; None if it has no defect.

    The remains of a write that a power cut interrupted are not a defect: its records were never
    completed.
    """
    if copy.data is None:
        return "was missing" if verified else None
    if copy.lines == tuple(verified) or copy.is_cut_short(verified):
        return None
    pairs = zip(copy.lines, verified, strict=False)
    same = next((n for n, (line, right) in enumerate(pairs) if line != right), None)
    if same is None:
        same = min(len(copy.lines), len(verified))
        ended = len(copy.lines) < len(verified) and is_torn(copy.tail)
    else:
        # This copy has a part of the last write, and another copy has all of it.
        ended = _in_last_batch(same, verified) and copy.is_cut_short(verified[:same])
    if ended:
        return f"ended at record {number_of(verified[same]) - 1} of {number_of(verified[-1])}"
    return f"was damaged at record {number_of(verified[min(same, len(verified) - 1)])}"


def _in_last_batch(place: int, verified: Sequence[bytes]) -> bool:
    return 0 < batch_of(verified[-1]) <= number_of(verified[place])


def _walk(copies: Sequence[Copy], starts: dict[bytes, str]) -> tuple[bytes, ...]:
    """The lines that verify one after another from the earliest start, each from any copy."""
    if not starts:
        return ()
    candidates: dict[int, set[bytes]] = {}
    for lines in {copy.lines for copy in copies}:
        for line in lines:
            candidates.setdefault(number_of(line), set()).add(line)
    first = min(starts, key=number_of)
    number, chain = number_of(first), starts[first]
    verified: list[bytes] = []
    while fitting := [line for line in candidates.get(number, ()) if follows(line, chain)]:
        if len(fitting) > 1:
            raise _contradiction(copies, number)
        verified += fitting
        number, chain = number + 1, chain_of(fitting[0])
    return tuple(verified)


def _is_first_write_cut(copies: Sequence[Copy]) -> bool:
    """Whether a power cut in the first write of a new journal explains all of its files.

    A new journal creates every copy before it writes. The disk can lose the first sector of a copy
    and keep later ones.
    """
    return all(
        copy.data is not None and (looks_begun(copy.data) or copy.is_cut_short(()))
        for copy in copies
    )


def _require_journal(copies: Sequence[Copy]) -> None:
    """Raise JournalError for files that were never a journal, so that they are not changed."""
    for copy in copies:
        if (copy.data or b"").startswith(b"SQLite format 3"):
            raise JournalError(
                f"The journal {copy.path} is an SQLite file of an earlier version, which this one"
                " does not read; keep it, and name another file with --journal."
            )
    found = [copy for copy in copies if copy.data]
    if found and not any(looks_written(copy.data or b"") for copy in found):
        other = [copy for copy in found if copy.lines or not looks_begun(copy.data or b"")]
        if other and not _is_first_write_cut(copies):
            raise JournalError(
                f"The file {other[0].path} is not a journal; name another file with --journal."
            )


def _contradiction(copies: Sequence[Copy], number: int) -> JournalLockedError:
    return JournalLockedError(
        f"The journal's copies ({_names(copies)}) contradict each other from record {number} on:"
        f" the copies verify and differ. {NEXT_STEP}"
    )


def _names(copies: Sequence[Copy]) -> str:
    return ", ".join(str(copy.path) for copy in copies if copy.data is not None)


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
