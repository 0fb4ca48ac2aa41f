"""Rows of tables and of their logs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Table, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from controller.floor.messages import Birth, TableAddress
from controller.floor.store.engine import is_sqlite
from controller.floor.store.ingestion import LogKey
from controller.floor.store.schema import LOGS, TABLES


def as_utc(moment: datetime) -> datetime:
    """A time read from the database: SQLite returns times in UTC without saying so."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def storable(text: str) -> str:
    """A text without the characters that PostgreSQL cannot store."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()


def printable(text: str) -> str:
    """A text of a table for a terminal: each control or invisible character becomes a space."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def ensure_tables(
    connection: Connection, addresses: Iterable[TableAddress], now: datetime
) -> dict[TableAddress, int]:
    """The ids of tables; those that are new get a row."""
    wanted = sorted(set(addresses))
    found = _table_ids(connection, wanted)
    if missing := [address for address in wanted if address not in found]:
        insert_missing(
            connection,
            TABLES,
            [
                {"floor": each.floor, "name": each.table, "first_seen": now, "last_birth": now}
                for each in missing
            ],
        )
        found |= _table_ids(connection, missing)
    return found


def ensure_logs(connection: Connection, keys: Sequence[LogKey], now: datetime) -> dict[LogKey, int]:
    """The ids of logs; those that are new get a row without events."""
    tables = ensure_tables(connection, (key.address for key in keys), now)
    insert_missing(
        connection,
        LOGS,
        [{"table_id": tables[key.address], "log": key.log, "begun": now} for key in sorted(keys)],
    )
    pairs = {(tables[key.address], key.log): key for key in keys}
    rows = connection.execute(
        select(LOGS.c.id, LOGS.c.table_id, LOGS.c.log).where(
            tuple_(LOGS.c.table_id, LOGS.c.log).in_(list(pairs))
        )
    )
    return {pairs[row.table_id, row.log]: row.id for row in rows}


def note_birth(connection: Connection, address: TableAddress, birth: Birth, now: datetime) -> int:
    """Keep the facts of a birth; return the number of stored events of the table's log.

    The facts of a retired table stay as they are.
    """
    table = ensure_tables(connection, [address], now)[address]
    connection.execute(
        update(TABLES)
        .where(TABLES.c.id == table, TABLES.c.retired.is_(None))
        .values(
            title=storable(birth.title),
            software=storable(birth.software),
            identity=storable(birth.identity),
            simulated=birth.simulated,
            last_birth=now,
        )
    )
    if birth.log is None:
        return 0
    query = select(LOGS.c.next).where(LOGS.c.table_id == table, LOGS.c.log == birth.log)
    return int(connection.execute(query).scalar() or 0)


@dataclass(frozen=True)
class KnownTable:
    """A table of which the floor has stored a birth or events."""

    address: TableAddress
    title: str


def known_tables(connection: Connection, floor: str, since: datetime) -> tuple[KnownTable, ...]:
    """The tables of a floor that have connected since this time and are not retired."""
    query = select(TABLES.c.name, TABLES.c.title).where(
        TABLES.c.floor == floor, TABLES.c.last_birth >= since, TABLES.c.retired.is_(None)
    )
    return tuple(
        KnownTable(TableAddress(floor, row.name), row.title) for row in connection.execute(query)
    )


def _table_ids(
    connection: Connection, addresses: Sequence[TableAddress]
) -> dict[TableAddress, int]:
    rows = connection.execute(
        select(TABLES.c.id, TABLES.c.floor, TABLES.c.name).where(
            tuple_(TABLES.c.floor, TABLES.c.name).in_(
                [(address.floor, address.table) for address in addresses]
            )
        )
    )
    return {TableAddress(row.floor, row.name): row.id for row in rows}


def insert_missing(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    """Insert rows; those that another service has inserted meanwhile stay as they are."""
    if is_sqlite(connection):
        connection.execute(sqlite_insert(table).on_conflict_do_nothing(), rows)
    else:
        connection.execute(postgresql_insert(table).on_conflict_do_nothing(), rows)
