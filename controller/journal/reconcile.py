"""Chooses the lines of the journal whose hash chain verifies, among those of all copies.

The records are put together line by line: each may come from any copy that still has it whole.
For each copy that lacks one, or has it damaged, `defect_of` says so. Where no copy has a record
that was on disk, or two copies have different ones, the journal is locked: a person decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from controller.journal.lines import (
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

WHAT_TO_DO = (
    "Nothing was changed. Keep the copies for the person who decides; put a good copy back, or"
    " begin a new journal in another file with --journal."
)


@dataclass(frozen=True)
class Copy:
    """A copy as it was found; `data` is None where there is no file."""

    path: Path
    data: bytes | None

    @cached_property
    def lines(self) -> tuple[bytes, ...]:
        """The lines that have their newline."""
        return tuple((self.data or b"").split(b"\n")[:-1])

    @property
    def tail(self) -> bytes:
        """What comes after the last newline: nothing, or a record that was being written."""
        return (self.data or b"").rpartition(b"\n")[2]

    def goes_beyond(self, truth: Sequence[bytes]) -> bool:
        """Whether it speaks of a record after the truth's last, and has a line more for it."""
        return len(self.lines) > len(truth) and bool(self.beyond(truth))

    def beyond(self, truth: Sequence[bytes]) -> list[bytes]:
        """Its whole lines that claim to be records after the truth's last."""
        last = number_of(truth[-1]) if truth else 0
        return [line for line in self.lines if number_of(line) > last]

    def is_cut_short(self, truth: Sequence[bytes]) -> bool:
        """Whether all that follows the truth is what a power cut left of a write."""
        before = text_of(truth)
        data = self.data or b""
        return data.startswith(before) and has_lost_sectors(data[len(before) :], len(before))

    def ends_with(self, truth: Sequence[bytes]) -> bool:
        """Whether its last whole line is the truth's, and nothing but a torn one follows."""
        return self.lines[-1:] == tuple(truth[-1:]) and is_torn(self.tail)


def text_of(lines: Sequence[bytes]) -> bytes:
    """A file with these lines."""
    return b"".join(line + b"\n" for line in lines)


def read_copy(path: Path) -> Copy:
    """A copy as it lies on disk. Raises JournalError for one that cannot be read."""
    try:
        return Copy(path, path.read_bytes())
    except FileNotFoundError:
        return Copy(path, None)
    except OSError as error:
        raise JournalError(
            f"The journal {path} cannot be used ({error.strerror}); name a writable file with"
            " --journal."
        ) from error


def truth_of(copies: Sequence[Copy]) -> tuple[bytes, ...]:
    """The lines put together from all copies; none of a journal that is yet to begin.

    Raises JournalLocked if they cannot be put together, JournalError if they are no journal.
    """
    _require_journal(copies)
    starts = {
        copy.lines[0]: after
        for copy in copies
        if copy.lines and (after := start_of(copy.lines[0])) is not None
    }
    truth = _walk(copies, starts)
    for strange in starts.keys() - set(truth):
        raise _contradiction(copies, number_of(strange))
    lost = number_of(truth[-1]) + 1 if truth else 1
    there = [copy for copy in copies if copy.data is not None]
    # All copies are written at the same time, and a batch only after the one before it is on disk
    # everywhere. So a power cut can have spoilt the last batch in every copy, and nothing else.
    spoilt = [copy for copy in there if copy.goes_beyond(truth) and not copy.is_cut_short(truth)]
    whole = any(copy.ends_with(truth) or copy.is_cut_short(truth) for copy in there)
    later = any(batch_of(line) > lost for copy in there for line in copy.beyond(truth))
    if later or len(spoilt) > 1 or (there and not whole):
        raise JournalLockedError(
            f"Record {lost} of the journal is damaged in every copy that has it"
            f" ({_names(copies)}), so what came after it cannot be trusted. {WHAT_TO_DO}"
        )
    return truth


def defect_of(copy: Copy, truth: Sequence[bytes]) -> str | None:
    """What is wrong with a copy, as the end of a sentence about it; None if nothing is.

    What a power cut left of the last write is nothing: its records were never completed.
    """
    if copy.data is None:
        return "was missing" if truth else None
    if copy.lines == tuple(truth) or copy.is_cut_short(truth):
        return None
    pairs = zip(copy.lines, truth, strict=False)
    same = next((n for n, (line, right) in enumerate(pairs) if line != right), None)
    if same is None:
        same = min(len(copy.lines), len(truth))
        ended = len(copy.lines) < len(truth) and is_torn(copy.tail)
    else:
        # Of the last write it has kept a part, and another copy all of it.
        ended = _in_last_batch(same, truth) and copy.is_cut_short(truth[:same])
    if ended:
        return f"ended at record {number_of(truth[same]) - 1} of {number_of(truth[-1])}"
    return f"was damaged at record {number_of(truth[min(same, len(truth) - 1)])}"


def _in_last_batch(place: int, truth: Sequence[bytes]) -> bool:
    return 0 < batch_of(truth[-1]) <= number_of(truth[place])


def _walk(copies: Sequence[Copy], starts: dict[bytes, str]) -> tuple[bytes, ...]:
    """From the earliest start on, the line that verifies next, in whichever copy it is whole."""
    if not starts:
        return ()
    shelf: dict[int, set[bytes]] = {}
    for lines in {copy.lines for copy in copies}:
        for line in lines:
            shelf.setdefault(number_of(line), set()).add(line)
    first = min(starts, key=number_of)
    number, chain = number_of(first), starts[first]
    truth: list[bytes] = []
    while fitting := [line for line in shelf.get(number, ()) if follows(line, chain)]:
        if len(fitting) > 1:
            raise _contradiction(copies, number)
        truth += fitting
        number, chain = number + 1, chain_of(fitting[0])
    return tuple(truth)


def _require_journal(copies: Sequence[Copy]) -> None:
    """Raises JournalError for files that were never a journal: nothing of theirs is touched."""
    for copy in copies:
        if (copy.data or b"").startswith(b"SQLite format 3"):
            raise JournalError(
                f"The journal {copy.path} is an SQLite file of an earlier version, which this one"
                " does not read; keep it, and name another file with --journal."
            )
    found = [copy for copy in copies if copy.data]
    if found and not any(looks_written(copy.data or b"") for copy in found):
        strange = [copy for copy in found if copy.lines or not looks_begun(copy.data or b"")]
        if strange:
            raise JournalError(
                f"The file {strange[0].path} is no journal; name another file with --journal."
            )


def _contradiction(copies: Sequence[Copy], number: int) -> JournalLockedError:
    return JournalLockedError(
        f"The journal's copies ({_names(copies)}) contradict each other from record {number} on:"
        f" each verifies, and they differ. {WHAT_TO_DO}"
    )


def _names(copies: Sequence[Copy]) -> str:
    return ", ".join(str(copy.path) for copy in copies if copy.data is not None)
