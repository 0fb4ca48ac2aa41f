"""The floor's database. Its methods block, so the service calls them in worker threads."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from controller.floor.store.batches import EventBatch, LogKey, Refusal, TakenBatch
from controller.floor.store.engine import (
    StoreSettingsError,
    StoreUnavailableError,
    database_url,
    engine_of,
    transaction,
)
from controller.floor.store.ingestion import UnknownLogsError, take_batches
from controller.floor.store.schema_upkeep import drop_old_months, make_partitions, upgrade_schema
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
