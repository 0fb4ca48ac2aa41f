"""A key on the table as a queue of presses: an early press waits, none is missed."""

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
        """Number of presses to ignore, however late their events arrive."""
        self.down = False
        """Whether the key is held down now."""
        self._listening = asyncio.get_running_loop().create_task(self._listen(sensor))

    async def pressed(self) -> None:
        """Wait for a press, or take the oldest that is waiting."""
        await self._presses.get()
        self._look()

    async def noticed(self) -> None:
        """Wait until a press is queued, without consuming it."""
        await self._waits.wait()

    def offer_first(self, takes: Callable[[], bool]) -> None:
        """Offer every press to this listener first; a press that it takes goes to no other."""
        self._takes = takes

    def forget(self) -> None:
        """Ignore all presses so far."""
        while not self._presses.empty():
            self._presses.get_nowait()
        self._look()

    async def forget_all(self) -> None:
        """Ignore all presses so far, and those that a lost line has not reported yet."""
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
    """The default first listener, which takes no press."""
    return False
