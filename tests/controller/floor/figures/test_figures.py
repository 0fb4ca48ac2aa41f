from __future__ import annotations

from datetime import timedelta
from random import Random

import pytest
from sqlalchemy import Connection

from controller.floor.figures.reading import read_figures
from controller.floor.figures.table_figures import TableFigures, Window, WindowError, together
from tests.controller.floor.figures.slow_truth import true_figures
from tests.controller.floor.figures.stored_logs import NOON, Happened, happened, random_log, stored

JAM = {"code": "JAM", "part": "head 0"}


def hours(begin: float, end: float) -> Window:
    return Window(NOON + timedelta(hours=begin), NOON + timedelta(hours=end))


def figures_of(
    url: str, events: list[Happened], begin: float = 0, end: float = 1, now: float = 100
) -> TableFigures:
    with stored(url, {"t1": events}) as connection:
        found = read_figures(connection, hours(begin, end), NOON + timedelta(hours=now))
    return found.get(1, TableFigures())


def check_against_the_slow_truth(url: str, seed: int, logs: int) -> None:
    chance = Random(seed)
    every = {f"t{number}": random_log(chance, 120) for number in range(logs)}
    with stored(url, every) as connection:
        for _ in range(8):
            begin = chance.uniform(-3600, 8000)
            end = begin + chance.choice((600, 3600, 40000))
            now = max(log[-1].after for log in every.values()) + chance.choice((1, 5000))
            check_one_range(connection, every, begin, end, now)


def check_one_range(
    connection: Connection, every: dict[str, list[Happened]], begin: float, end: float, now: float
) -> None:
    window = Window(NOON + timedelta(seconds=begin), NOON + timedelta(seconds=end))
    found = read_figures(connection, window, NOON + timedelta(seconds=now))
    for table, events in enumerate(every.values(), 1):
        lines = [event.line(number) for number, event in enumerate(events)]
        wanted = true_figures(lines, begin, end, now)
        got = found.get(table, TableFigures())
        for key, value in wanted.items():
            computed = getattr(got, key)
            close = pytest.approx(value, abs=0.2) if isinstance(value, float) else value
            assert computed == close, f"{key} of table {table}"


@pytest.mark.parametrize("seed", range(6))
def test_the_figures_are_those_of_a_plain_count_over_all_lines(sqlite_url: str, seed: int) -> None:
    check_against_the_slow_truth(sqlite_url, seed, 3)


@pytest.mark.slow
def test_postgresql_computes_the_same_figures(postgres_url: str) -> None:
    check_against_the_slow_truth(postgres_url, 100, 20)


def test_rounds_an_hour_count_the_time_in_operation_only(sqlite_url: str) -> None:
    rounds = [
        happened(600 + 60 * n, "receipt", kind="round", began=f"round {n}") for n in range(10)
    ]
    figures = figures_of(
        sqlite_url,
        [
            happened(0, "power_up"),
            happened(10, "run_started"),
            *rounds,
            happened(1810, "service_stopped"),
        ],
    )
    assert figures.rounds == 10
    assert figures.rounds_per_hour == pytest.approx(20)


def test_a_round_with_two_receipts_is_one_round(sqlite_url: str) -> None:
    receipt = {"kind": "round", "began": "12:00"}
    figures = figures_of(
        sqlite_url, [happened(1, "receipt", **receipt), happened(2, "receipt", **receipt)]
    )
    assert figures.rounds == 1


def test_tiles_per_jam_counts_jams_that_the_machine_recovered_and_that_stopped_it(
    sqlite_url: str,
) -> None:
    figures = figures_of(
        sqlite_url,
        [
            happened(1, "set_built", counted=136),
            happened(2, "recovered", **JAM),
            happened(3, "set_built", counted=136),
            happened(4, "fault", **JAM),
        ],
    )
    assert (figures.tiles, figures.jams, figures.tiles_per_jam) == (272, 2, 136)
    assert figures.faults == {"JAM": 1}
    assert figures.recoveries == {"JAM": 1}


