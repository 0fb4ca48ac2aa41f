"""The hash trees of the stored logs, and the last head of each that the floor has cosigned."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Add the table; the tree of a log grows when its table asks for a cosignature."""
    op.create_table(
        "log_trees",
        sa.Column("log_id", _ID, sa.ForeignKey("logs.id"), primary_key=True, autoincrement=False),
        sa.Column("size", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("subtrees", sa.Text, nullable=False, server_default=""),
        sa.Column("keys", sa.Text, nullable=False, server_default=""),
        sa.Column("head", sa.Text, nullable=False, server_default=""),
        sa.Column("cosigned", sa.DateTime(timezone=True), nullable=True),
    )
