"""`wallwright stats`: prints a table's statistics from its journal, such as jams and wear."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from rich.table import Table as Grid

from controller.cli.command import CliCommand
from controller.cli.errors import BadInputError, no_journal
from controller.cli.options.shared import PATH, journal_copy_option, json_option
from controller.cli.terminal.screen import screen
from controller.records.audit.log.log_reader import event_counts
from controller.records.data_folder import AUDIT_FOLDER
from controller.run.health.statistics import facts, statistics_of
from controller.run.journal import read_records
from controller.run.journal.copies import paths_of


@click.command(cls=CliCommand)
@click.argument("journal", type=PATH, help="A journal written by 'run --journal FILE'.")
@journal_copy_option
@json_option
def stats(journal: Path, journal_copy: Path | None, as_json: bool) -> int:
    """Print a table's statistics from its journal: jams, assists, faults, wear, drift, storage.

    The journal of a service has the audit log beside it, which counts starts and service entries.
    """
    paths = paths_of(journal, journal_copy)
    if not any(path.exists() for path in paths):
        raise BadInputError(no_journal(journal))
    statistics = facts(statistics_of(read_records(journal, journal_copy)))
    statistics["audit"] = event_counts(journal.parent / AUDIT_FOLDER)
    if as_json:
        print(json.dumps(statistics, indent=2))
        return 0
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column()
    for label, text in _lines(statistics):
        grid.add_row(label, text)
    screen().print(grid)
    if statistics["faults"]:
        screen().print(_faults(statistics["faults"]))
    if statistics["storage"]:
        screen().print(_storage(statistics["storage"]))
    for sentence in statistics["warnings"]:
        print(sentence)
    return 0


def _lines(statistics: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "runs", f"{statistics['runs']}, {statistics['seconds'] / 3600:.1f} h at the table"
    yield "rounds", f"{statistics['rounds']}"
    yield "tiles lifted", f"{statistics['tiles']} in {statistics['sets']} sets"
    yield "tiles per jam", _or_none(statistics["tiles_per_jam"], "no jam")
    yield "between assists", _or_none(statistics["mtba_s"], "no assist", " s on average")
    yield "to assist", _or_none(statistics["mtta_s"], "no assist", " s on average")
    wear = statistics["worn"]
    opened = f"lid opened {wear['lid_openings']} times"
    yield "wear", f"{opened}, {wear['walls_raised']} walls raised, {wear['throws']} throws"
    if (counts := statistics["audit"]) is not None:
        opened = f"lid opened {counts['lid_openings']} times"
        service = f"{counts['service_entries']} entries into service mode"
        yield "audit log", f"{counts['power_ups']} starts, {opened}, {service}"
    if wear["picks"]:
        picked = (f"{tiles} by {part}" for part, tiles in wear["picks"].items())
        yield "tiles picked", ", ".join(picked)


def _or_none(value: float | None, none: str, unit: str = "") -> str:
    return none if value is None else f"{value:.0f}{unit}"


def _storage(boards: Mapping[str, Mapping[str, Any]]) -> Grid:
    columns = ("serial number", "storage used", "rounds with it", "rounds left")
    grid = Grid("board", *columns, box=None)
    for board, figures in boards.items():
        used, left = figures["used_permille"], figures["rounds_left"]
        grid.add_row(
            board,
            figures["serial"],
            "unknown" if used is None else f"{used / 10:.1f} %",
            str(figures["rounds"]),
            "unknown" if left is None else f"at least {left}",
        )
    return grid


def _faults(faults: Mapping[str, Mapping[str, int]]) -> Grid:
    columns = ("recoveries", "retries", "asks", "clears", "stops")
    grid = Grid("fault", *columns, box=None)
    for code, figures in faults.items():
        grid.add_row(code, *(str(figures[column]) for column in columns))
    return grid
