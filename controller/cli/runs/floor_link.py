"""The connection of a service's table to its floor."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from controller.cli.errors import print_error
from controller.floor.certificates.authority import watch_certificate
from controller.floor.settings import FloorSettings
from controller.floor.table.publisher import TablePublisher, publishing
from controller.floor.table.source import ServiceSource
from controller.service.table_service import ClientPort


@asynccontextmanager
async def published(
    settings: FloorSettings, port: ClientPort, pace: float, report: Callable[[str], None]
) -> AsyncIterator[None]:
    """Publish the table to its floor while the block runs.

    `report` is called with a sentence when the floor has answered, when it cannot be reached, and
    each day while the table's certificate ends soon.
    """
    loop = asyncio.get_running_loop()
    source = ServiceSource(port, pace)

    def show(failure: str | None) -> None:
        if failure is None:
            report(f"The table is connected to the floor {settings.address.floor}.")
        else:
            print_error(failure)
            report(failure)

    def connection_changed(failure: str | None) -> None:
        loop.call_soon_threadsafe(show, failure)

    tls, watch = settings.broker.tls, None
    if tls is not None:
        watch = loop.create_task(watch_certificate(tls.cert, report, pace))
    try:
        async with publishing(
            lambda: TablePublisher(settings, source, connection_changed=connection_changed),
            pace,
        ):
            yield
    finally:
        if watch is not None:
            watch.cancel()
