"""`wallwright tables`, `games`, `version`: what there is."""

from __future__ import annotations

import sys
import tomllib
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path

import typer
from rich.table import Table as Grid

from config.loader import game_names, load_game, load_table, table_names
from config.validation.checks import fit
from controller.cli.screen import screen
from rules.games import PLUGINS, find_game

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
"""Where the version stands in a source tree that nobody installed."""


def tables() -> int:
    """List the tables that come with the program, and what each can do."""
    grid = Grid("table", "what it is", "sets", "modules", box=None)
    for name in table_names():
        table = load_table(name)
        modules = ", ".join(sorted(table.capabilities - {"keys", "emergency", "curtain", "ready"}))
        grid.add_row(name, table.title, str(table.sets), modules)
    screen().print(grid)
    return 0


def games() -> int:
    """List the games, and on which tables each can be set up."""
    grid = Grid("game", "title", "players", "tiles", "tables", box=None)
    machines = [load_table(name) for name in table_names()]
    for name in game_names():
        game = find_game(name)
        config = load_game(name)
        fitting = [table.name for table in machines if fit(table, game, config).fits]
        players = "-".join(str(count) for count in sorted({game.players[0], game.players[-1]}))
        grid.add_row(name, game.title, players, str(len(game.tiles)), ", ".join(fitting))
    screen().print(grid)
    for sentence in PLUGINS.broken:
        print(sentence, file=sys.stderr)
    return 0


def version() -> int:
    """Print the program's version."""
    try:
        number = installed_version("wallwright")
    except PackageNotFoundError:
        number = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["version"]
    typer.echo(f"wallwright {number}")
    return 0
