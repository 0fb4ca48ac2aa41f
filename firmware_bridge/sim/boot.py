"""The bootloader of a virtual board: after a reset it delays the start, and swallows bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_bridge.wire.boot_times import HOLDS, LISTENS, STARTS


class BootDelay:
    """Calls `start` when the bootloader of a board, which was reset now, has left."""

    def __init__(self, loop: asyncio.AbstractEventLoop, start: Callable[[], None]) -> None:
        self._loop = loop
        self._start = start
        self._listens_until = loop.time() + LISTENS
        self._held = False
        self._timer = loop.call_later(STARTS, start)

    def receive(self) -> None:
        """Process the arrival of bytes: they hold the bootloader, and are lost."""
        now = self._loop.time()
        if self._held or now < self._listens_until:
            self._held = True
            self._timer.cancel()
            self._timer = self._loop.call_at(now + HOLDS, self._start)

    def cancel(self) -> None:
        """Do not start the board: it was reset again, or switched off."""
        self._timer.cancel()
