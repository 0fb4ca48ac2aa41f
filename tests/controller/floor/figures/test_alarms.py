from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

import pytest
from sqlalchemy import Connection
from sqlalchemy.event import listen

from controller.floor.figures.alarms import (
    Acknowledgement,
    Alarm,
    AlarmBook,
    NotAcknowledgedError,
    OpenAlarms,
    StoredEvent,
    acknowledge,
)
from tests.controller.floor.figures.stored_logs import (
    NOON,
    Happened,
    add_log,
    happened,
    random_log,
    store,
    stored,
)

JAM = {"code": "JAM", "part": "head 0", "evidence": "blocked", "request": "Clear it."}
NOW = NOON + timedelta(days=1)


def alarms_of(book: AlarmBook, connection: Connection, now: datetime = NOW) -> list[Alarm]:
    return [alarm for table in book.read(connection, now) for alarm in table.alarms]


def open_after(url: str, *events: Happened) -> list[Alarm]:
    with stored(url, {"t1": events}) as connection:
        return alarms_of(AlarmBook(), connection)


def test_a_prompt_is_an_alarm_since_its_time_until_it_is_answered(sqlite_url: str) -> None:
    with stored(sqlite_url, {"t1": [happened(30, "operator_prompted", **JAM)]}) as connection:
        book = AlarmBook()
        (alarm,) = alarms_of(book, connection)
        assert (alarm.code, alarm.part, alarm.request) == ("JAM", "head 0", "Clear it.")
        assert alarm.since == NOON + timedelta(seconds=30)
        store(connection, 1, [happened(60, "prompt_answered", **JAM)], first=1)
        assert alarms_of(book, connection) == []


@pytest.mark.parametrize("end", ["prompt_withdrawn", "power_up", "run_started", "service_stopped"])
def test_an_alarm_also_ends_when_its_prompt_or_its_run_ends(sqlite_url: str, end: str) -> None:
    assert not open_after(
        sqlite_url, happened(1, "operator_prompted", **JAM), happened(2, end, **JAM)
    )


def test_a_fault_is_an_alarm_until_the_next_run(sqlite_url: str) -> None:
    fault = happened(1, "fault", **JAM)
    assert [alarm.kind for alarm in open_after(sqlite_url, fault)] == ["fault"]


def test_a_fault_stays_an_alarm_when_the_table_is_switched_off(sqlite_url: str) -> None:
    left = open_after(sqlite_url, happened(1, "fault", **JAM), happened(2, "service_stopped"))
    assert [alarm.kind for alarm in left] == ["fault"]


def test_only_the_newest_log_of_a_table_has_alarms(sqlite_url: str) -> None:
    with stored(sqlite_url, {"t1": [happened(1, "fault", **JAM)]}) as connection:
        book = AlarmBook()
        assert len(alarms_of(book, connection)) == 1
        connection.exec_driver_sql(
            "INSERT INTO logs (table_id, log, begun, next) VALUES (1, 'b', '2027-01-01', 0)"
        )
        assert alarms_of(book, connection) == []


def test_a_named_person_acknowledges_an_alarm_once(sqlite_url: str) -> None:
    with stored(sqlite_url, {"t1": [happened(1, "fault", **JAM)]}) as connection:
        book = AlarmBook()
        ann = Acknowledgement(NOW, "Ann", "on my way")
        acknowledge(connection, 1, 0, ann, alarms_of(book, connection))
        assert [alarm.acknowledged for alarm in alarms_of(book, connection)] == [ann]
        with pytest.raises(NotAcknowledgedError, match="another person"):
            acknowledge(connection, 1, 0, ann, alarms_of(book, connection))
        with pytest.raises(NotAcknowledgedError, match="not open"):
            acknowledge(connection, 1, 9, ann, alarms_of(book, connection))
        assert [alarm.acknowledged for alarm in alarms_of(book, connection)] == [ann]


def test_an_event_that_is_read_twice_counts_once() -> None:
    prompt, answer = happened(1, "operator_prompted", **JAM), happened(2, "prompt_answered", **JAM)
    events = [
        StoredEvent(1, number, each.at, each.what, each.line(number))
        for number, each in enumerate((prompt, answer))
    ]
    closed = OpenAlarms().after(events)
    assert closed.after(events[:1]).alarms == ()


def test_a_book_reads_no_event_twice(sqlite_url: str) -> None:
    statements: list[str] = []
    events = [happened(1, "fault", **JAM), happened(2, "dice_thrown")]
    with stored(sqlite_url, {"t1": events}) as connection:
        book = AlarmBook()
        assert len(alarms_of(book, connection)) == 1

        def note(*given: object) -> None:
            statements.append(str(given[2]))

        listen(connection, "before_cursor_execute", note)
        assert len(alarms_of(book, connection)) == 1
    assert statements
    assert [each for each in statements if "FROM events" in each] == []


def test_reading_step_by_step_gives_the_same_alarms_as_reading_all_at_once(
    sqlite_url: str,
) -> None:
    chance = Random(5)
    for number in range(6):
        events = random_log(chance, 60)
        with stored(f"{sqlite_url}{number}", {}) as connection:
            log, book, first = add_log(connection, "t1"), AlarmBook(), 0
            while first < len(events):
                step = events[first : first + chance.randrange(1, 9)]
                store(connection, log, step, first)
                first += len(step)
                by_steps = alarms_of(book, connection)
                assert by_steps == alarms_of(AlarmBook(), connection)


def test_postgresql_and_sqlite_give_the_same_alarms_of_many_tables(
    sqlite_url: str, postgres_url: str
) -> None:
    """Each reads the same events of five tables in the same steps."""
    chance = Random(7)
    with stored(sqlite_url, {}) as ours, stored(postgres_url, {}) as theirs:
        histories = {f"t{number}": random_log(chance, 40) for number in range(5)}
        logs = {name: (add_log(ours, name), add_log(theirs, name)) for name in histories}
        books, found = (AlarmBook(), AlarmBook()), 0
        read = dict.fromkeys(histories, 0)
        while any(read[name] < len(events) for name, events in histories.items()):
            for name in chance.sample(sorted(histories), 2):
                step = histories[name][read[name] : read[name] + chance.randrange(1, 9)]
                for connection, log in zip((ours, theirs), logs[name], strict=True):
                    store(connection, log, step, read[name])
                read[name] += len(step)
            here, there = books[0].read(ours, NOW), books[1].read(theirs, NOW)
            assert {each.name: _plain(each.alarms) for each in here} == {
                each.name: _plain(each.alarms) for each in there
            }
            found += len(here)
        assert found > 20


def _plain(alarms: Sequence[Alarm]) -> list[Alarm]:
    """Alarms without the number that a database gives to their log."""
    return [replace(alarm, log_id=0) for alarm in alarms]
