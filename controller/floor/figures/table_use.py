"""Checks whether a table is in use, which a person has to confirm before a retirement."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, select

from controller.floor.figures import stored_events
from controller.floor.figures.alarms import ALARM_EVENTS, OLDEST, OpenAlarms, StoredEvent
from controller.floor.figures.table_figures import utc
from controller.floor.store.schema import EVENTS, LOGS
from controller.floor.store.table_changes import (
    ChangedBy,
    FloorTable,
    TableChangeError,
    retire_table,
)
from controller.floor.store.tables import printable

_RUNS = (
    stored_events.RUN,
    stored_events.FAULT,
    stored_events.SERVICE,
    stored_events.START,
    stored_events.STOP,
)
"""Events of which the last one says whether a run is in progress."""


def uses_of_table(connection: Connection, key: int, now: datetime) -> tuple[str, ...]:
    """Sentences about a run in progress and about open alarms of a table, by its key.

    They are those of the table's newest log in the database; an offline table can have gone on.
    """
    newest = select(LOGS.c.id).where(LOGS.c.table_id == key)
    log = connection.execute(newest.order_by(LOGS.c.begun.desc(), LOGS.c.id.desc())).scalar()
    if log is None:
        return ()
    found = []
    columns = (EVENTS.c.log_id, EVENTS.c.number, EVENTS.c.at, EVENTS.c.what, EVENTS.c.line)
    query = select(*columns).where(EVENTS.c.log_id == log)
    runs = query.where(EVENTS.c.what.in_(_RUNS)).order_by(EVENTS.c.number.desc()).limit(1)
    last = connection.execute(runs).first()
    if last is not None and last.what == stored_events.RUN:
        found.append(f"It is in play: a run began on {utc(last.at):%Y-%m-%d %H:%M} UTC.")
    recent = query.where(EVENTS.c.what.in_(ALARM_EVENTS), EVENTS.c.received >= now - OLDEST)
    events = (
        StoredEvent(row.log_id, row.number, utc(row.at), row.what, row.line)
        for row in connection.execute(recent.order_by(EVENTS.c.number))
    )
    alarms = OpenAlarms().after(events).alarms
    return (
        *found,
        *(
            f"It has an open alarm: {printable(alarm.code)} at {printable(alarm.part)}, since"
            f" {alarm.since:%Y-%m-%d %H:%M} UTC."
            for alarm in alarms
        ),
    )


class TableInUseError(TableChangeError):
    """A table is in use and its retirement was not confirmed. `uses` are sentences about it."""

    def __init__(self, table: FloorTable, uses: Sequence[str]) -> None:
        super().__init__(f"The table {table} is in use. {' '.join(uses)}")


def retire_unless_in_use(
    connection: Connection,
    floor: str,
    text: str,
    by: ChangedBy,
    now: datetime,
    *,
    is_confirmed: bool,
) -> FloorTable:
    """Retire a table, also one that is in use if a person has confirmed that.

    Raises TableInUseError, and the errors of `retire_table`.
    """
    table = retire_table(connection, floor, text, by, now)
    uses = uses_of_table(connection, table.key, now)
    if uses and not is_confirmed:
        # The error rolls the transaction back.
        raise TableInUseError(table, uses)
    return table
