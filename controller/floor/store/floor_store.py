"""The floor's database. Its methods block, so the service calls them in worker threads.

Alembic brings a database to the newest version of the schema in one transaction. Services that
start at the same time do it one after another: PostgreSQL by an advisory lock, SQLite by its write
lock. The months of events are partitions of PostgreSQL, which are made ahead of need and dropped as
a whole.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.script.revision import RevisionError
from sqlalchemy import Connection, delete, text
from sqlalchemy.exc import DBAPIError

from controller.floor.store.engine import (
    StoreSettingsError,
    StoreUnavailableError,
    StoreVersionError,
    database_url,
    engine_of,
    is_sqlite,
    lock_schema,
    transaction,
)
from controller.floor.store.ingestion import (
    EventBatch,
    LogKey,
    Refusal,
    TakenBatch,
    UnknownLogsError,
    take_batches,
)
from controller.floor.store.schema import ACKNOWLEDGEMENTS, EVENTS, REQUESTS
from controller.floor.store.tables import ensure_logs

MOST_KNOWN_LOGS = 50_000
"""Logs whose ids are kept in memory."""
_NO_PARTITION = re.compile(r"no partition of relation")
Answer = TypeVar("Answer")


def utc_now() -> datetime:
    """The computer's time."""
    return datetime.now(UTC)


class FloorStore:
    """A database by its URL. Every method raises StoreUnavailableError if it does not answer."""

    def __init__(self, url: str, clock: Callable[[], datetime] = utc_now) -> None:
        self._engine = engine_of(database_url(url))
        self._clock = clock
        self._logs: dict[LogKey, int] = {}

    def __str__(self) -> str:
        return self._engine.url.render_as_string(hide_password=True)

    def open(self) -> None:
        """Bring the schema to the newest version.

        Raises StoreVersionError, and StoreSettingsError for a database that cannot be used.
        """
        try:
            self.write(upgrade_schema)
            self.write(self._make_partitions)
        except (DBAPIError, sqlite3.DatabaseError) as error:
            raise StoreSettingsError(
                f"The database {self} cannot be used ({_reason(error)}); give its user the"
                " right to create tables, or name another database."
            ) from error

    def close(self) -> None:
        """Close every connection that is not in use."""
        self._engine.dispose()

    def read(self, query: Callable[[Connection], Answer]) -> Answer:
        """Run a query that changes nothing, in a transaction of its own.

        A query that fails raises StoreUnavailableError too: the page can ask before the tables of
        the database are made.
        """
        try:
            with transaction(self._engine, writes=False) as connection:
                return query(connection)
        except DBAPIError as error:
            raise StoreUnavailableError(
                f"The database {self} does not answer ({_reason(error)}); try again."
            ) from error

    def write(self, change: Callable[[Connection], Answer]) -> Answer:
        """Run a change in a transaction of its own, committed before this returns."""
        with transaction(self._engine, writes=True) as connection:
            return change(connection)

    def take(self, batches: Sequence[EventBatch]) -> list[TakenBatch]:
        """Store batches in one transaction, each event exactly once; return each one's result.

        If the database cannot store a value, each log gets a transaction of its own, and only the
        batches of the log with that value are refused.
        """
        try:
            return self._take(batches)
        except DBAPIError as error:
            if _NO_PARTITION.search(str(error)):
                self.write(self._make_partitions)
                return self._take(batches)
            return self._take_by_log(batches)

    def keep_months(self, months: int | None) -> int:
        """Make coming partitions; delete events from before the last `months` whole months, if any.

        Returns the number of deleted partitions, in SQLite of events.
        """
        self.write(self._make_partitions)
        if months is None:
            return 0
        return self.write(partial(drop_old_months, now=self._clock(), months=months))

    def _take(self, batches: Sequence[EventBatch]) -> list[TakenBatch]:
        now = self._clock()
        try:
            return self.write(
                partial(take_batches, batches=batches, known=self._logs, received=now)
            )
        except UnknownLogsError as error:
            if len(self._logs) > MOST_KNOWN_LOGS:
                self._logs = {}
            self._logs.update(self.write(partial(ensure_logs, keys=error.missing, now=now)))
        return self.write(partial(take_batches, batches=batches, known=self._logs, received=now))

    def _take_by_log(self, batches: Sequence[EventBatch]) -> list[TakenBatch]:
        by_log: dict[LogKey, list[EventBatch]] = {}
        for batch in batches:
            by_log.setdefault(batch.log, []).append(batch)
        results: dict[int, TakenBatch] = {}
        for group in by_log.values():
            try:
                taken = self._take(group)
            except DBAPIError as error:
                reason = f"A batch of {group[0].address}: the database refuses it ({error.orig})."
                taken = [TakenBatch(batch, 0, 0, Refusal.DAMAGED, reason) for batch in group]
            results.update({id(batch): done for batch, done in zip(group, taken, strict=True)})
        return [results[id(batch)] for batch in batches]

    def _make_partitions(self, connection: Connection) -> None:
        make_partitions(connection, self._clock())


def _reason(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).strip().partition("\n")[0]


def upgrade_schema(connection: Connection) -> None:
    """Upgrade within the transaction of the connection. Raises StoreVersionError."""
    lock_schema(connection)
    folder = str(Path(__file__).with_name("migrations"))
    directory = ScriptDirectory(folder, version_locations=[folder])
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
