"""`wallwright check`: whether a file is right, and what goes with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from config.errors import ConfigError
from config.loader import check_file, game_names, load_game, load_table, table_names
from config.schema import GameConfig, Table
from config.validation.checks import fit
from rules.games import GAMES


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
            for name in game_names():
                _tell_fit(name, told, load_game(name))
        else:
            typer.echo(f"{path}: the game {told.game} is well described.")
            for name in table_names():
                _tell_fit(name, load_table(name), told)
    return 2 if wrong else 0


def _tell_fit(name: str, table: Table, config: GameConfig) -> None:
    verdict = fit(table, GAMES[config.game], config)
    if verdict.fits:
        guided = f"; by hand: {', '.join(verdict.guided)}" if verdict.guided else ""
        typer.echo(f"  {name}: fits{guided}")
    else:
        typer.echo(f"  {name}: does not fit: {' '.join(verdict.reasons)}")
