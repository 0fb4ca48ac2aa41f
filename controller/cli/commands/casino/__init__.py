"""`wallwright casino`: codes for a casino's host, and checks of the program by GAT."""

from __future__ import annotations

import typer

from controller.cli.commands.casino.codes import map_codes
from controller.cli.commands.casino.gat import gat, gat_query

casino = typer.Typer(
    name="casino", help="Print a casino host's codes for events; answer checks of the program."
)
casino.command("map")(map_codes)

casino.command("gat")(gat)
casino.command("gat-query")(gat_query)
