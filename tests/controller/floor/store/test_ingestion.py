"""Tests that the floor's database stores each event of each table exactly once and in order."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from sqlalchemy import Connection, delete, select

from controller.floor.store.floor_store import FloorStore
from controller.floor.store.ingestion import Refusal
from controller.floor.store.schema import EVENTS, LOGS, TABLES
from controller.floor.store.tables import as_utc
from controller.records.audit.tree import leaf_hash
from tests.controller.floor.event_lines import batch_of, lines_of
from tests.controller.floor.store.conftest import stored_lines

LINES = lines_of(10)


def test_events_are_stored_with_their_time_and_kind(store: FloorStore) -> None:
    (taken,) = store.take([batch_of(LINES, 0, 4)])
    assert (taken.next, taken.stored, taken.refusal) == (4, 4, None)
    assert stored_lines(store) == LINES[:4]
    (row, *_) = store.read(lambda connection: connection.execute(select(EVENTS)).all())
    assert row.what == "round_over"
    assert as_utc(row.at) == datetime(2026, 11, 24, 20, tzinfo=UTC)
    (log,) = store.read(lambda connection: connection.execute(select(LOGS)).all())
    assert (log.next, log.last_hash) == (4, leaf_hash(LINES[3].encode()).hex())


def test_a_batch_that_arrives_twice_is_stored_once(store: FloorStore) -> None:
    for _ in range(2):
        (taken,) = store.take([batch_of(LINES, 0, 4)])
        assert taken.next == 4
    assert taken.stored == 0
    twice = store.take([batch_of(LINES, 4, 6), batch_of(LINES, 4, 6)])
    assert [done.stored for done in twice] == [2, 0]
    assert stored_lines(store) == LINES[:6]


def test_a_batch_that_overlaps_stored_events_adds_the_others(store: FloorStore) -> None:
    store.take([batch_of(LINES, 0, 4)])
    (taken,) = store.take([batch_of(LINES, 2, 7)])
    assert (taken.next, taken.stored) == (7, 3)
    assert stored_lines(store) == LINES[:7]


def test_a_batch_after_a_gap_is_refused_with_the_position(store: FloorStore) -> None:
    taken = store.take([batch_of(LINES, 4, 6), batch_of(LINES, 0, 2)])
    assert [(done.refusal, done.next) for done in taken] == [(Refusal.GAP, 0), (None, 2)]
    assert stored_lines(store) == LINES[:2]


@pytest.mark.parametrize(("first", "end"), [(4, 6), (3, 6), (0, 6), (0, 4)])
def test_a_log_that_was_changed_is_refused(store: FloorStore, first: int, end: int) -> None:
    store.take([batch_of(LINES, 0, 4)])
    other = [LINES[0], *(line.replace("round_over", "round_lost") for line in LINES[1:])]
    (taken,) = store.take([batch_of(other, first, end)])
    assert taken.refusal is Refusal.CONTRADICTION
    assert "is inconsistent" in taken.reason
    assert stored_lines(store) == LINES[:4]


def test_a_first_batch_that_claims_an_event_before_it_is_refused(store: FloorStore) -> None:
    batch = batch_of(LINES, 0, 2)
    events = batch.events.model_copy(update={"before": "0" * 64})
    (taken,) = store.take([type(batch)(batch.address, events)])
    assert taken.refusal is Refusal.CONTRADICTION


def changed(**fields: object) -> str:
    """Return the first line with other values, as canonical JSON."""
    value = {**json.loads(LINES[0]), **fields}
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{}",
        "null",
        LINES[0] + " ",
        LINES[0] + "\n",
        LINES[1],
        LINES[0].replace("club", "\ud800") + "\ud800",
        changed(what=""),
        changed(what="x" * 61),
        changed(what="nul\0"),
        changed(time="2026-13-24T20:00:00.000Z"),
        changed(time="0000-01-24T20:00:00.000Z"),
        changed(details=[]),
        "[" * 10_000,
    ],
    ids=range(14),
)
def test_a_damaged_line_is_refused_and_other_tables_lose_nothing(
    store: FloorStore, line: str
) -> None:
    batch = batch_of(LINES, 0, 2)
    damaged = batch.events.model_copy(update={"lines": (line, LINES[1])})
    others = [batch_of(lines_of(3, name), 0, 3, name) for name in ("a2", "a3")]
    taken = store.take([others[0], type(batch)(batch.address, damaged), others[1]])
    assert [done.refusal for done in taken] == [None, Refusal.DAMAGED, None]
    assert "vent 0 " in taken[1].reason
    assert stored_lines(store) == []
    assert len(stored_lines(store, "a2")) == len(stored_lines(store, "a3")) == 3


def test_names_and_texts_with_sql_and_html_are_stored_as_they_are(store: FloorStore) -> None:
    name = "'); DROP TABLE events; --<script>alert(1)</script>"
    lines = lines_of(3, name, what="x'; DELETE FROM logs; --")
    (taken,) = store.take([batch_of(lines, 0, 3)])
    assert taken.stored == 3
    assert stored_lines(store) == lines


def test_a_value_that_the_database_refuses_costs_other_tables_nothing(
    store: FloorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.floor.store.ingestion.LONGEST_KIND", 5000)
    bad = lines_of(2, what="x" * 3000)
    number = batch_of(bad, 0, 2)
    good = [batch_of(lines_of(3, name), 0, 3, name) for name in ("a2", "a3")]
    taken = store.take([good[0], number, good[1]])
    assert [done.stored for done in (taken[0], taken[2])] == [3, 3]
    if "postgresql" in str(store):
        assert taken[1].refusal is Refusal.DAMAGED
    assert len(stored_lines(store, "a2")) == len(stored_lines(store, "a3")) == 3


def test_a_table_restored_from_a_backup_begins_a_second_log(store: FloorStore) -> None:
    other = lines_of(5, what="restored")
    store.take([batch_of(LINES, 0, 4)])
    (taken,) = store.take([batch_of(other, 0, 5)])
    assert taken.next == 5
    logs = store.read(lambda connection: connection.execute(select(LOGS)).all())
    assert [(log.next, log.table_id) for log in logs] == [(4, 1), (5, 1)]


def test_ids_of_logs_that_the_database_has_lost_are_found_again(
    store: FloorStore,
) -> None:
    store.take([batch_of(lines_of(3, "a2"), 0, 3, "a2"), batch_of(LINES, 0, 2)])

    def lose(connection: Connection) -> None:
        for table in (EVENTS, LOGS, TABLES):
            connection.execute(delete(table))

    store.write(lose)
    (taken,) = store.take([batch_of(LINES, 0, 3)])
    assert (taken.next, taken.stored) == (3, 3)
    (gap,) = store.take([batch_of(lines_of(5, "a2"), 3, 5, "a2")])
    assert (gap.next, gap.refusal) == (0, Refusal.GAP)


def test_ids_of_logs_that_were_exchanged_are_noticed(store: FloorStore, url: str) -> None:
    names = ("a1", "a2")
    store.take([batch_of(lines_of(4, name), 0, 2, name) for name in names])

    def lose(connection: Connection) -> None:
        for table in (EVENTS, LOGS, TABLES):
            connection.execute(delete(table))

    store.write(lose)
    other = FloorStore(url)
    # PostgreSQL does not use an id twice; there the ids are unknown.
    for name in reversed(names):
        other.take([batch_of(lines_of(4, name), 0, 2, name)])
    other.close()
    taken = store.take([batch_of(lines_of(4, name), 2, 4, name) for name in names])
    assert [done.next for done in taken] == [4, 4]
    for name in names:
        assert stored_lines(store, name) == lines_of(4, name)
