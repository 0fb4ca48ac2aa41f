from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.broken_files import BrokenFile, broken_files, check_messages

FILES = ("values", "wiring", "electrical", "currents", "mechanics", "games")


def each_broken_file(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("broken", broken_files(name), ids=lambda broken: broken.what)


@each_broken_file("values")
def test_a_wrong_value_is_reported_with_its_line_its_key_and_a_next_step(
    broken: BrokenFile, tmp_path: Path
) -> None:
    check_messages(broken, tmp_path)


@each_broken_file("wiring")
def test_wrong_wiring_is_reported_with_its_line(broken: BrokenFile, tmp_path: Path) -> None:
    check_messages(broken, tmp_path)


@each_broken_file("electrical")
def test_a_channel_that_contradicts_its_electrical_profile_is_reported(
    broken: BrokenFile, tmp_path: Path
) -> None:
    check_messages(broken, tmp_path)


@each_broken_file("currents")
def test_a_limit_of_current_that_cannot_hold_is_reported(
    broken: BrokenFile, tmp_path: Path
) -> None:
    check_messages(broken, tmp_path)


@each_broken_file("mechanics")
def test_modules_that_cannot_work_together_are_reported(broken: BrokenFile, tmp_path: Path) -> None:
    check_messages(broken, tmp_path)


@each_broken_file("games")
def test_a_game_with_impossible_parameters_is_reported(broken: BrokenFile, tmp_path: Path) -> None:
    check_messages(broken, tmp_path)


def test_there_are_at_least_90_different_broken_files() -> None:
    every = [broken for name in FILES for broken in broken_files(name)]
    assert len({broken.what for broken in every}) == len(every) >= 90
