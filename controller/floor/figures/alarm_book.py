"""Keeps the open alarms of every table up to date, and stores who has acknowledged them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import BigInteger, Connection, and_, column, insert, or_, select, true
from sqlalchemy.exc import IntegrityError

from controller.floor.figures.alarms import (
    ALARM_EVENTS,
    Acknowledgement,
    Alarm,
    OpenAlarms,
    StoredEvent,
    acknowledged,
)
from controller.floor.figures.window import utc
from controller.floor.store.engine import is_sqlite
from controller.floor.store.json_rows import json_rows
from controller.floor.store.schema import ACKNOWLEDGEMENTS, EVENTS, LOGS, TABLES
from rules.errors import WallwrightError

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
