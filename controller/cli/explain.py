"""`wallwright explain`: a fault's row of the catalogue in plain words."""

from __future__ import annotations

import json
from dataclasses import asdict
from difflib import get_close_matches
from typing import Annotated

import typer
from rich.panel import Panel
from rich.table import Table as Grid

from controller.cli import completion
from controller.cli.errors import BadInputError
from controller.cli.screen import screen
from controller.faults.catalogue import CATALOGUE, FaultRow
from controller.faults.catalogue.facts import facts

CODES = {row.code: row for row in CATALOGUE.values()}
NEAREST = 3
"""How many codes are offered for one that does not exist."""


def explain(
    code: Annotated[
        str | None,
        typer.Argument(
            help="A fault's code; all of them if none is given.",
            autocompletion=completion.fault_codes,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
) -> int:
    """Say what a fault's code means, what the table does about it, and who may clear it."""
    rows = tuple(CODES.values()) if code is None else (_row(code),)
    if as_json:
        told = [_told(row) for row in rows]
        print(json.dumps(told if code is None else told[0], indent=2))
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
    raise BadInputError(f"There is no fault '{code}'; the nearest codes are {', '.join(near)}.")


def _page(row: FaultRow) -> Panel:
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column()
    grid.add_row("what it is", row.fault.value)
    for label, text in facts(row):
        grid.add_row(label, text)
    return Panel(grid, title=f"{row.code}: {row.title}", expand=False)


def _list(rows: tuple[FaultRow, ...]) -> Grid:
    grid = Grid("code", "what it is", "who may clear it", box=None)
    for row in rows:
        grid.add_row(row.code, row.title, row.who.value)
    return grid


def _told(row: FaultRow) -> dict[str, object]:
    return {
        "code": row.code,
        "title": row.title,
        "what": row.fault.value,
        "expected": row.expected,
        "instead": row.instead,
        "cause": row.cause,
        "automatic": row.automatic,
        "please": row.please,
        "answers": list(row.answers),
        "who": row.who.value,
        "limits": asdict(row.limits) if row.limits else None,
        "latched": row.latched.name if row.latched is not None else None,
    }
