"""One event of the log: who did what, when and from where, as one line of canonical JSON.

{"details":{"command":"pause"},"from":"192.168.1.20","index":7,"role":"player",
 "table_ms":12345,"time":"2026-01-02T03:04:05.678Z","what":"command","who":"Mei"}

`plain_details` are the details that a line can have of an event of the table.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from controller.records.audit.canonical_json import canonical, parse_canonical
from controller.records.audit.errors import NotCanonicalError, RefusedProofError

LONGEST_LINE = 1 << 20
"""Bytes of the longest event (our choice); a longer line is not an event."""

_KEYS = {"details", "from", "index", "role", "table_ms", "time", "what", "who"}
_TIME = re.compile(r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{3}Z")
_PLAIN = rb'"[^"\\\x00-\x1f]*"'
"""A text without escapes."""
_TAIL = re.compile(
    rb',"from":%b,"index":(0|[1-9][0-9]{0,14}),"role":%b,"table_ms":(?:0|-?[1-9][0-9]{0,14})'
    rb',"time":"%b","what":(%b),"who":%b\}'
    % (_PLAIN, _PLAIN, _TIME.pattern.encode(), _PLAIN, _PLAIN)
)
"""The end of the canonical text of an event whose texts need no escapes, after the details."""
_HEAD = b'{"details":'


@dataclass(frozen=True)
class AuditEvent:
    """An event of the log. `time` is the computer's time in UTC, `table_ms` the table's."""

    index: int
    time: str
    table_ms: int
    who: str
    role: str
    source: str
    what: str
    details: dict[str, Any]


@dataclass(frozen=True)
class AuditEntry:
    """An event before it has its place in the log.

    `table_s` is the table's time in seconds since the service started. `wall` is the computer's
    time, which can jump. `real_s` is a real time in seconds that does not jump; both together show
    a jump. `source` is the client's address, or "table".
    """

    what: str
    wall: datetime
    table_s: float
    real_s: float
    who: str = ""
    role: str = ""
    source: str = "table"
    details: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def time(self) -> str:
        """The computer's time, as events have it."""
        return time_text(self.wall)

    def line(self, index: int) -> bytes:
        """The event's line without its newline. Raises NotCanonicalError."""
        return canonical(
            {
                "details": self.details,
                "from": self.source,
                "index": index,
                "role": self.role,
                "table_ms": round(self.table_s * 1000),
                "time": self.time,
                "what": self.what,
                "who": self.who,
            }
        )

    def event(self, index: int) -> AuditEvent:
        """The event, at its place in the log."""
        return AuditEvent(
            index,
            self.time,
            round(self.table_s * 1000),
            self.who,
            self.role,
            self.source,
            self.what,
            self.details,
        )


def parsed_event(line: bytes, index: int) -> AuditEvent:
    """Parse the event with this index. Raises RefusedProofError for any other line."""
    value = checked_event(line, index)
    return AuditEvent(
        index,
        value["time"],
        value["table_ms"],
        value["who"],
        value["role"],
        value["from"],
        value["what"],
        value["details"],
    )


def kind_of_event(line: bytes, index: int) -> str:
    """The kind (`what`) of the event with this index. Raises RefusedProofError for any other line.

    A verifier calls it for each event. Most events end in texts without escapes, whose canonical
    form is a pattern; then only the details are parsed, which saves a quarter of the time.
    """
    at = line.rfind(b',"from":"')
    tail = _TAIL.fullmatch(line, at) if at > 0 and line.startswith(_HEAD) else None
    if tail is None or int(tail[1]) != index:
        return str(checked_event(line, index)["what"])
    try:
        details = parse_canonical(line[len(_HEAD) : at])
        what = str(line[at:], "utf-8") and str(tail[2], "utf-8")
    except (NotCanonicalError, UnicodeDecodeError) as error:
        raise RefusedProofError(f"Event {index} is damaged. {error}") from error
    if type(details) is not dict:
        raise RefusedProofError(f"Event {index} has a value of a wrong type.")
    return what[1:-1]


def checked_event(line: bytes, index: int) -> dict[str, Any]:
    """The JSON value of the event with this index. Raises RefusedProofError for any other line."""
    try:
        value = parse_canonical(line)
    except NotCanonicalError as error:
        raise RefusedProofError(f"Event {index} is damaged. {error}") from error
    if type(value) is not dict or value.keys() != _KEYS:
        raise RefusedProofError(f"Event {index} does not have the keys of an event.")
    # `index` can come from a file: 6.0 and true would equal 6 and 1.
    if value["index"] != index or type(value["index"]) is not int or type(index) is not int:
        raise RefusedProofError(
            f"Event {index} is missing: the event in its place has the index {value['index']!r}."
        )
    if not (
        type(value["from"]) is str
        and type(value["role"]) is str
        and type(value["time"]) is str
        and type(value["what"]) is str
        and type(value["who"]) is str
        and type(value["table_ms"]) is int
        and type(value["details"]) is dict
        and _TIME.fullmatch(value["time"])
    ):
        raise RefusedProofError(f"Event {index} has a value of a wrong type.")
    return value


def time_text(wall: datetime) -> str:
    """A time in UTC with milliseconds."""
    return wall.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parsed_time(text: str) -> datetime:
    """The time of an event. Raises ValueError."""
    return datetime.fromisoformat(text)


_LONGEST_DETAILS = 1 << 19
"""Bytes of the longest details; a log with a line of 1 MiB or more could not be opened again."""
_SUMMARY = 2000
"""Characters of the text that replaces details without a canonical form."""


def details_of(event: Mapping[str, object]) -> dict[str, object]:
    """The details of a table's event that the log records, besides its name and its time."""
    return {key: event[key] for key in event if key not in {"t", "event"}}


def plain_details(details: Mapping[str, object]) -> Mapping[str, object]:
    """Details that the log can write; those that are too long or not canonical become a text."""
    try:
        is_plain = len(canonical(dict(details))) <= _LONGEST_DETAILS
    except NotCanonicalError:
        is_plain = False
    if is_plain:
        return details
    return {"text": json.dumps(dict(details), default=str, ensure_ascii=True)[:_SUMMARY]}
