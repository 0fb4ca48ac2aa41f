"""The tables of the floor's database, as SQLAlchemy Core describes them for both databases.

In PostgreSQL `events` is partitioned by the month of `received`, so that old months are dropped as
a whole. A unique key of a partitioned table contains the partition's column. Therefore the row of
the log ensures that each event is stored once: every writer locks it, and its `next` only grows.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
)

_Id = BigInteger().with_variant(Integer, "sqlite")
"""SQLite numbers rows by itself only in a column of the type INTEGER."""

METADATA = MetaData()

TABLES = Table(
    "tables",
    METADATA,
    Column("id", _Id, primary_key=True),
    Column("floor", String(63), nullable=False),
    Column("name", String(63), nullable=False),
    Column("title", Text, nullable=False, server_default=""),
    Column("software", Text, nullable=False, server_default=""),
    Column("identity", Text, nullable=False, server_default=""),
    Column("simulated", Boolean, nullable=False, server_default="0"),
    Column("first_seen", DateTime(timezone=True), nullable=False),
    Column("last_birth", DateTime(timezone=True), nullable=False),
    Column("label", Text, nullable=False, server_default=""),
    Column("retired", DateTime(timezone=True), nullable=True),
    UniqueConstraint("floor", "name"),
)
"""Every table that has ever published a birth. `title` is the one of the table's own file; `label`,
if it is not empty, is shown in its place. `retired` is when the table left the floor."""

TABLE_CHANGES = Table(
    "table_changes",
    METADATA,
    Column("id", _Id, primary_key=True),
    Column("table_id", _Id, ForeignKey("tables.id"), nullable=False),
    Column("what", String(20), nullable=False),
    Column("before", Text, nullable=False),
    Column("after", Text, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("who", String(60), nullable=False),
    Column("role", String(20), nullable=False),
    Column("source", String(60), nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("recorded", Boolean, nullable=False, server_default="0"),
)
"""Tables that people have retired, unretired and renamed. `before` and `after` are shown titles;
`recorded` says whether a floor service has the change in its audit log."""

LOGS = Table(
    "logs",
    METADATA,
    Column("id", _Id, primary_key=True),
    Column("table_id", _Id, ForeignKey("tables.id"), nullable=False),
    Column("log", String(64), nullable=False),
    Column("begun", DateTime(timezone=True), nullable=False),
    Column("next", BigInteger, nullable=False, server_default="0"),
    Column("last_hash", String(64), nullable=False, server_default=""),
    UniqueConstraint("table_id", "log"),
)
"""The audit logs of the tables. `next` is the number of stored events, `last_hash` the leaf hash of
the last one. A table begins a new log when it is restored from a backup."""

EVENTS = Table(
    "events",
    METADATA,
    Column("log_id", _Id, ForeignKey("logs.id"), nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("received", DateTime(timezone=True), nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("what", String(60), nullable=False),
    Column("line", Text, nullable=False),
    PrimaryKeyConstraint("log_id", "number", "received"),
    Index("events_what", "what", "at"),
    postgresql_partition_by="RANGE (received)",
)
"""The events, each as its canonical line. `at` is the table's computer time, `received` the floor's
time; only `at` depends on the table's clock."""

LOG_TREES = Table(
    "log_trees",
    METADATA,
    Column("log_id", _Id, ForeignKey("logs.id"), primary_key=True, autoincrement=False),
    Column("size", BigInteger, nullable=False, server_default="0"),
    Column("subtrees", Text, nullable=False, server_default=""),
    Column("keys", Text, nullable=False, server_default=""),
    Column("head", Text, nullable=False, server_default=""),
    Column("cosigned", DateTime(timezone=True), nullable=True),
)
"""The hash tree of the first `size` stored events of a log: `subtrees` are the roots of its perfect
subtrees in hexadecimal, largest first; `keys` has a line `SIZE KEY` for each key of the log. `head`
is the last head that the floor has cosigned, with the cosignature."""

ACKNOWLEDGEMENTS = Table(
    "acknowledgements",
    METADATA,
    Column("log_id", _Id, ForeignKey("logs.id"), nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("who", String(60), nullable=False),
    Column("note", Text, nullable=False, server_default=""),
    PrimaryKeyConstraint("log_id", "number"),
)
"""Alarms that a named person has acknowledged; an alarm is the event with this number."""

REQUESTS = Table(
    "requests",
    METADATA,
    Column("id", _Id, primary_key=True),
    Column("table_id", _Id, ForeignKey("tables.id"), nullable=False),
    Column("key", Text, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("name", String(40), nullable=False),
    Column("arguments", Text, nullable=False),
    Column("who", String(60), nullable=False),
    Column("role", String(20), nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("accepted", Boolean, nullable=True),
    Column("sentence", Text, nullable=False, server_default=""),
    Column("replied", DateTime(timezone=True), nullable=True),
    UniqueConstraint("key", "number"),
)
"""Requests to tables and their replies; `accepted` is null until the table replies."""
