"""`wallwright tables`, `games`, `check`, `version`: what there is, and whether a file is right."""

from __future__ import annotations

from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table as Grid

from config.checks import fit
from config.errors import ConfigError
from config.loader import check_file, game_names, load_game, load_table, table_names
from config.schema import Table
from rules.games import GAMES, find_game


def tables() -> int:
    """List the tables that come with the program, and what each can do."""
    grid = Grid("table", "what it is", "sets", "modules", box=None)
    for name in table_names():
        table = load_table(name)
        modules = ", ".join(sorted(table.capabilities - {"keys", "emergency", "curtain", "ready"}))
        grid.add_row(name, table.title, str(table.sets), modules)
    Console().print(grid)
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
    Console().print(grid)
    return 0


def check(
    files: Annotated[list[Path], typer.Argument(help="Table or game files.")],
) -> int:
    """Check configuration files; every defect with file:line, the key, and what to do."""
    wrong = 0
    for path in files:
        try:
            told = check_file(path)
        except ConfigError as error:
            typer.echo(str(error), err=True)
            wrong += 1
            continue
        if isinstance(told, Table):
            typer.echo(f"{path}: the table {told.name} is well described.")
            _tell_fits(told)
        else:
            typer.echo(f"{path}: the game {told.game} is well described.")
    return 2 if wrong else 0


def _tell_fits(table: Table) -> None:
    for name in game_names():
        verdict = fit(table, GAMES[name], load_game(name))
        if verdict.fits:
            guided = f"; by hand: {', '.join(verdict.guided)}" if verdict.guided else ""
            typer.echo(f"  {name}: fits{guided}")
        else:
            typer.echo(f"  {name}: does not fit: {' '.join(verdict.reasons)}")


def version() -> int:
    """Print the program's version."""
    typer.echo(f"wallwright {installed_version('wallwright')}")
    return 0
