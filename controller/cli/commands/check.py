"""`wallwright check`: checks configuration files and which tables and games fit each other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

import click

from config.errors import ConfigError
from config.loader import game_names, load_game, load_table, table_names
from config.plugin_folder import PROJECT
from config.schema import GameConfig, Table
from config.validation.checks import Fit, fit, table_warnings
from controller.cli.command import CliCommand
from controller.cli.errors import print_error
from controller.cli.options.any_file import checked_file
from controller.cli.options.lookup import game_named
from controller.cli.options.shared import PATH, json_option
from controller.floor.settings import FloorSettings
from rules.errors import RulesError
from rules.games import GAMES, PLUGINS

Configured = Table | GameConfig | FloorSettings
Checked = tuple[Path, Configured]


@click.command(cls=CliCommand)
@click.argument(
    "files",
    type=PATH,
    nargs=-1,
    required=True,
    help="YAML files of tables, games or a floor's table, or folders of game packages.",
)
@json_option
def check(files: tuple[Path, ...], as_json: bool) -> int:
    """Check configuration files: print each defect with file:line, key and correction."""
    valid: list[Checked] = []
    defective: dict[Path, list[str]] = {}
    for path in files:
        try:
            valid.append((path, _checked(path)))
        except (ConfigError, RulesError) as error:
            defective[path] = str(error).splitlines()
    fits = {path: list(_fits(each, valid)) for path, each in valid}
    if as_json:
        report = [_facts(path, each, fits[path]) for path, each in valid]
        report += [{"file": str(path), "defects": defects} for path, defects in defective.items()]
        print(json.dumps(report, indent=2))
        return 2 if defective else 0
    for defects in defective.values():
        for defect in defects:
            print_error(defect)
    for path, each in valid:
        print(f"{path}: the {_kind(each)} {_name(each)} has no defect.")
        for warning in _warnings(each):
            print(f"  warning: {warning}")
        for name, verdict in fits[path]:
            print(f"  {name}: {_fit_line(verdict)}")
    return 2 if defective else 0


def _checked(path: Path) -> Configured:
    """Load a file, or the package in a folder. Raises ConfigError or RulesError."""
    if not (path / PROJECT).is_file():
        return checked_file(path)
    config = game_named(f"{path}/")[1]
    PLUGINS[config.game].require_complete()
    return config


def _unknown(
    own: Iterable[tuple[str, GameConfig]], known: Iterable[tuple[str, GameConfig]]
) -> list[tuple[str, GameConfig]]:
    """The games of the given files that differ from all known games."""
    listed = [config for _, config in known]
    return [(name, config) for name, config in own if config not in listed]


def _fits(each: Configured, valid: list[Checked]) -> Iterator[tuple[str, Fit]]:
    """How a table fits every game, or a game every table: the program's, then the other files'."""
    if isinstance(each, Table):
        own_games = [(str(path), game) for path, game in valid if isinstance(game, GameConfig)]
        known = [(name, load_game(name)) for name in game_names()]
        for name, game in (*known, *_unknown(own_games, known)):
            yield name, fit(each, GAMES[game.game], game)
    elif isinstance(each, GameConfig):
        own_tables = [(str(path), table) for path, table in valid if isinstance(table, Table)]
        for name, table in (*((n, load_table(n)) for n in table_names()), *own_tables):
            yield name, fit(table, GAMES[each.game], each)


def _facts(path: Path, each: Configured, fits: Iterable[tuple[str, Fit]]) -> dict[str, object]:
    """A file without a defect, as JSON values."""
    key = "floor_table" if isinstance(each, FloorSettings) else _kind(each)
    return {
        "file": str(path),
        "defects": [],
        key: _name(each),
        "warnings": _warnings(each),
        "fits": [{"with": name, **asdict(verdict)} for name, verdict in fits],
    }


def _warnings(each: Configured) -> list[str]:
    """The warnings about a table that has no defect."""
    return [str(found) for found in table_warnings(each)] if isinstance(each, Table) else []


def _kind(each: Configured) -> str:
    if isinstance(each, FloorSettings):
        return "floor's table"
    return "table" if isinstance(each, Table) else "game"


def _name(each: Configured) -> str:
    if isinstance(each, FloorSettings):
        return str(each.address)
    return each.name if isinstance(each, Table) else each.game


def _fit_line(verdict: Fit) -> str:
    """The verdict as text: fits, fits with steps by hand, or the reasons why not."""
    if not verdict.fits:
        return f"does not fit: {' '.join(verdict.reasons)}"
    return f"fits; by hand: {', '.join(verdict.guided)}" if verdict.guided else "fits"
