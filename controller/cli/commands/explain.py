"""`wallwright explain`: prints a fault's row of the fault catalogue."""

from __future__ import annotations

import json
from dataclasses import asdict
from difflib import get_close_matches

import click
from rich.panel import Panel
from rich.table import Table as Grid

from controller.cli.command import CliCommand
from controller.cli.errors import BadInputError
from controller.cli.options import completion
from controller.cli.options.shared import json_option
from controller.cli.terminal.screen import screen
from controller.run.faults.catalogue import CATALOGUE, FaultRow
from controller.run.faults.catalogue.row import facts

CODES = {row.code: row for row in CATALOGUE.values()}
NEAREST = 3
"""The number of similar codes that the error for an unknown code names."""


@click.command(cls=CliCommand)
@click.argument(
    "code",
    required=False,
    shell_complete=completion.fault_codes,
    help="The code of a fault; without it all faults are listed.",
)
@json_option
def explain(code: str | None, as_json: bool) -> int:
    """Explain a fault code: its meaning, how the table reacts, and who may clear it."""
    rows = tuple(CODES.values()) if code is None else (_row(code),)
    if as_json:
        values = [_json_of(row) for row in rows]
        print(json.dumps(values if code is None else values[0], indent=2))
    elif code is None:
        screen().print(_list(rows))
    else:
        screen().print(_page(rows[0]))
    return 0


def _row(code: str) -> FaultRow:
    given = code.strip().upper().replace("-", "_")
    if given in CODES:
        return CODES[given]
    near = get_close_matches(given, CODES, n=NEAREST, cutoff=0.4) or list(CODES)
    raise BadInputError(
        f"There is no fault '{code}'; similar codes are {', '.join(near)}. 'wallwright explain'"
        " lists all."
    )


def _page(row: FaultRow) -> Panel:
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column()
    grid.add_row("meaning", row.fault.value)
    for label, text in facts(row):
        grid.add_row(label, text)
    return Panel(grid, title=f"{row.code}: {row.title}", expand=False)


def _list(rows: tuple[FaultRow, ...]) -> Grid:
    grid = Grid("code", "title", "who may clear it", box=None)
    for row in rows:
        grid.add_row(row.code, row.title, row.who.value)
    return grid


def _json_of(row: FaultRow) -> dict[str, object]:
    return {
        "code": row.code,
        "title": row.title,
        "meaning": row.fault.value,
        "expected": row.expected,
        "instead": row.instead,
        "cause": row.cause,
        "automatic": row.automatic,
        "request": row.please,
        "answers": list(row.answers),
        "role": row.who.value,
        "limits": asdict(row.limits) if row.limits else None,
        "latched": row.latched.name if row.latched is not None else None,
    }
