"""Follows in two places which events the floor has stored, for `benchmarks.floor_load`.

The positions on the broker show when an event is stored; the stream of the floor's page shows when
a person sees that. Each event's latency is from the moment at which it was made.
"""

from __future__ import annotations

import asyncio
import json
import time
from array import array
from collections.abc import Callable
from contextlib import suppress

import httpx

from benchmarks.floor_tables import LoadPlan
from benchmarks.light_mqtt import LightConnection, opened
from controller.floor.broker import Broker, BrokerError, Message
from controller.floor.messages import StoredPosition, address_and_kind, parsed

RETRY = 0.2
"""Seconds until a lost connection is made again."""
SILENT = 8.0
"""Seconds without a message after which the page is loaded again; it gets one every 2 s."""


class StoredEvents:
    """How many events of each table are stored, and the latency of each event."""

    def __init__(self, plan: LoadPlan) -> None:
        self.plan = plan
        self.stored = [0] * plan.tables
        self.made, self.latencies = array("d"), array("d")

    def note(self, table: str, stored: int, now: float) -> None:
        """Note the number of stored events of a table."""
        number = int(table[1:])
        for index in range(self.stored[number], stored):
            made = self.plan.made(number, index)
            self.made.append(made)
            self.latencies.append(now - made)
        self.stored[number] = max(self.stored[number], stored)

    def oldest(self) -> float:
        """Seconds since the oldest event that is not stored was made; 0 without one."""
        now, plan = time.time(), self.plan
        return max(
            (
                now - plan.made(number, stored)
                for number, stored in enumerate(self.stored)
                if stored < plan.due(number, now)
            ),
            default=0.0,
        )


class PositionMonitor:
    """Follows the positions that the floor sends to the tables."""

    def __init__(self, plan: LoadPlan, port: int) -> None:
        self.seen = StoredEvents(plan)
        self.positions = 0
        self._broker = Broker("127.0.0.1", port)

    async def run(self) -> None:
        """Follow until cancelled."""
        topic = f"wallwright/1/{self.seen.plan.floor}/+/position"
        while True:
            connection = LightConnection("load-monitor", None, 5, self._take)
            with suppress(BrokerError):
                await opened(connection, self._broker)
                await connection.subscribe(topic)
                await connection.lost
            await asyncio.sleep(RETRY)

    def _take(self, message: Message) -> None:
        self.positions += 1
        position = parsed(StoredPosition, message.payload)
        table = address_and_kind(message.topic)[0].table
        self.seen.note(table, position.next, time.time())


class PageMonitor:
    """An open page of the floor: follows its stream with the first technician's login.

    `page` gives the address of the page, and the token of the first start.
    """

    def __init__(self, plan: LoadPlan, page: Callable[[], tuple[str, str]]) -> None:
        self.seen = StoredEvents(plan)
        self.bytes = 0
        self._page = page

    async def run(self) -> None:
        """Follow until cancelled."""
        async with httpx.AsyncClient(timeout=SILENT) as client:
            address, token = self._page()
            body = {"token": token, "name": "load", "password": "the load of a large floor"}
            answer = await client.post(f"{address}api/v1/first-start", json=body)
            answer.raise_for_status()
            while True:
                with suppress(httpx.HTTPError):
                    await self._follow(client)
                await asyncio.sleep(RETRY)

    async def _follow(self, client: httpx.AsyncClient) -> None:
        address = self._page()[0]
        async with client.stream("GET", f"{address}api/v1/floor/stream") as stream:
            stream.raise_for_status()
            async for line in stream.aiter_lines():
                now = time.time()
                if line.startswith("data: "):
                    self.bytes += len(line)
                    for table in json.loads(line[6:])["tables"]:
                        self.seen.note(table["name"], table["stored"], now)
