"""Requests from the floor to tables, stored before they are sent, and the tables' replies."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, func, insert, select, update

from controller.floor.messages.payloads import Reply, Request
from controller.floor.messages.topics import TableAddress
from controller.floor.store.schema import REQUESTS, TABLES
from controller.floor.store.tables import ensure_tables, storable
from controller.records.audit.canonical_json import canonical


def next_number(connection: Connection, key: str, now: datetime) -> int:
    """The number of the next request with this key: higher than every earlier one.

    It begins at the present time in milliseconds, so that it also grows when the database is lost.
    """
    query = select(func.max(REQUESTS.c.number)).where(REQUESTS.c.key == key)
    last = connection.execute(query).scalar()
    return max(int(now.timestamp() * 1000), -1 if last is None else last + 1)


def store_request(
    connection: Connection, address: TableAddress, request: Request, now: datetime
) -> None:
    """Store a request without a reply."""
    connection.execute(
        insert(REQUESTS).values(
            table_id=ensure_tables(connection, [address], now)[address],
            key=request.key,
            number=request.number,
            name=request.name,
            arguments=canonical(request.arguments).decode(),
            who=request.who,
            role=request.role,
            at=now,
        )
    )


def store_reply(connection: Connection, address: TableAddress, reply: Reply, now: datetime) -> bool:
    """Store the first reply to a request; false if this table has no such open request."""
    table = (
        select(TABLES.c.id)
        .where(TABLES.c.floor == address.floor, TABLES.c.name == address.table)
        .scalar_subquery()
    )
    changed = connection.execute(
        update(REQUESTS)
        .where(
            REQUESTS.c.key == reply.key,
            REQUESTS.c.number == reply.number,
            REQUESTS.c.table_id == table,
            REQUESTS.c.replied.is_(None),
        )
        .values(accepted=reply.accepted, sentence=storable(reply.sentence), replied=now)
    )
    return changed.rowcount == 1
