"""Queues the presses of a key on the table, so that an early press is not missed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing

from firmware_bridge.boards.devices import Sensor

MOST = 16
"""Number of presses that are queued (our choice)."""


class Key:
    """A queue of one key's presses, from its construction to `close`.

    At most `MOST` presses are queued; further ones are dropped.
    """

    def __init__(self, sensor: Sensor) -> None:
        self._presses: asyncio.Queue[None] = asyncio.Queue()
        self._queued = asyncio.Event()
        self._listener: Callable[[], bool] = _takes_none
        self._sensor = sensor
        self._ignored = 0
        """The board's count of presses up to which they are ignored, also if an edge comes late."""
        self.down = False
        """Whether the key is held down now."""
        self._listening = asyncio.get_running_loop().create_task(self._listen(sensor))

    async def pressed(self) -> None:
        """Take the oldest queued press, or wait for one."""
        await self._presses.get()
        self._update()

    async def wait_queued(self) -> None:
        """Wait until a press is queued; the press stays queued."""
        await self._queued.wait()

    def offer_first(self, takes: Callable[[], bool]) -> None:
        """Call `takes` at each press from now on; if it returns True, the press is not queued."""
        self._listener = takes

    def forget(self) -> None:
        """Remove all queued presses."""
        while not self._presses.empty():
            self._presses.get_nowait()
        self._update()

    async def forget_all(self) -> None:
        """Remove all queued presses and ignore those whose edges have not arrived yet."""
        self._ignored = await self._sensor.count()
        self.forget()

    def close(self) -> None:
        """Stop listening to the key."""
        self._listening.cancel()

    async def _listen(self, sensor: Sensor) -> None:
        with closing(sensor.edges()) as edges:
            async for edge in edges:
                self.down = edge.active
                if edge.active and edge.count > self._ignored:
                    self.press()

    def press(self) -> None:
        """Take one press, from the key's sensor or from a screen."""
        if not self._listener() and self._presses.qsize() < MOST:
            self._presses.put_nowait(None)
            self._update()

    def _update(self) -> None:
        """Set or clear the event by which `wait_queued` waits."""
        if self._presses.empty():
            self._queued.clear()
        else:
            self._queued.set()


def _takes_none() -> bool:
    """The default listener of `offer_first`, which takes no press."""
    return False
