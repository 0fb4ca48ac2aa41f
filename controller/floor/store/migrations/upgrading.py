"""Brings a database to the newest version of the schema, by alembic, in one transaction.

Services that start at the same time do it one after another: PostgreSQL by an advisory lock, SQLite
by its write lock.
"""

from __future__ import annotations

from pathlib import Path

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.script.revision import RevisionError
from sqlalchemy import Connection

from controller.floor.store.errors import StoreVersionError
from controller.floor.store.schema_lock import lock_schema


def upgrade_schema(connection: Connection) -> None:
    """Upgrade within the transaction of the connection. Raises StoreVersionError."""
    lock_schema(connection)
    directory = ScriptDirectory(str(Path(__file__).parent))
    migration = MigrationContext.configure(connection)
    present, newest = migration.get_current_revision(), directory.get_current_head()
    assert newest is not None
    try:
        steps = list(directory.iterate_revisions(newest, present or "base"))
    except RevisionError as error:
        raise StoreVersionError(
            f"The database has the schema {present}, which this program cannot read; install the"
            f" newer program again. This one has {newest}."
        ) from error
    if not steps:
        return
    with Operations.context(migration):
        for step in reversed(steps):
            step.module.upgrade()
    migration.stamp(directory, newest)
