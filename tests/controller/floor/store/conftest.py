"""A store in each of the two databases."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import select

from controller.floor.store.floor_store import FloorStore
from controller.floor.store.schema import EVENTS, LOGS, TABLES

DATABASES = ["sqlite_url", pytest.param("postgres_url", marks=pytest.mark.slow)]
"""Fixtures with the URL of an empty database."""


@pytest.fixture(params=DATABASES)
def url(request: pytest.FixtureRequest) -> str:
    """Return the URL of an empty database."""
    found: str = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def store(url: str) -> Iterator[FloorStore]:
    """Return an open store without tables."""
    store = FloorStore(url)
    store.open()
    yield store
    store.close()


def stored_lines(store: FloorStore, table: str = "a1") -> list[str]:
    """Return the stored lines of a table in the order of their numbers, which have no gap."""
    query = (
        select(EVENTS.c.number, EVENTS.c.line)
        .join_from(EVENTS, LOGS)
        .join(TABLES)
        .where(TABLES.c.name == table)
        .order_by(EVENTS.c.log_id, EVENTS.c.number)
    )
    rows = store.read(lambda connection: connection.execute(query).all())
    assert [row.number for row in rows] == list(range(len(rows)))
    return [row.line for row in rows]
