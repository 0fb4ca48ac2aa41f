"""docs/CONFIGURATION.md says of every key what it means, in which unit, and who reads it."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from config.schema import Unit
from rules.games import GAMES, PLUGINS
from tools.configuration_page import page, parameter_meanings
from tools.configuration_readers import parts, readers

ROW = re.compile(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \| (.*?) \| (.*?) \|$", re.MULTILINE)
OWN = sorted(name for name in GAMES if PLUGINS.is_own(name))


def test_every_key_has_a_meaning_a_value_a_default_and_a_reader() -> None:
    rows = ROW.findall(page().split("## Parameters of the games")[0])
    assert len(rows) > 120
    for key, meaning, value, _, default, read_by in rows:
        assert meaning and value and default and read_by, key


def test_every_part_of_the_schema_has_its_section() -> None:
    keys = {row[0] for row in ROW.findall(page())}
    for part in parts():
        assert set(part.model_fields) <= keys, part.__name__


def test_every_measure_has_a_unit() -> None:
    """A number with a fraction is a length, a time or a speed; the schema says in what."""
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


def test_a_key_is_read_where_it_is_used() -> None:
    found = readers()
    assert "controller.rounds.under_cycle" in found["DrumModule.mix"]
    assert "firmware_bridge.boards.encoding" in found["MotorChannel.max_on"]
    assert "controller.stations.heads" in found["HeadModule.vane"]
