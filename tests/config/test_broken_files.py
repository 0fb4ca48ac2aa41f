from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.broken_files import BrokenFile, broken_files, prove


def told(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("broken", broken_files(name), ids=lambda broken: broken.what)


@told("values")
def test_a_wrong_value_is_told_with_its_line_its_key_and_a_cure(
    broken: BrokenFile, tmp_path: Path
) -> None:
    prove(broken, tmp_path)


@told("wiring")
def test_bad_wiring_is_told_where_it_stands(broken: BrokenFile, tmp_path: Path) -> None:
    prove(broken, tmp_path)


@told("mechanics")
def test_modules_that_cannot_work_together_are_told(broken: BrokenFile, tmp_path: Path) -> None:
    prove(broken, tmp_path)


@told("games")
def test_a_game_that_cannot_be_played_so_is_told(broken: BrokenFile, tmp_path: Path) -> None:
    prove(broken, tmp_path)


def test_there_are_stories_enough() -> None:
    told_in_all = [
        broken
        for name in ("values", "wiring", "mechanics", "games")
        for broken in broken_files(name)
    ]
    assert len({broken.what for broken in told_in_all}) == len(told_in_all) >= 90
