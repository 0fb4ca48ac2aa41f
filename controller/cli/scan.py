"""`wallwright scan`: which serial ports there are, and what answers on them."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer
from rich.table import Table as Grid
from serial.tools import list_ports

from controller.cli.screen import screen
from firmware_bridge.serial_board import probe


def scan(
    ports: Annotated[
        list[str] | None,
        typer.Argument(help="These ports, instead of all that are attached.", show_default=False),
    ] = None,
) -> int:
    """List serial ports and the boards that answer on them."""
    attached = {port.device: port.description for port in list_ports.comports()}
    asked = ports or sorted(attached)
    if not asked:
        typer.echo("No serial port is attached; plug a board in and scan again.")
        return 0
    grid = Grid("port", "what it says", "what answers", box=None)
    for port in asked:
        grid.add_row(port, attached.get(port, ""), asyncio.run(probe(port)))
    screen().print(grid)
    return 0
