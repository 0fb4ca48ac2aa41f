"""`wallwright casino`: codes for a casino's host."""

from __future__ import annotations

import typer

from controller.cli.commands.casino.codes import map_codes

casino = typer.Typer(
    name="casino", help="Print a casino host's codes for events; answer checks of the program."
)
casino.command("map")(map_codes)


@casino.callback()
def _group() -> None:
    """A group also while it has one command only."""
