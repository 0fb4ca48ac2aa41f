"""Alarms: faults that stopped a table, and unanswered prompts about faults.

`AlarmBook` keeps the open alarms of every table up to date; `acknowledge` stores who has
acknowledged one.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Connection, and_, column, insert, or_, select, true
from sqlalchemy.exc import IntegrityError

from controller.floor.figures import stored_events
from controller.floor.figures.stored_events import LONGEST_VALUE
from controller.floor.figures.table_figures import utc
from controller.floor.store.engine import is_sqlite, json_rows
from controller.floor.store.schema import ACKNOWLEDGEMENTS, EVENTS, LOGS, TABLES
from rules.errors import WallwrightError

ALARM_EVENTS = (
    *stored_events.PROMPTS,
    stored_events.FAULT,
    stored_events.RUN,
    stored_events.START,
    stored_events.STOP,
)
"""The events that open or close an alarm."""
LONGEST_SENTENCE = 500
"""Characters of an evidence or a request that an alarm keeps."""
MOST_OPEN = 50
"""Open alarms of one log that are kept: the latest ones."""


@dataclass(frozen=True)
class StoredEvent:
    """An event of the database: its place, its time in UTC, its kind and its line."""

    log_id: int
    number: int
    at: datetime
    what: str
    line: str


@dataclass(frozen=True)
class Acknowledgement:
    """A named person has seen an alarm and takes care of it."""

    at: datetime
    who: str
    note: str


@dataclass(frozen=True)
class Alarm:
    """A fault or an unanswered prompt. `log_id` and `number` name its event.

    `since` is the time of the table's computer. `request` says what has to be done, empty for a
    fault. `role` is the least role that may clear it, empty for a fault.
    """

    log_id: int
    number: int
    kind: str
    code: str
    part: str
    evidence: str
    request: str
    role: str
    since: datetime
    acknowledged: Acknowledgement | None = None


@dataclass(frozen=True)
class OpenAlarms:
    """The open alarms of one log after its events below `next`, oldest first.

    A prompt is open until its answer, its withdrawal or a later prompt of the same code and part. A
    start of the service and the next run close all alarms; the end of the service closes prompts,
    which can then not be answered, and leaves faults open.
    """

    next: int = 0
    alarms: tuple[Alarm, ...] = ()

    def after(self, events: Iterable[StoredEvent]) -> OpenAlarms:
        """The open alarms after further events of the log, in the order of their numbers."""
        present, following = list(self.alarms), self.next
        for event in events:
            if event.number < following:
                continue
            following = event.number + 1
            present = _after(present, event)[-MOST_OPEN:]
        return OpenAlarms(following, tuple(present))


def acknowledged(alarm: Alarm, by: Acknowledgement) -> Alarm:
    """The alarm with the person who has acknowledged it."""
    return replace(alarm, acknowledged=by)


def details_of_line(line: str) -> dict[str, Any]:
    """The details of an event's line; empty for a line that has none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    details = value.get("details") if isinstance(value, dict) else None
    return details if isinstance(details, dict) else {}


def short_text(details: dict[str, Any], key: str, most: int = LONGEST_VALUE) -> str:
    """A text of an event's details, shortened; empty for a value of another type."""
    value = details.get(key)
    return value[:most] if isinstance(value, str) else ""


def _after(present: list[Alarm], event: StoredEvent) -> list[Alarm]:
    match event.what:
        case stored_events.START | stored_events.RUN:
            return []
        case stored_events.STOP:
            return [each for each in present if each.kind != stored_events.PROMPT]
        case stored_events.FAULT:
            # The run that the fault has ended withdraws its prompts.
            return [*present, _alarm(event)]
        case stored_events.PROMPT | stored_events.ANSWER | stored_events.WITHDRAWN:
            alarm = _alarm(event)
            others = [
                each
                for each in present
                if (each.kind, each.code, each.part)
                != (stored_events.PROMPT, alarm.code, alarm.part)
            ]
            return [*others, alarm] if event.what == stored_events.PROMPT else others
    return present


def _alarm(event: StoredEvent) -> Alarm:
    details = details_of_line(event.line)
    return Alarm(
        log_id=event.log_id,
        number=event.number,
        kind=event.what,
        code=short_text(details, "code"),
        part=short_text(details, "part"),
        evidence=short_text(details, "evidence", LONGEST_SENTENCE),
        request=short_text(details, "request", LONGEST_SENTENCE),
        role=short_text(details, "role"),
        since=event.at,
    )


OLDEST = timedelta(days=30)
"""How old an alarm can be that a new book finds."""
LOGS_AT_ONCE = 200
"""Logs in one query."""
MOST_ROWS = 20_000
"""Events that one query reads; the next `read` continues after them."""


class NotAcknowledgedError(WallwrightError):
    """An acknowledgement of an alarm that is not open, or that was acknowledged before."""


@dataclass(frozen=True)
class TableAlarms:
    """The open alarms of a table's present log. Its address is `floor` and `name`."""

    floor: str
    name: str
    alarms: tuple[Alarm, ...]


