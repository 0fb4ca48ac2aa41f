"""One line of the journal: a record as JSON, chained to all that came before it.

A line is the record's canonical text with its chain put in before the last brace:

    {"number":7,"batch":6,"kind":"intent","activity":"top","at":3.5,"content":{...},"chain":"9f..."}

`batch` is the number of the first record of the write that this record was part of. A batch is
written only after the one before it was synced in every copy, so a record of a later batch proves
that all records before that batch were on disk. Journals of version 0.1 have no `batch`.

The chain is the SHA-256, in hexadecimal, of the previous record's chain followed by the record's
text without its own. So every byte of a file is covered: what is not exactly the line that was
written does not verify. The first record of all follows the empty text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from rules.errors import WallwrightError

Kind = Literal["run", "intent", "note", "outcome", "end"]

GENESIS = ""
"""What the first record of all is chained to."""

_BEFORE, _AFTER = b',"chain":"', b'"}'
_CHAIN = len(_BEFORE) + 64 + len(_AFTER)
_NUMBER = re.compile(rb'\{"number":([0-9]{1,18}),')
_BATCH = re.compile(rb'\{"number":[0-9]{1,18},"batch":([0-9]{1,18}),')
_ENDED = re.compile(rb',"chain":"[0-9a-f]{64}"\}[^\0]')
_ZEROS = re.compile(rb"\0+")
_FIRST = b'{"number":'

SECTOR = 512
"""The least that a disk writes or loses as one piece, bytes."""


class JournalError(WallwrightError):
    """The journal cannot be opened or written."""


class JournalInUseError(JournalError):
    """Another process has the journal open."""


class JournalLockedError(JournalError):
    """No sequence of records verifies in the copies any more; a person has to decide.

    The files are left as they are, and stay locked until a person puts a good copy back.
    """


@dataclass(frozen=True)
class JournalRecord:
    """What one line records.

    `kind` is `run` (a start with its facts), `intent`, `note` or `outcome` (of the intent `of`), or
    `end` (of the run `of`, with nothing unfinished). `at` is the table's time in seconds. `batch`
    is the number of the first record that was written together with this one, None where the
    journal does not say.
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
        """The canonical text: keys in this order, no spaces, nothing but ASCII."""
        keys: dict[str, object] = {"number": self.number}
        if self.batch is not None:
            keys["batch"] = self.batch
        keys["kind"] = self.kind
        if self.of is not None:
            keys["of"] = self.of
        keys.update(activity=self.activity, at=self.at, content=self.content)
        return json.dumps(keys, separators=(",", ":"))


def line_of(record: JournalRecord, chain: str) -> bytes:
    """A record as its line, without the newline, after the record with this chain."""
    text = record.text.encode("ascii")
    return text[:-1] + _BEFORE + _chained(text, chain) + _AFTER


def record_of(line: bytes) -> JournalRecord:
    """The record of a verified line. Raises JournalError for one of another version."""
    parsed = json.loads(line)
    del parsed["chain"]
    try:
        return JournalRecord(**parsed)
    except TypeError as error:
        raise JournalError(
            f"Record {number_of(line)} of the journal says what this version does not know"
            f" ({', '.join(parsed)}); run the version that wrote it, or name another file with"
            " --journal."
        ) from error


def follows(line: bytes, chain: str) -> bool:
    """Whether a line is, byte for byte, one that was written after the record with this chain."""
    return line[-_CHAIN:] == _BEFORE + _chained(line[:-_CHAIN] + b"}", chain) + _AFTER


def chain_of(line: bytes) -> str:
    """The chain of a verified line."""
    return line[-66:-2].decode("ascii")


def number_of(line: bytes) -> int:
    """The number that a line claims, verified or not; 0 if it claims none."""
    claimed = _NUMBER.match(line)
    return int(claimed[1]) if claimed else 0


def batch_of(line: bytes) -> int:
    """The number of the first record of a line's batch, as it claims; 0 if it claims none."""
    claimed = _BATCH.match(line)
    return int(claimed[1]) if claimed else 0


def start_of(line: bytes) -> str | None:
    """The chain that a file begins after, if this can be its first line; None if it cannot."""
    try:
        parsed = json.loads(line)
        after = parsed["content"].get("continues", {}).get("after", GENESIS)
        begins = parsed["kind"] == "run" and (parsed["number"] == 1 or after != GENESIS)
        return str(after) if begins and follows(line, after) else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def is_torn(tail: bytes) -> bool:
    """Whether a power cut explains a last line without a newline.

    A whole record with another byte in the newline's place was not cut off: it is damaged.
    """
    return not _ENDED.search(tail)


def has_lost_sectors(rest: bytes, begin: int) -> bool:
    """Whether a power cut explains the bytes of a write that begins at this offset in the file.

    A disk may lose any of the sectors of a write that was not synced yet; zeros stand in their
    place. So there are zeros in the first line, and zeros end only where sectors do.
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
    """Whether a file that holds no whole line may be a journal's first record, cut off."""
    return data.startswith(_FIRST) or _FIRST.startswith(data)


def looks_written(data: bytes) -> bool:
    """Whether a file, whole or not, was ever a journal."""
    return data.startswith(_FIRST) or _BEFORE in data


def _chained(text: bytes, chain: str) -> bytes:
    return sha256(chain.encode("ascii", "replace") + text).hexdigest().encode("ascii")
