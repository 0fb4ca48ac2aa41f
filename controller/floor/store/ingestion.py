"""Stores batches of many tables in one transaction, each event exactly once.

The row of a log is locked before it is compared with a batch, so two services that receive the same
batch store it one after another, and the second one finds it stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Connection,
    DateTime,
    Text,
    any_,
    bindparam,
    column,
    insert,
    select,
    update,
)

from controller.floor.messages.topics import TableAddress
from controller.floor.store.batches import EventBatch, LogEnd, LogKey, TakenBatch
from controller.floor.store.engine import is_sqlite, json_rows
from controller.floor.store.schema import EVENTS, LOGS, TABLES
from rules.errors import WallwrightError

LogIds = Mapping[LogKey, int]


class UnknownLogsError(WallwrightError):
    """Ids of logs are unknown, or no longer those of the logs. `missing` are the logs."""

    def __init__(self, missing: Sequence[LogKey]) -> None:
        super().__init__(f"The ids of {len(missing)} logs are unknown.")
        self.missing = missing


def take_batches(
    connection: Connection, batches: Sequence[EventBatch], known: LogIds, received: datetime
) -> list[TakenBatch]:
    """Store the batches; return the result of each, in their order.

    `known` are ids of logs; they are checked. Raises UnknownLogsError: the caller gives new logs a
    row in an earlier transaction. Otherwise two services could wait for each other, each with the
    other's new row.
    """
    keys = sorted({batch.log for batch in batches})
    ends = _locked(connection, keys, known)
    if missing := [key for key in keys if key not in ends]:
        raise UnknownLogsError(missing)
    taken = [ends[batch.log].take(batch) for batch in batches]
    changed = {known[key]: end for key, end in ends.items() if end.new}
    if changed:
        _insert(connection, changed, received)
        _move_on(connection, changed)
    return taken


def _locked(connection: Connection, keys: Iterable[LogKey], known: LogIds) -> dict[LogKey, LogEnd]:
    """The ends of logs, locked in the order of their ids: two services never wait for each other.

    If an id is unknown, nothing is locked. A key whose id is that of another log is left out.
    """
    if not all(key in known for key in keys):
        return {}
    ids = sorted(known[key] for key in keys)
    query = (
        select(TABLES.c.floor, TABLES.c.name, TABLES.c.retired, *LOGS.c)
        .join_from(LOGS, TABLES)
        .order_by(LOGS.c.id)
        .with_for_update(of=LOGS)
    )
    if is_sqlite(connection):
        rows = connection.execute(query.where(LOGS.c.id.in_(ids)))
    else:
        chosen = LOGS.c.id == any_(bindparam("ids", type_=ARRAY(BigInteger)))
        rows = connection.execute(query.where(chosen), {"ids": ids})
    found = {
        LogKey(TableAddress(row.floor, row.name), row.log): (
            row.id,
            LogEnd(row.next, row.last_hash, row.retired is not None),
        )
        for row in rows
    }
    return {key: found[key][1] for key in keys if key in found and known.get(key) == found[key][0]}


def _insert(connection: Connection, ends: Mapping[int, LogEnd], received: datetime) -> None:
    rows: list[dict[str, Any]] = [
        {
            "log_id": log,
            "number": row.number,
            "at": row.at,
            "what": row.what,
            "line": row.line,
        }
        for log, end in ends.items()
        for row in end.new
    ]
    if is_sqlite(connection):
        connection.execute(insert(EVENTS), [{**row, "received": received} for row in rows])
        return
    new = json_rows(
        column("log_id", BigInteger()),
        column("number", BigInteger()),
        column("at", DateTime(timezone=True)),
        column("what", Text()),
        column("line", Text()),
    )
    moment = bindparam("received", type_=DateTime(timezone=True))
    connection.execute(
        insert(EVENTS).from_select([*new.c.keys(), "received"], select(*new.c, moment)),
        {
            "rows": [{**row, "at": row["at"].isoformat()} for row in rows],
            "received": received,
        },
    )


def _move_on(connection: Connection, ends: Mapping[int, LogEnd]) -> None:
    """Write the new ends of the logs."""
    rows = [
        {"log_id": log, "new_next": end.next, "new_hash": end.last_hash}
        for log, end in ends.items()
    ]
    if is_sqlite(connection):
        connection.execute(
            update(LOGS)
            .where(LOGS.c.id == bindparam("log_id"))
            .values(next=bindparam("new_next"), last_hash=bindparam("new_hash")),
            rows,
        )
        return
    new = json_rows(
        column("log_id", BigInteger()), column("new_next", BigInteger()), column("new_hash", Text())
    )
    connection.execute(
        update(LOGS)
        .where(LOGS.c.id == new.c.log_id)
        .values(next=new.c.new_next, last_hash=new.c.new_hash),
        {"rows": rows},
    )
