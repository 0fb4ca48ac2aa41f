"""The comparison of the floor's figures with a table's journal."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.floor.demo.comparison import (
    NOTHING,
    CountedFigures,
    JournalFigures,
    difference,
    journal_figures,
)

JOURNAL = JournalFigures(CountedFigures(50, 1400, 4, 2), set_size=28, starts=1)


def test_equal_figures_and_those_of_a_process_that_was_killed_agree() -> None:
    assert difference(JOURNAL.counts, JOURNAL) == ""
    assert difference(CountedFigures(46, 1400 + 56, 5, 1), JOURNAL) == ""


@pytest.mark.parametrize(
    ("floor", "defect"),
    [
        (CountedFigures(45, 1400, 4, 2), "the floor's page has 45 rounds, its journal 50"),
        (CountedFigures(50, 1457, 4, 2), "the floor's page has 1457 tiles, its journal 1400"),
        (CountedFigures(50, 1400, 6, 2), "the floor's page has 6 jams, its journal 4"),
        (CountedFigures(50, 1400, 4, 0), "the floor's page has 0 assists, its journal 2"),
        (NOTHING, "the floor's page has 0 rounds, its journal 50"),
    ],
)
def test_a_larger_difference_is_named(floor: CountedFigures, defect: str) -> None:
    assert difference(floor, JOURNAL) == defect


def test_a_table_without_a_journal_has_no_figures(tmp_path: Path) -> None:
    assert journal_figures(tmp_path / "table.journal") == JournalFigures(NOTHING, 0, 0)
