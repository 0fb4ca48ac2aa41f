"""Tables are retired, taken back and renamed: one transaction each, in both databases."""

from __future__ import annotations

import os
from datetime import timedelta

import pytest
from sqlalchemy import Connection

from controller.floor.figures.table_use import TableInUseError, retire_unless_in_use
from controller.floor.store.floor_store import FloorStore
from controller.floor.store.ingestion import Refusal
from controller.floor.store.table_changes import (
    LONGEST_REASON,
    LONGEST_TITLE,
    ChangedBy,
    FloorTable,
    TableChangeError,
    UnknownTableError,
    floor_tables,
    mark_recorded,
    read_roster,
    rename_table,
    require_title,
    retire_table,
    retirements,
    unrecorded_changes,
    unretire_table,
)
from controller.floor.store.tables import known_tables, note_birth
from tests.controller.floor.event_lines import BEGUN, BIRTH, batch_of, birth_of, lines_of, log_id
from tests.controller.floor.store.conftest import stored_lines

LINES = lines_of(9)
ANN = ChangedBy("ann", "technician", "10.0.0.7", "sold")
LATER = BEGUN + timedelta(days=1)


@pytest.fixture(autouse=True)
def _two_tables(store: FloorStore) -> None:
    for name in ("a1", "a2"):
        store.take([batch_of(LINES, 0, 5, name)])


def retire(store: FloorStore, table: str, by: ChangedBy = ANN) -> FloorTable:
    return store.write(lambda c: retire_table(c, "club", table, by, LATER))


def unretire(store: FloorStore, table: str) -> FloorTable:
    return store.write(lambda c: unretire_table(c, "club", table, ANN, LATER))


def rename(store: FloorStore, table: str, title: str) -> FloorTable:
    return store.write(lambda c: rename_table(c, "club", table, title, ANN, LATER))


def titles(store: FloorStore) -> dict[str, str]:
    found = store.read(lambda c: floor_tables(c, "club"))
    return {each.address.table: each.title for each in found if each.retired is None}


def test_a_retired_table_stores_nothing_more_and_keeps_its_history(store: FloorStore) -> None:
    retire(store, "a1")
    refused, taken = store.take([batch_of(LINES, 5, 9), batch_of(LINES, 5, 9, "a2")])
    assert (refused.refusal, refused.stored) == (Refusal.RETIRED, 0)
    assert taken.stored == 4
    assert stored_lines(store) == LINES[:5]
    address = refused.batch.address
    newer = birth_of(BIRTH, log_id(LINES), "Another title")
    store.write(lambda c: note_birth(c, address, newer, LATER))
    assert [each.title for each in store.read(lambda c: floor_tables(c, "club"))] == ["a1", "a2"]
    expected = store.read(lambda c: known_tables(c, "club", BEGUN))
    assert [each.address.table for each in expected] == ["a2"]
    assert store.read(lambda c: read_roster(c, "club")).retired == {address: "a1"}


def test_a_table_that_comes_back_goes_on_where_its_history_ended(store: FloorStore) -> None:
    retire(store, "a1")
    unretire(store, "a1")
    (taken,) = store.take([batch_of(LINES, 5, 9)])
    assert taken.stored == 4
    assert stored_lines(store) == LINES


def test_each_change_is_kept_with_who_and_why_until_a_service_has_recorded_it(
    store: FloorStore,
) -> None:
    retire(store, "a1")
    unretire(store, "a1")
    rename(store, "a1", "Window table")
    changes = store.read(lambda c: unrecorded_changes(c, "club"))
    assert [(each.what.value, each.table, each.before, each.after) for each in changes] == [
        ("retire_table", "a1", "a1", "a1"),
        ("unretire_table", "a1", "a1", "a1"),
        ("rename_table", "a1", "a1", "Window table"),
    ]
    assert {each.by for each in changes} == {ANN}
    store.write(lambda c: mark_recorded(c, [each.key for each in changes]))
    assert store.read(lambda c: unrecorded_changes(c, "club")) == ()
    retire(store, "a1", ChangedBy("ben", reason="broken"))
    last = store.read(lambda c: retirements(c, "club"))["a1"]
    assert (last.by.who, last.by.reason) == ("ben", "broken")


