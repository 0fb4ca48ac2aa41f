"""The engine of a database URL, with limits for its connections and for every wait.

It also contains what SQL cannot express for SQLite and PostgreSQL alike.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import (
    JSON,
    Connection,
    Engine,
    bindparam,
    create_engine,
    event,
    func,
    make_url,
    text,
)
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.sql.expression import ColumnClause, TableValuedAlias

from rules.errors import WallwrightError


class StoreSettingsError(WallwrightError, ValueError):
    """A database URL that cannot be used."""


class StoreUnavailableError(WallwrightError):
    """The database cannot be reached, or it did not answer in time.

    It may be unknown whether a change was committed. Every change of the store can be repeated.
    """


class StoreVersionError(WallwrightError):
    """The database was made by a newer program."""


POSTGRESQL, SQLITE = "postgresql", "sqlite"
CONNECTIONS = 4
"""Connections of one service: one writes, the others answer the page."""
CONNECTING = 5
"""Seconds in which the database has to accept a connection."""
STATEMENT = 20
"""Seconds in which a statement has to end."""
LOCK = 10
"""Seconds in which another service has to release a row."""
_WRITES = {"wallwright_writes": True}
"""Marks connections whose transactions begin with SQLite's write lock."""


def database_url(text: str) -> URL:
    """Parse a URL of SQLite or PostgreSQL. Raises StoreSettingsError."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        url = URL.create("none")
    if url.drivername in (POSTGRESQL, "postgres"):
        url = url.set(drivername=f"{POSTGRESQL}+psycopg")
    if url.drivername not in (SQLITE, f"{POSTGRESQL}+psycopg") or not url.database:
        shown = text.partition("@")[2] or text
        raise StoreSettingsError(
            f"'{shown[:200]}' is not a database of a floor; give sqlite:///FILE or"
            " postgresql://USER@HOST/DATABASE."
        )
    return url


def engine_of(url: URL) -> Engine:
    """Make the engine; it connects later. Times are limited as the constants of this module say."""
    if url.get_backend_name() == SQLITE:
        engine = create_engine(
            url,
            connect_args={"timeout": LOCK, "check_same_thread": False},
            pool_size=CONNECTIONS,
            max_overflow=0,
            pool_timeout=CONNECTING,
        )
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    options = {
        "statement_timeout": STATEMENT * 1000,
        "lock_timeout": LOCK * 1000,
        "idle_in_transaction_session_timeout": STATEMENT * 1000,
        "timezone": "UTC",
    }
    return create_engine(
        url,
        connect_args={
            "connect_timeout": CONNECTING,
            "application_name": "wallwright-floor",
            "options": " ".join(f"-c {name}={value}" for name, value in options.items()),
            "tcp_user_timeout": STATEMENT * 1000,
            "keepalives_idle": 10,
            "keepalives_interval": 5,
            "keepalives_count": 2,
        },
        pool_size=CONNECTIONS,
        max_overflow=0,
        pool_timeout=CONNECTING,
        pool_pre_ping=True,
    )


def is_sqlite(connection: Connection) -> bool:
    """Whether the connection is one of SQLite."""
    return connection.dialect.name == SQLITE


@contextmanager
def transaction(engine: Engine, *, writes: bool) -> Iterator[Connection]:
    """A transaction that is committed at the end of the block. Raises StoreUnavailableError.

    In SQLite a transaction that writes takes the write lock first, so it never has to be repeated.
    """
    try:
        with engine.connect() as connection:
            connection.execution_options(**_WRITES if writes else {})
            with connection.begin():
                yield connection
    except (OperationalError, InterfaceError, PoolTimeoutError) as error:
        raise _unavailable(engine, error) from error
    except DBAPIError as error:
        if error.connection_invalidated:
            raise _unavailable(engine, error) from error
        raise


def _unavailable(engine: Engine, error: Exception) -> StoreUnavailableError:
    reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
    url = engine.url.render_as_string(hide_password=True)
    return StoreUnavailableError(
        f"The database {url} does not work ({reason}); start it, or correct --database. Tables keep"
        " their events until it works."
    )


def _prepare_sqlite(connection: sqlite3.Connection, _: Any) -> None:
    """Turn off the driver's own transactions, and let readers work during a write."""
    connection.isolation_level = None
    with suppress(sqlite3.OperationalError):
        # The mode is kept in the file. SQLite does not wait for another service that sets it now.
        connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("wallwright_writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


_NUMBER = 0x77616C6C
"""The number of PostgreSQL's advisory lock (our choice)."""


def lock_schema(connection: Connection) -> None:
    """Hold the lock until the transaction ends. In SQLite, every transaction that writes does."""
    if not is_sqlite(connection):
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _NUMBER})


def json_rows(*columns: ColumnClause[Any]) -> TableValuedAlias:
    """The objects of the JSON parameter `rows` as rows with these columns.

    JSON, because psycopg escapes the quotes of an array of texts in Python, one text after another:
    that was a fifth of the floor service's time.
    """
    objects = func.json_to_recordset(bindparam("rows", type_=JSON()))
    return objects.table_valued(*columns).render_derived("given", with_types=True)
