"""`wallwright scan`: which serial ports there are, and what answers on them."""

from __future__ import annotations

import asyncio

import typer
from rich.console import Console
from rich.table import Table as Grid
from serial.tools import list_ports

from firmware_bridge.serial_board import probe


def scan() -> int:
    """List serial ports and the boards that answer on them."""
    ports = sorted(list_ports.comports(), key=lambda port: port.device)
    if not ports:
        typer.echo("No serial port is attached; plug a board in and scan again.")
        return 0
    grid = Grid("port", "what it says", "what answers", box=None)
    for port in ports:
        grid.add_row(port.device, port.description or "", asyncio.run(probe(port.device)))
    Console().print(grid)
    return 0