def test_a_table_is_retired_once_and_taken_back_once(store: FloorStore) -> None:
    retire(store, "a1")
    with pytest.raises(TableChangeError, match=r"a1 was retired on 2026-11-25 20:00 UTC"):
        retire(store, "a1")
    unretire(store, "a1")
    with pytest.raises(TableChangeError, match="a1 is not retired"):
        unretire(store, "a1")
    with pytest.raises(UnknownTableError, match="no table 'a9'"):
        retire(store, "a9")


def test_a_table_is_renamed_and_renamed_back(store: FloorStore) -> None:
    rename(store, "a1", "Window table")
    assert titles(store) == {"a1": "Window table", "a2": "a2"}
    rename(store, "Window table", "牌桌 7")
    with pytest.raises(TableChangeError, match="has the title '牌桌 7' already"):
        rename(store, "a1", "牌桌 7")
    rename(store, "a1", "")
    assert titles(store) == {"a1": "a1", "a2": "a2"}
    with pytest.raises(TableChangeError, match="already"):
        rename(store, "a1", "")


@pytest.mark.parametrize("title", ["Table 7", "TABLE 7", "Tab1e 7", "a2"])
def test_a_title_that_people_take_for_another_tables_is_refused(
    store: FloorStore, title: str
) -> None:
    rename(store, "a2", "Table 7")
    with pytest.raises(TableChangeError, match="cannot be told apart"):
        rename(store, "a1", title)
    assert titles(store)["a1"] == "a1"


def test_a_new_machine_gets_the_title_of_a_retired_one_which_then_cannot_come_back_with_it(
    store: FloorStore,
) -> None:
    rename(store, "a1", "Table 7")
    retire(store, "Table 7")
    rename(store, "a2", "Table 7")
    with pytest.raises(TableChangeError, match="rename that table first"):
        unretire(store, "a1")
    rename(store, "a1", "Old table 7")
    unretire(store, "a1")
    assert titles(store) == {"a1": "Old table 7", "a2": "Table 7"}


@pytest.mark.parametrize(
    "title",
    [
        "",
        " ",
        "Table  7",
        " Table 7",
        "T\u0430ble 7",
        "Table\u200b7",
        "T\n7",
        "<b>",
        "x" * 61,
        "\0",
    ],
)
def test_a_title_with_characters_that_mislead_is_refused(title: str) -> None:
    assert LONGEST_TITLE == 60
    with pytest.raises(TableChangeError, match="title"):
        require_title(title)


@pytest.mark.parametrize("reason", ["x" * (LONGEST_REASON + 1), "two\nlines", "\u202esdlos"])
def test_a_reason_is_one_printable_line(reason: str) -> None:
    with pytest.raises(TableChangeError, match="printable characters on one line"):
        ChangedBy("ann", reason=reason)


def test_a_table_in_play_is_retired_only_if_a_person_confirms_it(store: FloorStore) -> None:
    store.take([batch_of(lines_of(3, "a3", "run_started"), 0, 3, "a3")])

    def change(connection: Connection, *, is_confirmed: bool = False) -> FloorTable:
        return retire_unless_in_use(connection, "club", "a3", ANN, LATER, is_confirmed=is_confirmed)

    with pytest.raises(TableInUseError, match=r"a3 is in use\. It is in play: a run began on"):
        store.write(change)
    assert "a3" in titles(store)
    store.write(lambda c: change(c, is_confirmed=True))
    assert "a3" not in titles(store)


def test_a_command_that_is_killed_before_its_commit_has_changed_nothing(
    store: FloorStore, url: str
) -> None:
    def killed(connection: Connection) -> None:
        retire_table(connection, "club", "a1", ANN, LATER)
        os._exit(9)

    child = os.fork()
    if not child:
        try:
            FloorStore(url).write(killed)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert "a1" in titles(store)
    assert store.read(lambda c: unrecorded_changes(c, "club")) == ()
    retire(store, "a1")
