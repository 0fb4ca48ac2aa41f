"""`wallwright tables` and `wallwright games`: list the tables and the games."""

from __future__ import annotations

import json
import sys

import click
from rich.table import Table as Grid

from config.loader import game_names, load_game, load_table, table_names
from config.validation.checks import fit_of, probed
from controller.cli.command import CliCommand
from controller.cli.options.shared import json_option
from controller.cli.terminal.screen import screen
from rules.games import PLUGINS, find_game


@click.command(cls=CliCommand)
@json_option
def tables(as_json: bool) -> int:
    """List the tables that come with the program, and the modules of each."""
    machines = [load_table(name) for name in table_names()]
    modules = {
        table.name: sorted(table.capabilities - {"keys", "emergency", "curtain", "ready"})
        for table in machines
    }
    if as_json:
        rows = [
            {
                "table": table.name,
                "title": table.title,
                "sets": table.sets,
                "modules": modules[table.name],
            }
            for table in machines
        ]
        print(json.dumps(rows, indent=2))
        return 0
    grid = Grid("table", "title", "sets", "modules", box=None)
    for table in machines:
        grid.add_row(table.name, table.title, str(table.sets), ", ".join(modules[table.name]))
    screen().print(grid)
    return 0


@click.command(cls=CliCommand)
@json_option
def games(as_json: bool) -> int:
    """List the games, and the tables on which each can be set up."""
    machines = [load_table(name) for name in table_names()]
    rows = []
    for name in game_names():
        game, config = find_game(name), load_game(name)
        probed_game = probed(game, config)
        fitting = [table.name for table in machines if fit_of(table, probed_game).fits]
        rows.append((name, game, fitting))
    if as_json:
        rows_as_json = [
            {
                "game": name,
                "title": game.title,
                "players": list(game.players),
                "tiles": len(game.tiles),
                "tables": fitting,
            }
            for name, game, fitting in rows
        ]
        print(json.dumps(rows_as_json, indent=2))
    else:
        grid = Grid("game", "title", "players", "tiles", "tables", box=None)
        for name, game, fitting in rows:
            players = "-".join(str(count) for count in sorted({game.players[0], game.players[-1]}))
            grid.add_row(name, game.title, players, str(len(game.tiles)), ", ".join(fitting))
        screen().print(grid)
    for sentence in PLUGINS.broken:
        print(sentence, file=sys.stderr)
    return 0
