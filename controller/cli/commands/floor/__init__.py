"""`wallwright floor`: the service of a floor with many tables, its tables and certificates."""

from __future__ import annotations

import typer

from controller.cli.commands.floor.ca import ca
from controller.cli.commands.floor.serve import demo, serve
from controller.cli.commands.floor.tables import rename, retire, tables, unretire

floor = typer.Typer(
    name="floor",
    help="Run the floor service of many tables, retire tables, and issue certificates.",
)
floor.command()(serve)
floor.command()(demo)
for change in (tables, retire, unretire, rename):
    floor.command()(change)
floor.add_typer(ca)

__all__ = ["floor"]