def test_the_time_to_assist_ends_with_the_answer_and_not_with_a_withdrawal(
    sqlite_url: str,
) -> None:
    figures = figures_of(
        sqlite_url,
        [
            happened(0, "run_started"),
            happened(100, "operator_prompted", **JAM),
            happened(130, "prompt_answered", **JAM),
            happened(200, "operator_prompted", **JAM),
            happened(500, "prompt_withdrawn", **JAM),
            happened(600, "operator_prompted", code="FORGOTTEN", part="lid"),
            happened(900, "prompt_answered", code="FORGOTTEN", part="lid"),
            happened(1000, "ready"),
        ],
    )
    assert (figures.assists, figures.mtta, figures.mtba) == (1, 30, 1000)


def test_a_fault_that_nobody_has_cleared_is_out_of_play_until_now(sqlite_url: str) -> None:
    figures = figures_of(
        sqlite_url,
        [happened(0, "power_up"), happened(1, "run_started"), happened(1800, "fault", **JAM)],
        now=0.75,
    )
    assert figures.out_of_play_s == pytest.approx(900)
    assert figures.operating_s == pytest.approx(1799)


def test_a_run_that_began_before_the_time_range_counts_within_it(sqlite_url: str) -> None:
    figures = figures_of(
        sqlite_url,
        [happened(0, "run_started"), happened(36000, "paused", why="SILENT")],
        begin=2,
        end=3,
    )
    assert figures.operating_s == pytest.approx(3600)
    assert figures.out_of_play_s == 0


def test_the_night_after_a_kill_counts_neither_as_operation_nor_as_out_of_play(
    sqlite_url: str,
) -> None:
    figures = figures_of(
        sqlite_url,
        [
            happened(0, "power_up"),
            happened(0, "run_started"),
            happened(60, "paused", why="COMMAND"),
            happened(90, "dice_thrown"),
            happened(30000, "power_up"),
        ],
        end=10,
    )
    assert figures.operating_s == pytest.approx(90)
    assert figures.out_of_play_s == pytest.approx(30)


def test_a_table_that_was_taken_out_of_play_stays_so_over_a_restart(sqlite_url: str) -> None:
    figures = figures_of(
        sqlite_url,
        [
            happened(0, "power_up"),
            happened(100, "taken_out_of_play"),
            happened(200, "service_stopped"),
            happened(1000, "power_up"),
            happened(1300, "put_in_play"),
        ],
    )
    assert figures.out_of_play_s == pytest.approx(100 + 300)


def test_a_table_without_events_has_no_figures_and_no_quotients(sqlite_url: str) -> None:
    figures = figures_of(sqlite_url, [])
    assert figures == TableFigures()
    assert (figures.rounds_per_hour, figures.mtba, figures.mtta, figures.tiles_per_jam) == (
        None,
        None,
        None,
        None,
    )


def test_hostile_details_count_as_nothing_and_end_no_query(sqlite_url: str) -> None:
    figures = figures_of(
        sqlite_url,
        [
            happened(1, "set_built", counted="136'; DROP TABLE events; --"),
            happened(2, "set_built", counted=10**14),
            happened(3, "fault", code={"a": ["b"]}, part=7),
            happened(4, "recovered"),
            happened(5, "receipt", kind="round", began=["x"]),
        ],
    )
    assert figures.tiles == 10**14
    assert figures.faults == {"other": 1}
    assert figures.recoveries == {"other": 1}


def test_the_room_adds_the_counts_of_its_tables() -> None:
    one = TableFigures(rounds=2, operating_s=60, jams=1, faults={"JAM": 1})
    room = together([one, one, TableFigures(faults={"LIFT": 3})])
    assert (room.rounds, room.operating_s, room.jams) == (4, 120, 2)
    assert room.faults == {"JAM": 2, "LIFT": 3}


def test_a_time_range_that_ends_before_it_begins_is_refused_with_both_times() -> None:
    with pytest.raises(WindowError, match=r"2026-11-24T13:00:00.*must end after"):
        hours(1, 0)
