"""The YAML file of a game: it loads, its parameters belong to the game, and a table fits it."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import get_type_hints

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
