"""Runs each test once for each game; games without rules of play or a judge have fewer tests."""

from __future__ import annotations

import pytest

from rules.games import PLUGINS
from rules.plugin import GamePlugin


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test once for each game that its argument selects.

    `plugin` selects all games, `played` those with rules of play, `judged` those with a judge.
    """
    plugins = {name: PLUGINS[name] for name in sorted(PLUGINS)}
    games_by_argument = {
        "plugin": plugins,
        "played": {name: each for name, each in plugins.items() if each.rules is not None},
        "judged": {name: each for name, each in plugins.items() if each.judging is not None},
    }
    for argument, games in games_by_argument.items():
        if argument in metafunc.fixturenames:
            metafunc.parametrize(argument, _params(games))


def _params(games: dict[str, GamePlugin]) -> list[object]:
    return [pytest.param(plugin, id=name) for name, plugin in games.items()]
