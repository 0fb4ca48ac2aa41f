"""Finds the table and the game that a command line names by name, YAML file or folder."""

from __future__ import annotations

from pathlib import Path

from config.loader import load_game, load_table, table_names
from config.plugin_folder import add_folder
from config.schema import GameConfig, Table
from controller.cli.errors import BadInputError, unknown_name
from rules.games import GAMES, PLUGINS
from rules.setup import Game


def game_named(given: str) -> tuple[Game, GameConfig]:
    """Load a game and its configuration: by name, YAML file, or folder of its package.

    Raises BadInputError for an unknown name, PluginError for a defective package, or ConfigErrors
    for a defective file.
    """
    if _is_name(given) or Path(given).is_dir():
        given = game_name(given)
    config = load_game(given)
    return GAMES[config.game], config


def game_name(given: str) -> str:
    """The name of a game that is given by name, YAML file, or folder of its package.

    Raises the same errors as `game_named`.
    """
    if not _is_name(given):
        folder = Path(given)
        return _only_game(folder) if folder.is_dir() else load_game(given).game
    if given not in GAMES:
        raise BadInputError(" ".join((unknown_name("game", given, GAMES), *PLUGINS.broken)))
    return given


def _only_game(folder: Path) -> str:
    plugins = add_folder(folder)
    if len(plugins) > 1:
        names = ", ".join(plugin.name for plugin in plugins)
        raise BadInputError(
            f"The folder '{folder}' contains several games ({names}); install it with pip, then"
            " name one of them."
        )
    return plugins[0].name


def table_named(given: str) -> Table:
    """Load a table by name or YAML file. Raises BadInputError or ConfigErrors."""
    if given not in table_names() and _is_name(given):
        raise BadInputError(unknown_name("table", given, table_names()))
    return load_table(given)


def require_fit(table: Table, game: Game, config: GameConfig) -> None:
    """Raise BadInputError, with the reasons, if a game does not fit a table."""
    from config.validation.checks import fit

    verdict = fit(table, game, config)
    if not verdict.fits:
        raise BadInputError(
            f"{game.title} does not fit the table {table.name}: {' '.join(verdict.reasons)}"
            " 'wallwright games' lists the tables of each game."
        )


def _is_name(given: str) -> bool:
    """Whether the text is a name; a path contains a slash or a dot."""
    return "/" not in given and "." not in given