class AlarmBook:
    """The open alarms, updated with the events that were stored since the last `read`.

    Only the newest log of a table counts; a retired table has no alarms. All calls need the same
    thread or one at a time.
    """

    def __init__(self) -> None:
        self._open: dict[int, OpenAlarms] = {}

    def read(self, connection: Connection, now: datetime) -> tuple[TableAlarms, ...]:
        """Read new events, and return the open alarms of every table that has some."""
        logs = _newest_logs(connection)
        self._open = {log: self._open.get(log, OpenAlarms()) for log in logs}
        behind = [log for log, (_, _, size) in logs.items() if size > self._open[log].next]
        for first in range(0, len(behind), LOGS_AT_ONCE):
            self._update(connection, behind[first : first + LOGS_AT_ONCE], logs, now)
        open_logs = {log: kept.alarms for log, kept in self._open.items() if kept.alarms}
        marks = _acknowledgements(connection, open_logs)
        return tuple(
            TableAlarms(
                logs[log][0],
                logs[log][1],
                tuple(
                    acknowledged(alarm, marks[log, alarm.number])
                    if (log, alarm.number) in marks
                    else alarm
                    for alarm in alarms
                ),
            )
            for log, alarms in open_logs.items()
        )

    def _update(
        self,
        connection: Connection,
        behind: Sequence[int],
        logs: Mapping[int, tuple[str, str, int]],
        now: datetime,
    ) -> None:
        new: defaultdict[int, list[StoredEvent]] = defaultdict(list)
        rows = tuple(_events(connection, {log: self._open[log].next for log in behind}, now))
        for event in rows:
            new[event.log_id].append(event)
        for log in behind:
            kept = self._open[log].after(new[log])
            # Without the limit, every event of the log that exists now has been read.
            whole = len(rows) < MOST_ROWS
            following = max(kept.next, logs[log][2]) if whole else kept.next
            self._open[log] = OpenAlarms(following, kept.alarms)


def acknowledge(
    connection: Connection, log: int, number: int, by: Acknowledgement, alarms: Sequence[Alarm]
) -> None:
    """Store who acknowledges an open alarm. Raises NotAcknowledgedError."""
    if all((alarm.log_id, alarm.number) != (log, number) for alarm in alarms):
        raise NotAcknowledgedError("This alarm is not open any more; nothing has to be done.")
    row = {"log_id": log, "number": number, "at": by.at, "who": by.who, "note": by.note}
    try:
        with connection.begin_nested():
            connection.execute(insert(ACKNOWLEDGEMENTS).values(row))
    except IntegrityError:
        raise NotAcknowledgedError("This alarm was acknowledged by another person.") from None


def _newest_logs(connection: Connection) -> dict[int, tuple[str, str, int]]:
    """Floor, table name and size of the newest log of each table in use, by the log's id."""
    query = (
        select(LOGS.c.id, LOGS.c.table_id, TABLES.c.floor, TABLES.c.name, LOGS.c.next)
        .join(TABLES, TABLES.c.id == LOGS.c.table_id)
        .where(TABLES.c.retired.is_(None))
        .order_by(LOGS.c.begun, LOGS.c.id)
    )
    newest = {row.table_id: row for row in connection.execute(query)}
    return {row.id: (row.floor, row.name, row.next) for row in newest.values()}


def _events(
    connection: Connection, positions: Mapping[int, int], now: datetime
) -> Iterator[StoredEvent]:
    """The events that can change alarms, in order: of each log those from its position on."""
    events = select(
        EVENTS.c.log_id, EVENTS.c.number, EVENTS.c.at, EVENTS.c.what, EVENTS.c.line
    ).where(EVENTS.c.what.in_(ALARM_EVENTS), EVENTS.c.received >= now - OLDEST)
    if is_sqlite(connection):
        new = or_(
            *(
                and_(EVENTS.c.log_id == log, EVENTS.c.number >= following)
                for log, following in positions.items()
            )
        )
        query = events.where(new).order_by(EVENTS.c.log_id, EVENTS.c.number)
        rows = connection.execute(query.limit(MOST_ROWS))
    else:
        # A condition for each of 1,000 logs would be compiled anew each time: to read the alarms in
        # that way was a sixth of the floor service's time.
        given = json_rows(column("log_id", BigInteger()), column("following", BigInteger()))
        of_log = events.where(
            EVENTS.c.log_id == given.c.log_id, EVENTS.c.number >= given.c.following
        )
        newer = of_log.order_by(EVENTS.c.number).limit(MOST_ROWS).lateral("newer")
        rows = connection.execute(
            select(newer)
            .select_from(given.join(newer, true()))
            .order_by(newer.c.log_id, newer.c.number)
            .limit(MOST_ROWS),
            {"rows": [{"log_id": log, "following": n} for log, n in positions.items()]},
        )
    for log, number, at, what, line in rows:
        yield StoredEvent(log, number, utc(at), what, line)


def _acknowledgements(
    connection: Connection, open_logs: Mapping[int, Sequence[Alarm]]
) -> dict[tuple[int, int], Acknowledgement]:
    wanted = [(log, alarm.number) for log, alarms in open_logs.items() for alarm in alarms]
    if not wanted:
        return {}
    table = ACKNOWLEDGEMENTS
    query = select(table).where(
        table.c.log_id.in_(open_logs), table.c.number.in_({n for _, n in wanted})
    )
    return {
        (row.log_id, row.number): Acknowledgement(utc(row.at), row.who, row.note)
        for row in connection.execute(query)
    }
