"""The comparison of a table's audit log with the floor's database."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.floor.demo.comparison import compare_log, log_lines

LOG = ["a", "b", "c"]


def numbered(lines: list[str]) -> list[tuple[int, str]]:
    return list(enumerate(lines))


def test_the_same_events_are_no_difference_also_when_newer_ones_are_stored() -> None:
    assert compare_log(LOG, numbered(LOG)) == ""
    assert compare_log(LOG, numbered([*LOG, "d", "e"])) == ""


@pytest.mark.parametrize(
    ("stored", "defect"),
    [
        (numbered(["a", "b"]), "event 2 of the log and 0 later ones are missing"),
        ([], "event 0 of the log and 2 later ones are missing"),
        (numbered(["a", "X", "c"]), "event 1 differs from the log"),
        ([(0, "a"), (2, "c")], "the database has event 2 where 1 belongs"),
        ([(0, "a"), (0, "a"), (1, "b"), (2, "c")], "the database has event 0 where 1 belongs"),
        ([*numbered(LOG), (3, "d"), (3, "d")], "the numbers of the later events have gaps"),
    ],
)
def test_each_difference_is_named(stored: list[tuple[int, str]], defect: str) -> None:
    assert compare_log(LOG, stored).startswith(defect)


def test_a_line_that_is_being_written_is_not_compared(tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    assert log_lines(log) == []
    log.write_text('{"index":0}\n{"ind')
    assert log_lines(log) == ['{"index":0}']
