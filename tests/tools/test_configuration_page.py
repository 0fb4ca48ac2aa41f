"""Tests that docs/build/CONFIGURATION.md has the meaning, unit and readers of every key."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from config.schema import Unit
from config.validation.game_parameters import parameter_meanings
from rules.games import GAMES, PLUGINS
from tools import pages
from tools.configuration_page import page
from tools.configuration_readers import parts, readers

ROW = re.compile(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \| (.*?) \| (.*?) \|$", re.MULTILINE)
OWN = sorted(name for name in GAMES if PLUGINS.is_own(name))


@pytest.mark.slow
def test_the_page_is_current() -> None:
    assert pages.stale(["docs/build/CONFIGURATION.md"]) == [], (
        "The page is not current: run `make docs`."
    )


@pytest.mark.slow
def test_every_key_has_a_meaning_a_value_a_default_and_a_reader() -> None:
    rows = ROW.findall(page().split("## Parameters of the games")[0])
    assert len(rows) > 120
    for key, meaning, value, _, default, read_by in rows:
        assert meaning and value and default and read_by, key


@pytest.mark.slow
def test_every_part_of_the_schema_has_a_section() -> None:
    keys = {row[0] for row in ROW.findall(page())}
    for part in parts():
        assert set(part.model_fields) <= keys, part.__name__


def test_every_fractional_number_has_a_unit() -> None:
    """A fractional number is a length, a time or a speed; the schema names its unit."""
    bare = [
        f"{part.__name__}.{name}"
        for part in parts()
        for name, field in part.model_fields.items()
        if "float" in str(field.annotation) and "Unit" not in repr(field)
    ]
    assert not bare
    assert Unit("s").symbol == "s"


@pytest.mark.parametrize("game", OWN)
def test_every_parameter_of_a_game_has_a_meaning(game: str) -> None:
    parameters = type(GAMES[game].parameters())
    meanings = parameter_meanings(parameters)
    assert not [field.name for field in fields(parameters) if not meanings.get(field.name)]


@pytest.mark.slow
def test_the_readers_of_a_key_are_the_modules_that_use_it() -> None:
    found = readers()
    assert "controller.run.rounds.under_cycle" in found["DrumModule.mix"]
    assert "firmware_bridge.boards.encoding" in found["MotorChannel.max_on"]
    assert "controller.run.stations.heads" in found["HeadModule.vane"]
