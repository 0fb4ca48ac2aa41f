"""A floor service on a real broker, with tables that run the program's own publisher."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from controller.floor.broker import Broker
from controller.floor.messages import TableAddress
from controller.floor.server.floor_service import FloorOptions, FloorService
from controller.floor.settings import FloorSettings, RequestKey
from controller.floor.store.floor_store import FloorStore
from controller.floor.table.publisher import TablePublisher
from controller.records.audit.notes import COSIGNATURE, SigningKey
from tests.controller.floor.table.fake_source import FakeSource

KEY = SigningKey("pit", b"p" * 32)
WITNESS = SigningKey("floor-club/witness", b"w" * 32, COSIGNATURE)
SOON = 120.0
"""Seconds in which an expected change has to come, also on a computer that is busy."""


@asynccontextmanager
async def floor_service(
    url: str, broker: Broker | int, *, share: str | None = None, key: SigningKey = KEY
) -> AsyncIterator[FloorService]:
    """Return a service of the floor `club` that runs."""
    options = FloorOptions("club", _broker(broker), share)
    service = FloorService(options, FloorStore(url), key, WITNESS)
    async with service.running() as ended:
        yield service
        if ended.done():
            ended.result()
        ended.cancel()


@asynccontextmanager
async def table(
    broker: Broker | int, name: str, source: FakeSource
) -> AsyncIterator[TablePublisher]:
    """Return a table's publisher that runs."""
    settings = FloorSettings(
        TableAddress("club", name),
        f"Table {name}",
        _broker(broker),
        keys=(RequestKey(KEY.public, "attendant", frozenset({"take_out_of_play"})),),
        witness=WITNESS.public,
    )
    publisher = TablePublisher(settings, source)
    task = asyncio.get_running_loop().create_task(publisher.run())
    try:
        yield publisher
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _broker(broker: Broker | int) -> Broker:
    """Return a broker, also one on this computer without TLS by its port."""
    return broker if isinstance(broker, Broker) else Broker("127.0.0.1", broker)
