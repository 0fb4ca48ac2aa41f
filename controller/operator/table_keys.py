"""A key on the table as a queue of presses: one that comes early waits, none is missed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_bridge.boards.devices import Sensor


class Key:
    """Collects a key's presses from the moment it is made."""

    def __init__(self, sensor: Sensor) -> None:
        self._presses: asyncio.Queue[None] = asyncio.Queue()
        self._waits = asyncio.Event()
        self._takes: Callable[[], bool] = _nobody
        self._sensor = sensor
        self._old = 0
        """So many presses count no more, however late they are told."""
        self.down = False
        """Whether it is held down now."""
        self._listening = asyncio.get_running_loop().create_task(self._listen(sensor))

    async def pressed(self) -> None:
        """Wait for a press, or take the oldest that is waiting."""
        await self._presses.get()
        self._look()

    async def noticed(self) -> None:
        """Wait until a press waits, and leave it to whoever takes it."""
        await self._waits.wait()

    def offer_first(self, takes: Callable[[], bool]) -> None:
        """Offer every press to this first; what it takes is nobody else's."""
        self._takes = takes

    def forget(self) -> None:
        """Presses so far do not count."""
        while not self._presses.empty():
            self._presses.get_nowait()
        self._look()

    async def forget_all(self) -> None:
        """Presses so far do not count, nor those that a lost line has not told yet."""
        self._old = await self._sensor.count()
        self.forget()

    def close(self) -> None:
        self._listening.cancel()

    async def _listen(self, sensor: Sensor) -> None:
        async for edge in sensor.edges():
            self.down = edge.active
            if edge.active and edge.count > self._old and not self._takes():
                self._presses.put_nowait(None)
                self._look()

    def _look(self) -> None:
        if self._presses.empty():
            self._waits.clear()
        else:
            self._waits.set()


def _nobody() -> bool:
    """Nobody wants a press before those who wait for it."""
    return False
