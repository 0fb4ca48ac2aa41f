"""Each test runs once for each game; a game without rules of play or a judge has fewer tests."""

from __future__ import annotations

import pytest

from rules.games import PLUGINS
from rules.plugin import GamePlugin


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Games for the tests: `plugin` is any, `played` has rules of play, `judged` has a judge."""
    plugins = {name: PLUGINS[name] for name in sorted(PLUGINS)}
    chosen = {
        "plugin": plugins,
        "played": {name: each for name, each in plugins.items() if each.rules is not None},
        "judged": {name: each for name, each in plugins.items() if each.judging is not None},
    }
    for argument, games in chosen.items():
        if argument in metafunc.fixturenames:
            metafunc.parametrize(argument, _params(games))


def _params(games: dict[str, GamePlugin]) -> list[object]:
    return [pytest.param(plugin, id=name) for name, plugin in games.items()]
