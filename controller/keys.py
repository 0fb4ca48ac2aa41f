"""A key on the table as a queue of presses: one that comes early waits, none is missed."""

from __future__ import annotations

import asyncio

from firmware_bridge.devices import Sensor


class Key:
    """Collects a key's presses from the moment it is made."""

    def __init__(self, sensor: Sensor) -> None:
        self._presses: asyncio.Queue[None] = asyncio.Queue()
        self._listening = asyncio.get_running_loop().create_task(self._listen(sensor))

    async def pressed(self) -> None:
        """Wait for a press, or take the oldest that is waiting."""
        await self._presses.get()

    def forget(self) -> None:
        """Presses so far do not count."""
        while not self._presses.empty():
            self._presses.get_nowait()

    def close(self) -> None:
        self._listening.cancel()

    async def _listen(self, sensor: Sensor) -> None:
        async for edge in sensor.edges():
            if edge.active:
                self._presses.put_nowait(None)
