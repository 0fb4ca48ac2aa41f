"""A served table as a process that joins a floor, and a client that plays the floor's part."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from controller.floor.broker import Broker
from controller.floor.messages import (
    Events,
    StoredPosition,
    TableAddress,
    address_and_kind,
    encoded,
    parsed,
)
from controller.floor.mqtt import open_connection

LIMIT = 60.0
"""Seconds in which the table has to publish the events."""


class ServeProcess:
    """`wallwright serve --floor` with a simulated table; a context manager that ends it."""

    def __init__(self, folder: Path, port: int, address: TableAddress) -> None:
        settings = folder / "floor.yaml"
        settings.write_text(
            f"floor: {address.floor}\ntable: {address.table}\ntitle: Table 7\n"
            f"broker: {{host: 127.0.0.1, port: {port}}}\n"
        )
        line = (
            f"serve --sim 50 --game pai_gow --automatic --listen 127.0.0.1:0 --data {folder}/data"
        )
        self._line = (sys.executable, "-m", "controller.cli", *line.split(), "--floor", settings)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> ServeProcess:
        self._process = subprocess.Popen(self._line, stdout=subprocess.DEVNULL)
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(60)

    def stop(self) -> None:
        """Stop the service as its supervisor does, and wait for its end."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        assert self._process.wait(60) == 0


def received_until(port: int, address: TableAddress, events: int) -> dict[str, list[bytes]]:
    """Receive the payloads of each kind until there are so many events; answer as the floor does.

    With 0 events, return the retained messages.
    """

    async def receive() -> dict[str, list[bytes]]:
        payloads: dict[str, list[bytes]] = defaultdict(list)
        stored = 0
        async with open_connection(Broker("127.0.0.1", port), "test-floor") as connection:
            for kind in ("alive", "birth", "state", "events"):
                await connection.subscribe(f"wallwright/1/{address}/{kind}")
            async for message in connection.messages():
                kind_of = address_and_kind(message.topic)[1]
                payloads[kind_of].append(message.payload)
                if kind_of == "events":
                    batch = parsed(Events, message.payload)
                    is_gap = batch.first > stored
                    if not is_gap:
                        stored = max(stored, batch.first + len(batch.lines))
                    position = StoredPosition(
                        birth=batch.birth, log=batch.log, next=stored, resend=is_gap
                    )
                    await connection.publish(address.topic("position"), encoded(position))
                if stored >= events and len(payloads) >= (4 if events else 3):
                    break
        return payloads

    async def limited() -> dict[str, list[bytes]]:
        async with asyncio.timeout(LIMIT):
            return await receive()

    return asyncio.run(limited())
