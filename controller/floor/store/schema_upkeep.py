"""Keeps the schema up to date: its newest version, and the months of events.

Alembic brings a database to the newest version in one transaction. Services that start at the same
time do it one after another: PostgreSQL by an advisory lock, SQLite by its write lock. Months are
partitions of PostgreSQL, which are made ahead of need and dropped as a whole.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.script.revision import RevisionError
from sqlalchemy import Connection, delete, text

from controller.floor.store.engine import StoreVersionError, is_sqlite, lock_schema
from controller.floor.store.schema import ACKNOWLEDGEMENTS, EVENTS, REQUESTS


def upgrade_schema(connection: Connection) -> None:
    """Upgrade within the transaction of the connection. Raises StoreVersionError."""
    lock_schema(connection)
    directory = ScriptDirectory(str(Path(__file__).with_name("migrations")))
    migration = MigrationContext.configure(connection)
    present, newest = migration.get_current_revision(), directory.get_current_head()
    assert newest is not None
    try:
        steps = list(directory.iterate_revisions(newest, present or "base"))
    except RevisionError as error:
        raise StoreVersionError(
            f"The database has the schema {present}, which this program cannot read; install the "
            f"newer program again. This program reads the schema {newest}."
        ) from error
    if not steps:
        return
    with Operations.context(migration):
        for step in reversed(steps):
            step.module.upgrade()
    migration.stamp(directory, newest)


AHEAD = 3
"""Months after the present one whose partitions exist."""
_PREFIX = "events_y"


def month_of(moment: datetime, after: int = 0) -> datetime:
    """The first instant in UTC of a moment's month, or of another month that is `after` later."""
    utc = moment.astimezone(UTC)
    months = utc.year * 12 + utc.month - 1 + after
    return datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC)


def make_partitions(connection: Connection, now: datetime) -> None:
    """Make the partition of this month and of the next ones; SQLite has none."""
    if is_sqlite(connection):
        return
    lock_schema(connection)
    for after in range(AHEAD + 1):
        begin, end = month_of(now, after), month_of(now, after + 1)
        connection.execute(
            text(
                f"CREATE TABLE IF NOT EXISTS {_name(begin)} PARTITION OF events"
                f" FOR VALUES FROM ('{begin.isoformat()}') TO ('{end.isoformat()}')"
            )
        )


def drop_old_months(connection: Connection, now: datetime, months: int) -> int:
    """Delete events, acknowledgements and requests from before the last `months` whole months.

    Returns the number of deleted partitions, in SQLite of events. The logs keep their positions.
    """
    limit = month_of(now, -months)
    connection.execute(delete(ACKNOWLEDGEMENTS).where(ACKNOWLEDGEMENTS.c.at < limit))
    connection.execute(delete(REQUESTS).where(REQUESTS.c.at < limit))
    if is_sqlite(connection):
        return connection.execute(delete(EVENTS).where(EVENTS.c.received < limit)).rowcount
    lock_schema(connection)
    old = [name for name in _partitions(connection) if name < _name(limit)]
    for name in old:
        connection.execute(text(f"DROP TABLE {name}"))
    return len(old)


def _name(begin: datetime) -> str:
    return f"{_PREFIX}{begin:%Ym%m}"


def _partitions(connection: Connection) -> list[str]:
    rows = connection.execute(
        text(
            "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'events'::regclass"
        )
    )
    return sorted(name for (name,) in rows if str(name).startswith(_PREFIX))
