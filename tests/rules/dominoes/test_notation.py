"""Dominoes: actions written as text and read from it."""

from __future__ import annotations

import pytest

from rules.errors import NotationError
from rules.games.dominoes.actions import Call, Draw, Go, Lay, Show, parse
from rules.play import Action

TEXTS = [
    (Lay(2, "6-4"), "6-4"),
    (Lay(2, "6-4", "6"), "6-4 on 6"),
    (Lay(2, "6-4", "6-6"), "6-4 on 6-6"),
    (Lay(2, "6-4", "4-4 side"), "6-4 on 4-4 side"),
    (Lay(2, "5-4", "4-4 end"), "5-4 on 4-4 end"),
    (Lay(2, "1-1", "4", "crosswise"), "1-1 crosswise on 4"),
    (Lay(2, "1-1", "", "in line"), "1-1 in line"),
    (Lay(2, "6-1", "3", "", 6), "6-1 on 3, 6 out"),
    (Draw(2), "draw"),
    (Go(2), "go"),
    (Call(2), "call"),
    (Show(2, "3-3"), "show 3-3"),
]


@pytest.mark.parametrize(("action", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_an_action_is_written_and_read(action: Action, text: str) -> None:
    assert str(action) == text
    assert parse(2, text) == action


def test_the_halves_of_a_tile_are_read_in_either_order() -> None:
    assert parse(0, "4-6 on 6") == Lay(0, "6-4", "6")


@pytest.mark.parametrize("text", ["", "pass", "6-4 onto 6", "6-4 on", "64", "1-1 across on 4"])
def test_the_error_for_an_unknown_action_lists_the_notation(text: str) -> None:
    with pytest.raises(NotationError, match="dominoes; write '6-4', '6-4 on"):
        parse(0, text)


def test_a_tile_of_another_set_is_refused() -> None:
    with pytest.raises(
        NotationError, match=r"'9-1' is not a domino; write a tile from 0-0 to 6-6\."
    ):
        parse(0, "9-1 on 1")
