"""Retired and renamed tables, and a table with every such change."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add the columns and the table of changes. Every table of an older database is in use."""
    op.add_column("tables", sa.Column("label", sa.Text, nullable=False, server_default=""))
    op.add_column("tables", sa.Column("retired", _TIME, nullable=True))
    op.create_table(
        "table_changes",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("table_id", _ID, sa.ForeignKey("tables.id"), nullable=False),
        sa.Column("what", sa.String(20), nullable=False),
        sa.Column("before", sa.Text, nullable=False),
        sa.Column("after", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False, server_default=""),
        sa.Column("who", sa.String(60), nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("source", sa.String(60), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("recorded", sa.Boolean, nullable=False, server_default="0"),
    )
