"""Shows the page of the monitor in a terminal until the monitor is ended."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress

from rich.console import Console
from rich.live import Live

from controller.cli.monitor.page import page
from controller.cli.monitor.service_address import ServiceAddress
from controller.cli.monitor.stream_reader import MonitoredTable, StreamReader

PER_SECOND = 8
"""Largest number of times per second that the page is drawn."""
TICK = 0.5
"""Seconds after which the page is drawn again without a change, so that its times go on."""
FIRST = 5.0
"""Seconds that `read_once` waits for the status."""


async def watch(
    console: Console, address: ServiceAddress, token: str, tls: ssl.SSLContext | None = None
) -> None:
    """Draw the page at every change, until cancelled. Raises MonitorRefusedError."""
    loop, changed = asyncio.get_running_loop(), asyncio.Event()
    reader = StreamReader(address, token, changed.set, tls)
    reading = asyncio.create_task(reader.run())
    with Live(console=console, auto_refresh=False, transient=False) as live:
        try:
            while not reading.done():
                size = console.size
                # One row stays free, so that the terminal does not scroll.
                live.update(
                    page(reader.view, loop.time(), size.width, size.height - 1), refresh=True
                )
                await asyncio.sleep(1 / PER_SECOND)
                with suppress(TimeoutError):
                    async with asyncio.timeout(TICK):
                        await changed.wait()
                changed.clear()
            reading.result()
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


async def read_once(
    address: ServiceAddress, token: str, tls: ssl.SSLContext | None = None
) -> MonitoredTable:
    """The first status, or the reason why there is none within `FIRST` seconds.

    Raises MonitorRefusedError.
    """
    changed = asyncio.Event()
    reader = StreamReader(address, token, changed.set, tls)
    reading = asyncio.create_task(reader.run())
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(FIRST):
                while reader.view.status is None and not reading.done():
                    waiting = asyncio.create_task(changed.wait())
                    await asyncio.wait((waiting, reading), return_when=asyncio.FIRST_COMPLETED)
                    waiting.cancel()
                    changed.clear()
        if reading.done():
            reading.result()
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
    return reader.view
