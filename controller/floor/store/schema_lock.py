"""A lock that lets one service at a time change the schema."""

from __future__ import annotations

from sqlalchemy import Connection, text

from controller.floor.store.engine import is_sqlite

_NUMBER = 0x77616C6C
"""The number of PostgreSQL's advisory lock (our choice)."""


def lock_schema(connection: Connection) -> None:
    """Hold the lock until the transaction ends. In SQLite, every transaction that writes does."""
    if not is_sqlite(connection):
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _NUMBER})
