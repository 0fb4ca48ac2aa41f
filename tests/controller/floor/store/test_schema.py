"""Tests the schema: its migrations, its months, and several services that start together."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, inspect, text

from controller.floor.store.engine import (
    StoreSettingsError,
    StoreUnavailableError,
    StoreVersionError,
    database_url,
)
from controller.floor.store.floor_store import FloorStore, month_of
from controller.floor.store.schema import METADATA
from controller.floor.store.table_changes import floor_tables
from tests.controller.floor.event_lines import batch_of, lines_of
from tests.controller.floor.postgres_process import PostgresProcess
from tests.controller.floor.store.conftest import stored_lines

LINES = lines_of(9)


def test_the_migrations_make_the_schema_that_the_program_uses(store: FloorStore) -> None:
    def differences(connection: Connection) -> list[object]:
        options = {
            "compare_type": True,
            # alembic does not recognize an empty text as a default in SQLite.
            "compare_server_default": connection.dialect.name != "sqlite",
            "include_object": lambda _, name, kind, *rest: not str(name).startswith("events_y"),
        }
        return list(
            compare_metadata(MigrationContext.configure(connection, opts=options), METADATA)
        )

    assert store.read(differences) == []


def test_the_events_of_postgresql_are_partitioned_by_the_floors_time(store: FloorStore) -> None:
    if "sqlite" in str(store):
        return
    query = text("SELECT pg_get_partkeydef('events'::regclass)")
    assert store.read(lambda connection: connection.execute(query).scalar()) == "RANGE (received)"


def test_services_that_start_at_the_same_time_make_the_schema_once(url: str) -> None:
    stores = [FloorStore(url) for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(FloorStore.open, stores))
    stores[0].open()
    (taken,) = stores[3].take([batch_of(LINES, 0, 3)])
    assert taken.stored == 3
    for store in stores:
        store.close()


def test_a_database_of_a_newer_program_is_refused(store: FloorStore) -> None:
    store.write(lambda c: c.execute(text("UPDATE alembic_version SET version_num = '9999'")))
    with pytest.raises(StoreVersionError, match=r"9999.*newer program"):
        store.open()


def test_old_months_end_and_the_position_of_their_log_stays(url: str) -> None:
    now = datetime(2026, 1, 31, 23, tzinfo=UTC)
    store = FloorStore(url, lambda: now)
    store.open()
    store.take([batch_of(LINES, 0, 3)])
    now = datetime(2026, 3, 1, tzinfo=UTC)
    store.take([batch_of(LINES, 3, 6)])
    assert store.keep_months(2) == 0
    assert len(stored_lines(store)) == 6
    assert store.keep_months(1) > 0
    (taken,) = store.take([batch_of(LINES, 0, 7)])
    assert (taken.next, taken.stored) == (7, 1)
    names = store.read(lambda connection: inspect(connection).get_table_names())
    assert "events_y2026m01" not in names
    store.close()


def test_events_are_stored_when_the_clock_has_run_past_the_last_partition(url: str) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    store = FloorStore(url, lambda: now)
    store.open()
    now = datetime(2027, 7, 1, tzinfo=UTC)
    (taken,) = store.take([batch_of(LINES, 0, 3)])
    assert taken.stored == 3
    store.close()


def test_months_begin_in_utc() -> None:
    eve = datetime(2026, 12, 31, 23, 59, tzinfo=UTC)
    assert month_of(eve) == datetime(2026, 12, 1, tzinfo=UTC)
    assert month_of(eve, 1) == datetime(2027, 1, 1, tzinfo=UTC)
    assert month_of(eve, -12) == datetime(2025, 12, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "url", ["", "floor.db", "mysql://host/floor", "postgresql://u:secret@host", "sqlite://", "::"]
)
def test_a_url_of_no_database_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(StoreSettingsError, match="is not a database of a floor") as refused:
        database_url(url)
    assert "secret" not in str(refused.value)


def test_a_query_before_the_tables_are_made_can_be_tried_again(url: str) -> None:
    store = FloorStore(url)
    query = text("SELECT count(*) FROM events")
    with pytest.raises(StoreUnavailableError):
        store.read(lambda connection: connection.execute(query))
    store.open()
    assert store.read(lambda connection: connection.execute(query).scalar()) == 0
    store.close()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "floor.db").write_bytes(b"no database" * 1000)
    store = FloorStore(f"sqlite:///{tmp_path / 'floor.db'}")
    with pytest.raises(StoreSettingsError, match="file is not a database"):
        store.open()
    store.close()


@pytest.mark.slow
def test_a_user_without_the_right_to_create_tables_is_refused(postgres: PostgresProcess) -> None:
    url = postgres.new_database()
    owner = FloorStore(url)
    owner.write(lambda c: c.execute(text("CREATE ROLE guest LOGIN")))
    guest = FloorStore(url.replace("//floor@", "//guest@"))
    with pytest.raises(StoreSettingsError, match="permission denied"):
        guest.open()
    for store in (owner, guest):
        store.close()


@pytest.mark.slow
def test_the_second_host_of_a_url_is_taken_when_the_first_does_not_answer(
    postgres: PostgresProcess,
) -> None:
    name = postgres.new_database().rpartition("/")[2]
    store = FloorStore(
        f"postgresql://floor@/{name}?host=127.0.0.1:1&host=127.0.0.1:{postgres.port}"
        "&target_session_attrs=read-write"
    )
    store.open()
    (taken,) = store.take([batch_of(LINES, 0, 3)])
    assert taken.stored == 3
    store.close()


def test_a_database_of_the_last_release_keeps_its_tables_and_none_is_retired(url: str) -> None:
    """A backup that was made before is such a database."""

    def as_before(connection: Connection) -> None:
        connection.execute(text("DROP TABLE table_changes"))
        for column in ("label", "retired"):
            connection.execute(text(f"ALTER TABLE tables DROP COLUMN {column}"))
        connection.execute(text("UPDATE alembic_version SET version_num = '0002'"))

    store = FloorStore(url)
    store.open()
    store.take([batch_of(LINES, 0, 3)])
    store.write(as_before)
    store.close()
    upgraded = FloorStore(url)
    upgraded.open()
    (table,) = upgraded.read(lambda connection: floor_tables(connection, "club"))
    assert (table.address.table, table.label, table.retired) == ("a1", "", None)
    (taken,) = upgraded.take([batch_of(LINES, 3, 9)])
    assert taken.stored == 6
    upgraded.close()
