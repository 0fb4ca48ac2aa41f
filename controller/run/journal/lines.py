"""One line of the journal: a record as JSON, with a hash chain over all records up to it.

A line is the record's canonical text with the chain inserted before the last brace:

    {"number":7,"batch":6,"kind":"intent","activity":"top","at":3.5,"content":{...},"chain":"9f..."}

`batch` is the number of the first record in the write that contained this record. A batch is
written only after the previous batch was synced in every copy, so a record of a later batch proves
that all records before that batch were on disk. Journals of version 0.1 have no `batch`.

The chain is the SHA-256, in hexadecimal, of the previous record's chain followed by the record's
text without a chain. It covers every byte of the file: a line that differs from the written line in
any byte does not verify. For the first record of a journal the previous chain is the empty text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from rules.errors import WallwrightError

Kind = Literal["run", "intent", "note", "outcome", "storage", "end"]

JOURNAL_FORMAT = 2
"""Version of the journal: 1 had no batches and no stamp (wallwright 0.1)."""
GENESIS = ""
"""The chain before the first record of a journal."""

_BEFORE, _AFTER = b',"chain":"', b'"}'
_CHAIN = len(_BEFORE) + 64 + len(_AFTER)
_NUMBER = re.compile(rb'\{"number":([0-9]{1,18}),')
_BATCH = re.compile(rb'\{"number":[0-9]{1,18},"batch":([0-9]{1,18}),')
_ENDED = re.compile(rb',"chain":"[0-9a-f]{64}"\}[^\0]')
_ZEROS = re.compile(rb"\0+")
_FIRST = b'{"number":'

SECTOR = 512
"""Smallest unit that a disk writes or loses, bytes."""


class JournalError(WallwrightError):
    """The journal cannot be opened or written."""


class JournalInUseError(JournalError):
    """Another process has the journal open."""


class JournalLockedError(JournalError):
    """The copies no longer contain one verified sequence of records; a person has to decide.

    The files are not changed. Opening the journal fails until a person restores an intact copy.
    """


@dataclass(frozen=True)
class JournalRecord:
    """One record, which is one line of the file.

    `kind` is `run` (the start of a run, with its facts), `intent`, `note` or `outcome` (of the
    intent `of`), `storage` (the used share of each board's storage when the run stopped, permille),
    or `end` (of the completed run `of`). `at` is the time in seconds since the run
    began. `batch` is the number of the first record that was written together with this one, None
    in journals of version 0.1.
    """

    number: int
    kind: Kind
    activity: str
    at: float
    content: object
    of: int | None = None
    batch: int | None = None

    @property
    def text(self) -> str:
        """The canonical text: JSON with the keys in this order, without spaces, ASCII only."""
        keys: dict[str, object] = {"number": self.number}
        if self.batch is not None:
            keys["batch"] = self.batch
        keys["kind"] = self.kind
        if self.of is not None:
            keys["of"] = self.of
        keys.update(activity=self.activity, at=self.at, content=self.content)
        return json.dumps(keys, separators=(",", ":"))


def line_of(record: JournalRecord, chain: str) -> bytes:
    """The line of a record, without the newline; `chain` is that of the previous record."""
    text = record.text.encode("ascii")
    return text[:-1] + _BEFORE + _chained(text, chain) + _AFTER


def record_of(line: bytes) -> JournalRecord:
    """The record of a verified line. Raises JournalError for keys that this version lacks."""
    parsed = json.loads(line)
    del parsed["chain"]
    try:
        return JournalRecord(**parsed)
    except TypeError as error:
        raise JournalError(
            f"Record {number_of(line)} of the journal has other keys than this version reads"
            f" ({', '.join(parsed)}); run the version that wrote it, or name another file with"
            " --journal."
        ) from error


def follows(line: bytes, chain: str) -> bool:
    """Whether a line verifies as the successor of the record with this chain."""
    return line[-_CHAIN:] == _BEFORE + _chained(line[:-_CHAIN] + b"}", chain) + _AFTER


def chain_of(line: bytes) -> str:
    """The chain of a verified line."""
    return line[-66:-2].decode("ascii")


def number_of(line: bytes) -> int:
    """The record number in a line, verified or not; 0 if it has none."""
    claimed = _NUMBER.match(line)
    return int(claimed[1]) if claimed else 0


def batch_of(line: bytes) -> int:
    """The batch number in a line, verified or not; 0 if it has none."""
    claimed = _BATCH.match(line)
    return int(claimed[1]) if claimed else 0


def start_of(line: bytes) -> str | None:
    """The chain before a line that can be the first of a file; None if it cannot be the first."""
    try:
        parsed = json.loads(line)
        after = parsed["content"].get("continues", {}).get("after", GENESIS)
        begins = parsed["kind"] == "run" and (parsed["number"] == 1 or after != GENESIS)
        return str(after) if begins and follows(line, after) else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def is_torn(tail: bytes) -> bool:
    """Whether a power cut explains a last line without a newline.

    A complete record followed by another byte than a newline was not cut off: it is damaged.
    """
    return not _ENDED.search(tail)


def has_lost_sectors(rest: bytes, begin: int) -> bool:
    """Whether a power cut explains the bytes of a write that begins at this offset in the file.

    A disk can lose any sectors of a write that was not synced, and they then contain zeros. In that
    case the first line contains zeros, and each run of zeros begins and ends at a sector boundary
    or at the ends of the write.
    """
    if b"\0" not in rest.partition(b"\n")[0]:
        return False
    end = begin + len(rest)
    for run in _ZEROS.finditer(rest):
        first, last = begin + run.start(), begin + run.end()
        if (first % SECTOR and first != begin) or (last % SECTOR and last != end):
            return False
    return True


def looks_begun(data: bytes) -> bool:
    """Whether a file without a complete line can be the first record of a journal, cut off."""
    return data.startswith(_FIRST) or _FIRST.startswith(data)


def looks_written(data: bytes) -> bool:
    """Whether a file, damaged or not, was once a journal."""
    return data.startswith(_FIRST) or _BEFORE in data


def _chained(text: bytes, chain: str) -> bytes:
    return sha256(chain.encode("ascii", "replace") + text).hexdigest().encode("ascii")
