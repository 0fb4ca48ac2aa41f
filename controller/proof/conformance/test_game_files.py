"""The files of a game: its settings load and fit a table, and its example of a case is judged."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import get_type_hints

import pytest

from config.errors import ConfigErrors
from config.judge_cases import example_case, load_case
from config.loader import game_names, game_parameters, load_game, load_table, table_names
from config.validation.checks import fit
from rules.plugin import GamePlugin


def test_the_file_describes_the_game(plugin: GamePlugin) -> None:
    assert plugin.name in game_names()
    config = load_game(plugin.name)
    assert config.game == plugin.name
    assert type(game_parameters(config)) is type(plugin.game.parameters())


def test_parameters_are_a_frozen_dataclass_with_types(plugin: GamePlugin) -> None:
    parameters = plugin.game.parameters()
    assert is_dataclass(parameters)
    assert hash(parameters) == hash(plugin.game.parameters())
    assert {field.name for field in fields(parameters)} <= get_type_hints(type(parameters)).keys()


def test_the_game_fits_a_table(plugin: GamePlugin) -> None:
    """Fails also if the tiles are too long for every table; document that with the game."""
    config = load_game(plugin.name)
    fits = {name: fit(load_table(name), plugin.game, config) for name in table_names()}
    assert any(each.fits for each in fits.values()), {n: f.reasons for n, f in fits.items()}


def test_a_case_is_a_frozen_dataclass_whose_fields_can_be_read_from_yaml(
    judged: GamePlugin, tmp_path: Path
) -> None:
    case = judged.require_judging().case
    assert is_dataclass(case)
    assert fields(case)
    file = tmp_path / "case.yaml"
    file.write_text("no_such_key_of_any_case: 1\n", encoding="utf-8")
    with pytest.raises(ConfigErrors, match="no_such_key_of_any_case"):
        load_case(judged.name, file)


def test_the_example_of_a_case_is_judged(judged: GamePlugin, tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text(example_case(judged.name), encoding="utf-8")
    verdict = judged.require_judging().judge(load_case(judged.name, file))
    assert verdict.reasons
