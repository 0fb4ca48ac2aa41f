"""`wallwright floor`: the service of a floor with many tables, and its certificates."""

from __future__ import annotations

import typer

from controller.cli.commands.floor.ca import ca
from controller.cli.commands.floor.demo import demo
from controller.cli.commands.floor.serve import serve

floor = typer.Typer(
    name="floor", help="Run the floor service of many tables, and issue its certificates."
)
floor.command()(serve)
floor.command()(demo)
floor.add_typer(ca)

__all__ = ["floor"]
