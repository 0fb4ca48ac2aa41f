"""The table and the game that a command line names, by name or by file, and whether they fit."""

from __future__ import annotations

from config.loader import load_game, load_table, table_names
from config.schema import GameConfig, Table
from config.validation.checks import fit
from controller.cli.errors import BadInput, no_such
from rules.games import GAMES
from rules.setup import Game


def game_named(given: str) -> tuple[Game, GameConfig]:
    """A game and how this house plays it. Raises BadInput, or ConfigErrors for a file's defects."""
    if given not in GAMES and _is_name(given):
        raise BadInput(no_such("game", given, GAMES))
    config = load_game(given)
    return GAMES[config.game], config


def table_named(given: str) -> Table:
    """A table. Raises BadInput, or ConfigErrors for a file's defects."""
    if given not in table_names() and _is_name(given):
        raise BadInput(no_such("table", given, table_names()))
    return load_table(given)


def require_fit(table: Table, game: Game, config: GameConfig) -> None:
    """Raise BadInput with the reasons if a game does not fit a table."""
    verdict = fit(table, game, config)
    if not verdict.fits:
        raise BadInput(
            f"{game.title} does not fit the table {table.name}: {' '.join(verdict.reasons)}"
            " 'wallwright games' lists the tables of each game."
        )


def _is_name(given: str) -> bool:
    """A file is named with its folder or its suffix."""
    return "/" not in given and "." not in given
