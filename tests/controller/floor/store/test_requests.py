"""Tests the rows of births, of requests to tables and of their replies."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from controller.floor.messages import Birth, Reply, Request, TableAddress
from controller.floor.server.requests import next_number, store_reply, store_request
from controller.floor.store.floor_store import FloorStore
from controller.floor.store.schema import REQUESTS, TABLES
from controller.floor.store.tables import note_birth
from tests.controller.floor.event_lines import BIRTH, batch_of, birth_of, lines_of, log_id

TABLE = TableAddress("club", "a1")
NOW = datetime(2026, 11, 24, 21, tzinfo=UTC)
REQUEST = Request(
    birth=BIRTH,
    number=7,
    at="2026-11-24T21:00:00.000Z",
    name="out_of_play",
    arguments={"why": "<b>'; --\0"},
    who="Mei",
    role="supervisor",
    key="floor-1",
    signature="",
)


def birth(title: str, log: str | None = None) -> Birth:
    return birth_of(BIRTH, log, title)


def test_a_tables_last_birth_is_kept_and_tells_the_stored_position(store: FloorStore) -> None:
    lines = lines_of(3)
    assert store.write(lambda c: note_birth(c, TABLE, birth("First", log_id(lines)), NOW)) == 0
    store.take([batch_of(lines, 0, 3)])
    title = "Table\0 <1> '; DROP TABLE tables"
    assert store.write(lambda c: note_birth(c, TABLE, birth(title, log_id(lines)), NOW)) == 3
    assert store.write(lambda c: note_birth(c, TABLE, birth(title), NOW)) == 0
    (row,) = store.read(lambda c: c.execute(select(TABLES)).all())
    assert (row.floor, row.name, row.simulated) == ("club", "a1", True)
    assert row.title == title.replace("\0", "\ufffd")


def test_a_reply_is_stored_once_and_only_by_the_table_of_the_request(store: FloorStore) -> None:
    store.write(lambda c: store_request(c, TABLE, REQUEST, NOW))
    reply = Reply(birth=BIRTH, key="floor-1", number=7, accepted=False, sentence="A round\0 is on.")
    other = TableAddress("club", "a2")
    assert not store.write(lambda c: store_reply(c, other, reply, NOW))
    assert not store.write(
        lambda c: store_reply(c, TABLE, reply.model_copy(update={"number": 8}), NOW)
    )
    assert store.write(lambda c: store_reply(c, TABLE, reply, NOW))
    again = reply.model_copy(update={"accepted": True})
    assert not store.write(lambda c: store_reply(c, TABLE, again, NOW))
    (row,) = store.read(lambda c: c.execute(select(REQUESTS)).all())
    assert (row.accepted, row.sentence) == (False, "A round\ufffd is on.")


def test_numbers_of_requests_grow_even_if_the_clock_goes_back(store: FloorStore) -> None:
    first = store.read(lambda c: next_number(c, "floor-1", NOW))
    assert first == int(NOW.timestamp() * 1000)
    later = REQUEST.model_copy(update={"number": first + 100})
    store.write(lambda c: store_request(c, TABLE, later, NOW))
    assert store.read(lambda c: next_number(c, "floor-1", NOW)) == first + 101
    assert store.read(lambda c: next_number(c, "floor-2", NOW)) == first
    with pytest.raises(IntegrityError):
        store.write(lambda c: store_request(c, TABLE, later, NOW))
