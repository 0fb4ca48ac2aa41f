"""The stored events of one table, latest first, each with a sentence for people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, or_, select

from controller.events.lookups import ABOUT_PEOPLE, ROWS
from controller.floor.figures import stored_events
from controller.floor.figures.alarms import details_of_line, short_text
from controller.floor.figures.table_figures import utc
from controller.floor.store.schema import ACKNOWLEDGEMENTS, EVENTS, LOGS, TABLES
from controller.service.tracking.event_words import in_words

PAGE = 100
"""Events on one page of the history."""
LONGEST = 300
"""Characters of a sentence."""
PEOPLE = (
    *ABOUT_PEOPLE,
    *(
        stored_events.SERVICE,
        stored_events.SERVICE_END,
        stored_events.START,
        stored_events.STOP,
        stored_events.OUT,
        stored_events.BACK,
    ),
    *("clock_jumped", "audit_recovered", "log_begun"),
)
"""Events about faults, people and the service; the others are those of play."""
_SENTENCES = {
    **{name: row.history_text for name, row in ROWS.items() if row.history_text},
    stored_events.START: "The table's service started.",
    stored_events.STOP: "The table's service stopped.",
    stored_events.SERVICE: "Service mode was entered.",
    stored_events.SERVICE_END: "Service mode was left.",
    stored_events.OUT: "The table was taken out of play.",
    stored_events.BACK: "The table was put back in play.",
    "lid_opened": "The lid opened.",
    "lid_closed": "The lid closed.",
    "log_begun": "The audit log begins.",
    "clock_jumped": "The computer's clock jumped.",
    "audit_recovered": "The audit log is written again.",
    "configuration_read": "The configuration was read again.",
    "key_rotated": "The audit log has a new key.",
}


@dataclass(frozen=True)
class HistoryPage:
    """Events of a table, latest first. `older` continues the history; empty at its end."""

    events: tuple[Mapping[str, object], ...]
    older: str


def read_history(
    connection: Connection, floor: str, table: str, before: tuple[int, int] | None, *, all_: bool
) -> HistoryPage | None:
    """A page of a table's events before a log and a number; None for an unknown table."""
    known = and_(TABLES.c.floor == floor, TABLES.c.name == table)
    logs = [
        log
        for (log,) in connection.execute(
            select(LOGS.c.id).join(TABLES, TABLES.c.id == LOGS.c.table_id).where(known)
        )
    ]
    if not logs and connection.execute(select(TABLES.c.id).where(known)).first() is None:
        return None
    query = (
        select(EVENTS.c.log_id, EVENTS.c.number, EVENTS.c.at, EVENTS.c.what, EVENTS.c.line)
        .where(EVENTS.c.log_id.in_(logs))
        .order_by(EVENTS.c.log_id.desc(), EVENTS.c.number.desc())
        .limit(PAGE)
    )
    if before is not None:
        log, number = before
        earlier = and_(EVENTS.c.log_id == log, EVENTS.c.number < number)
        query = query.where(or_(EVENTS.c.log_id < log, earlier))
    if not all_:
        query = query.where(EVENTS.c.what.in_(PEOPLE))
    rows = connection.execute(query).all()
    marks = _acknowledged(connection, [(row.log_id, row.number) for row in rows])
    events = tuple(
        _view(row.log_id, row.number, utc(row.at), row.what, row.line)
        | {"acknowledged": marks.get((row.log_id, row.number), "")}
        for row in rows
    )
    last = rows[-1] if len(rows) == PAGE else None
    return HistoryPage(events, "" if last is None else f"{last.log_id}.{last.number}")


def _view(log: int, number: int, at: datetime, what: str, line: str) -> dict[str, object]:
    text, kind = sentence_of(what, line)
    who, role = _person(line)
    return {
        "log": log,
        "number": number,
        "at": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "what": what,
        "text": text,
        "kind": kind,
        "who": who,
        "role": role,
    }


def sentence_of(what: str, line: str) -> tuple[str, str]:
    """A sentence about an event, and its kind: `info`, `warning` or `fault`."""
    details = details_of_line(line)
    try:
        words = in_words({"t": 0.0, "event": what, **details})
    except (ArithmeticError, LookupError, TypeError, ValueError):
        words = None  # the details are not those of this event
    if words is not None:
        return words.text[:LONGEST], words.kind
    if what == stored_events.WITHDRAWN:
        return f"The prompt about {short_text(details, 'part')} needs no answer.", "info"
    if what == stored_events.COMMAND:
        refused = short_text(details, "reply") == "refused"
        return f"Command {short_text(details, 'command')}{' (refused)' * refused}.", "info"
    return _SENTENCES.get(what, what.replace("_", " ")), "info"


def _person(line: str) -> tuple[str, str]:
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError):
        return "", ""
    fields = value if isinstance(value, dict) else {}
    return short_text(fields, "who"), short_text(fields, "role")


def _acknowledged(
    connection: Connection, places: Sequence[tuple[int, int]]
) -> Mapping[tuple[int, int], str]:
    if not places:
        return {}
    table = ACKNOWLEDGEMENTS
    query = select(table.c.log_id, table.c.number, table.c.who).where(
        table.c.log_id.in_({log for log, _ in places}),
        table.c.number.in_({number for _, number in places}),
    )
    return {(row.log_id, row.number): row.who for row in connection.execute(query)}
