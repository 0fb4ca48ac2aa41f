"""A command line that cannot be obeyed is refused in a sentence, before anything moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.loader import table_names
from rules.games import GAMES
from tests.controller.cli.conftest import Wallwright

TOLD = (Path(__file__).parent / "bad_command_lines.txt").read_text().splitlines()
LISTS = {"GAMES": tuple(GAMES), "TABLES": table_names()}
"""What stands in a sentence for the games and tables that there are."""
REFUSED = [
    (line.removeprefix("$ "), TOLD[number + 1])
    for number, line in enumerate(TOLD)
    if line.startswith("$ ")
]


@pytest.mark.parametrize(("line", "sentence"), REFUSED, ids=[line for line, _ in REFUSED])
def test_it_is_told_on_standard_error_alone(
    line: str, sentence: str, wallwright: Wallwright
) -> None:
    for word, names in LISTS.items():
        sentence = sentence.replace(f"there are {word}.", f"there are {', '.join(names)}.")
    assert wallwright(line) == (2, "", sentence + "\n")


def test_there_are_lines_enough() -> None:
    assert len({line for line, _ in REFUSED}) == len(REFUSED) >= 60
