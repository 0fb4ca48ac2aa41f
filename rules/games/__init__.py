"""All games, by their command-line names.

A game is found in the package of its name in this folder, or as an installed plug-in
(`rules.plugin`). Its set-up is imported when the game is first looked up, its play when the game is
first played.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rules.errors import IllegalSetupError
from rules.plugin import GamePlugin, Registry
from rules.setup import Game

if TYPE_CHECKING:
    from rules.judging import Judging
    from rules.play import AnyRules
    from rules.results import GameResults

PLUGINS = Registry(__name__, __path__)
"""Every game's plug-in, by the game's name."""


class _Games(Mapping[str, Game]):
    """The set-ups of all plug-ins."""

    def __getitem__(self, name: str) -> Game:
        return PLUGINS[name].game

    def __iter__(self) -> Iterator[str]:
        return iter(PLUGINS)

    def __len__(self) -> int:
        return len(PLUGINS)


GAMES: Mapping[str, Game] = _Games()
"""Every game's set-up, by the game's name."""


def find_game(name: str) -> Game:
    """The game of that name. Raises IllegalSetupError for an unknown name."""
    return find_plugin(name).game


def find_plugin(name: str) -> GamePlugin:
    """The plug-in of that game. Raises IllegalSetupError for an unknown name."""
    plugin = PLUGINS.get(name)
    if plugin is None:
        raise IllegalSetupError(f"There is no game '{name}'; choose one of {', '.join(PLUGINS)}.")
    return plugin


def rules_of(name: str) -> AnyRules:
    """The rules of play of the game of that name.

    Raises IllegalSetupError for an unknown name and PluginError for a game without rules of play.
    """
    return find_plugin(name).require_rules()


def judging_of(name: str) -> Judging:
    """The judge of the game of that name.

    Raises IllegalSetupError for an unknown name and PluginError for a game without a judge.
    """
    return find_plugin(name).require_judging()


def results_of(name: str) -> GameResults:
    """The results of the game of that name: their form, and the hand that follows from one.

    Raises IllegalSetupError for an unknown name and PluginError for a plug-in with wrong results.
    """
    return find_plugin(name).require_results()
