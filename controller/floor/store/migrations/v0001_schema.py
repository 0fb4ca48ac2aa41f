"""The first schema: tables, logs, events, acknowledgements and requests."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the tables in an empty database."""
    _tables_and_logs()
    op.create_table(
        "events",
        sa.Column("log_id", _ID, sa.ForeignKey("logs.id"), nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("received", _TIME, nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("what", sa.String(60), nullable=False),
        sa.Column("line", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("log_id", "number", "received"),
        postgresql_partition_by="RANGE (received)",
    )
    op.create_index("events_what", "events", ["what", "at"])
    op.create_table(
        "acknowledgements",
        sa.Column("log_id", _ID, sa.ForeignKey("logs.id"), nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("who", sa.String(60), nullable=False),
        sa.Column("note", sa.Text, nullable=False, server_default=""),
        sa.PrimaryKeyConstraint("log_id", "number"),
    )
    _requests()


def _tables_and_logs() -> None:
    op.create_table(
        "tables",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("floor", sa.String(63), nullable=False),
        sa.Column("name", sa.String(63), nullable=False),
        sa.Column("title", sa.Text, nullable=False, server_default=""),
        sa.Column("software", sa.Text, nullable=False, server_default=""),
        sa.Column("identity", sa.Text, nullable=False, server_default=""),
        sa.Column("simulated", sa.Boolean, nullable=False, server_default="0"),
        sa.Column("first_seen", _TIME, nullable=False),
        sa.Column("last_birth", _TIME, nullable=False),
        sa.UniqueConstraint("floor", "name"),
    )
    op.create_table(
        "logs",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("table_id", _ID, sa.ForeignKey("tables.id"), nullable=False),
        sa.Column("log", sa.String(64), nullable=False),
        sa.Column("begun", _TIME, nullable=False),
        sa.Column("next", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("last_hash", sa.String(64), nullable=False, server_default=""),
        sa.UniqueConstraint("table_id", "log"),
    )


def _requests() -> None:
    op.create_table(
        "requests",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("table_id", _ID, sa.ForeignKey("tables.id"), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("arguments", sa.Text, nullable=False),
        sa.Column("who", sa.String(60), nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("accepted", sa.Boolean, nullable=True),
        sa.Column("sentence", sa.Text, nullable=False, server_default=""),
        sa.Column("replied", _TIME, nullable=True),
        sa.UniqueConstraint("key", "number"),
    )
