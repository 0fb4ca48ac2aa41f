"""The table and the game that a command line names, by name, file or folder; whether they fit."""

from __future__ import annotations

from pathlib import Path

from config.loader import load_game, load_table, table_names
from config.plugin_folder import add_folder
from config.schema import GameConfig, Table
from controller.cli.errors import BadInputError, unknown_name
from rules.games import GAMES, PLUGINS
from rules.setup import Game


def game_named(given: str) -> tuple[Game, GameConfig]:
    """A game and its configuration: by name, by its YAML file, or by the folder of its package.

    Raises BadInput, PluginError for a package's defects, or ConfigErrors for a file's.
    """
    if _is_name(given) or Path(given).is_dir():
        given = game_name(given)
    config = load_game(given)
    return GAMES[config.game], config


def game_name(given: str) -> str:
    """The name of the game that is called so, or that lies in this folder or YAML file.

    Raises as `game_named` does.
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
            f"The folder '{folder}' has several games ({names}); install it with pip, then give the"
            " name of one."
        )
    return plugins[0].name


def table_named(given: str) -> Table:
    """A table. Raises BadInput, or ConfigErrors for a file's defects."""
    if given not in table_names() and _is_name(given):
        raise BadInputError(unknown_name("table", given, table_names()))
    return load_table(given)


def require_fit(table: Table, game: Game, config: GameConfig) -> None:
    """Raise BadInput with the reasons if a game does not fit a table."""
    from config.validation.checks import fit

    verdict = fit(table, game, config)
    if not verdict.fits:
        raise BadInputError(
            f"{game.title} does not fit the table {table.name}: {' '.join(verdict.reasons)}"
            " 'wallwright games' lists the tables of each game."
        )


def _is_name(given: str) -> bool:
    """A file is named with its folder or its suffix."""
    return "/" not in given and "." not in given
