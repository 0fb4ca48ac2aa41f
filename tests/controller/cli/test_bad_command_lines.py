"""An invalid command line is refused with one sentence, before anything moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.loader import table_names
from rules.games import GAMES
from tests.controller.cli.conftest import Wallwright

LINES = (Path(__file__).parent / "bad_command_lines.txt").read_text().splitlines()
LISTS = {"GAMES": tuple(GAMES), "TABLES": table_names()}
"""Placeholders in the expected sentences for the names of all games and all tables."""
REFUSED = [
    (line.removeprefix("$ "), LINES[number + 1])
    for number, line in enumerate(LINES)
    if line.startswith("$ ")
]


@pytest.mark.parametrize(("line", "sentence"), REFUSED, ids=[line for line, _ in REFUSED])
def test_the_error_is_printed_to_standard_error_only(
    line: str, sentence: str, wallwright: Wallwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whether the firmware is built on this computer decides which error comes first.
    monkeypatch.setattr("firmware_bridge.commissioning.flashing.require_built", bytes)
    for word, names in LISTS.items():
        sentence = sentence.replace(f"there are {word}.", f"there are {', '.join(names)}.")
    assert wallwright(line) == (2, "", sentence + "\n")


def test_the_file_has_at_least_60_different_lines() -> None:
    assert len({line for line, _ in REFUSED}) == len(REFUSED) >= 60
