from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.stories import Story, prove, stories


def told(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("story", stories(name), ids=lambda story: story.what)


@told("values")
def test_a_wrong_value_is_told_with_its_line_its_key_and_a_cure(
    story: Story, tmp_path: Path
) -> None:
    prove(story, tmp_path)


@told("wiring")
def test_bad_wiring_is_told_where_it_stands(story: Story, tmp_path: Path) -> None:
    prove(story, tmp_path)


@told("mechanics")
def test_modules_that_cannot_work_together_are_told(story: Story, tmp_path: Path) -> None:
    prove(story, tmp_path)


@told("games")
def test_a_game_that_cannot_be_played_so_is_told(story: Story, tmp_path: Path) -> None:
    prove(story, tmp_path)


def test_there_are_stories_enough() -> None:
    told_in_all = [
        story for name in ("values", "wiring", "mechanics", "games") for story in stories(name)
    ]
    assert len({story.what for story in told_in_all}) == len(told_in_all) >= 90
