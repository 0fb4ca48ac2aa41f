"""`wallwright check`: whether a file is right, and what goes with it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from config.errors import ConfigError
from config.loader import check_file, game_names, load_game, load_table, table_names
from config.plugin_folder import PROJECT
from config.schema import GameConfig, Table
from config.validation.checks import fit
from controller.cli.named import game_named
from rules.errors import RulesError
from rules.games import GAMES

Checked = tuple[Path, Table | GameConfig]


def check(
    files: Annotated[
        list[Path], typer.Argument(help="Table or game files, or the folders of games' packages.")
    ],
) -> int:
    """Check configuration files; every defect with file:line, the key, and what to do."""
    right: list[Checked] = []
    wrong = 0
    for path in files:
        try:
            right.append((path, _checked(path)))
        except (ConfigError, RulesError) as error:
            typer.echo(str(error), err=True)
            wrong += 1
    own_tables = [(str(path), each) for path, each in right if isinstance(each, Table)]
    own_games = [(str(path), each) for path, each in right if isinstance(each, GameConfig)]
    for path, each in right:
        if isinstance(each, Table):
            typer.echo(f"{path}: the table {each.name} is well described.")
            known = [(name, load_game(name)) for name in game_names()]
            for name, game in (*known, *_unknown(own_games, known)):
                _tell_fit(name, each, game)
        else:
            typer.echo(f"{path}: the game {each.game} is well described.")
            for name, table in (*((n, load_table(n)) for n in table_names()), *own_tables):
                _tell_fit(name, table, each)
    return 2 if wrong else 0


def _checked(path: Path) -> Table | GameConfig:
    is_package = (path / PROJECT).is_file()
    return game_named(f"{path}/")[1] if is_package else check_file(path)


def _unknown(
    own: Iterable[tuple[str, GameConfig]], known: Iterable[tuple[str, GameConfig]]
) -> list[tuple[str, GameConfig]]:
    """The games of these files that differ from those that are listed anyway."""
    listed = [config for _, config in known]
    return [(name, config) for name, config in own if config not in listed]


def _tell_fit(name: str, table: Table, config: GameConfig) -> None:
    verdict = fit(table, GAMES[config.game], config)
    if verdict.fits:
        guided = f"; by hand: {', '.join(verdict.guided)}" if verdict.guided else ""
        typer.echo(f"  {name}: fits{guided}")
    else:
        typer.echo(f"  {name}: does not fit: {' '.join(verdict.reasons)}")
