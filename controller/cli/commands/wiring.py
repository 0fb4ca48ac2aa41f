"""`wallwright wiring`: lists the connection of each pin of a table's boards."""

from __future__ import annotations

import json

import click
from rich.table import Table as Grid

from config.board_profiles import pin_ranges
from controller.cli.command import CliCommand
from controller.cli.errors import BadInputError, unknown_name
from controller.cli.options import completion
from controller.cli.options.lookup import table_named
from controller.cli.options.shared import json_option
from controller.cli.output.line_output import open_output
from controller.cli.terminal.screen import screen
from controller.upkeep.wiring import BoardLeads, Fixed, Lead, leads_of, wireviz_of


@click.command(cls=CliCommand)
@click.argument(
    "table", shell_complete=completion.tables, help="A table: a name, or the path of a YAML file."
)
@click.option(
    "--wireviz",
    shell_complete=completion.files,
    help="Instead of the list, write a WireViz document to this file, or - for standard output.",
)
@click.option("--board", show_default="all", help="Only this board of the table.")
@json_option
def wiring(table: str, wireviz: str | None, board: str | None, as_json: bool) -> int:
    """Print every pin of a table's boards with its connection and its safe value."""
    machine = table_named(table)
    boards = _chosen(leads_of(machine), board)
    if wireviz is not None:
        with open_output("The WireViz document", wireviz) as stream:
            assert stream is not None
            stream.write(wireviz_of(machine, boards))
        return 0
    if as_json:
        print(json.dumps([facts(each) for each in boards], indent=2))
        return 0
    for each in boards:
        screen().print(_page(each))
        print(f"free: {pin_ranges(each.free)}")
        for warning in each.warnings:
            print(f"warning: {warning}")
        print()
    return 0


def _chosen(boards: tuple[BoardLeads, ...], name: str | None) -> list[BoardLeads]:
    if name is None:
        return list(boards)
    chosen = [board for board in boards if board.name == name]
    if not chosen:
        raise BadInputError(unknown_name("board", name, [board.name for board in boards]))
    return chosen


def facts(board: BoardLeads) -> dict[str, object]:
    """A board's pins as JSON values: pins of channels, pins with a fixed use, and free pins."""
    return {
        "board": board.name,
        "title": board.title,
        "chip": board.chip,
        "pins": [
            {
                "pin": lead.pin,
                "channel": lead.channel,
                "kind": lead.sort.value,
                "signal": lead.signal,
                "direction": "out" if lead.out else "in",
                "level": lead.level,
                "safe": lead.safe,
                "part": lead.part,
                "role": lead.role,
            }
            for lead in sorted(board.leads, key=lambda lead: lead.pin)
        ],
        "fixed": [
            {"pin": fixed.pin, "use": fixed.use, "taken": fixed.taken} for fixed in board.fixed
        ],
        "free": list(board.free),
        "warnings": list(board.warnings),
    }


def _page(board: BoardLeads) -> Grid:
    grid = Grid(
        *("pin", "channel", "signal", "direction", "active level", "safe value", "part"),
        title=f"{board.name}: {board.title}",
        title_justify="left",
        title_style="bold",
        box=None,
    )
    used = {lead.pin for lead in board.leads}
    rows: list[Lead | Fixed] = [*board.leads, *(f for f in board.fixed if f.pin not in used)]
    for row in sorted(rows, key=lambda row: row.pin):
        grid.add_row(*_cells(row))
    return grid


def _cells(row: Lead | Fixed) -> tuple[str, ...]:
    if isinstance(row, Fixed):
        free = "" if row.taken else "free: "
        return str(row.pin), "", f"{free}{row.short}", "", "", "", row.use
    return (
        str(row.pin),
        row.channel,
        f"{row.sort.value}, {row.signal}",
        "out" if row.out else "in",
        row.level,
        row.safe or "-",
        f"{row.part}, {row.role}" if row.part else row.role,
    )
