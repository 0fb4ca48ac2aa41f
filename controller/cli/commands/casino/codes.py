"""`wallwright casino map`: the codes of SAS and G2S for each event of a table."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.table import Table as Grid

from controller.cli.terminal.screen import screen


def map_codes(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> int:
    """Print the SAS exceptions and G2S event codes of every event, fault and command."""
    from controller.casino.host_map import host_map, sections

    if as_json:
        print(json.dumps(host_map(), indent=2))
        return 0
    console = screen()
    for title, rows in sections().items():
        grid = Grid("event", "SAS", "G2S", "note", title=title, title_justify="left", box=None)
        for row in rows:
            grid.add_row(row.what, " ".join(row.sas) or "-", " ".join(row.g2s) or "-", row.note)
        console.print(grid)
    return 0
