"""Coordinates the lift and the push of one head, which work at the same time.

A tile that sticks at the counter stops the push too. The lift clears the jam, so the push waits for
the lift: it is retried during the lift, as soon as the counter is free, or after the lift has
ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class HandOver:
    """Shared state of the lift and the push of one head.

    The lift calls the methods of the first section, the push those of the second.
    """

    def __init__(self) -> None:
        self._lifting = asyncio.Lock()
        """Held while the wheel lifts, so that a cure of the pusher does not reverse the wheel."""
        self._waiting: asyncio.Future[bool] | None = None
        """Set by the lift to release the waiting push: True during the lift, False after it."""
        self._tried = asyncio.Event()
        """Set when a released push has been tried."""
        self._jammed = False
        """Whether the lift has met a jam since a push was last released."""
        self.jams = 0
        """Number of times that a tile has stuck at the counter."""
        self.owed = 0
        """Tiles to lift in place of tiles that a person took out; the push waits for them."""

    # The lift

    @asynccontextmanager
    async def lifting(self) -> AsyncIterator[None]:
        """Reserve the wheel for a lift within a block; at its end release a waiting push."""
        async with self._lifting:
            try:
                yield
            finally:
                self._release(within=False)

    def jam(self) -> None:
        """Record that a tile sticks at the counter."""
        self.jams += 1
        self._jammed = True

    def add(self, tiles: int) -> None:
        """Subtract tiles that have passed the counter from `owed`."""
        self.owed = max(0, self.owed - tiles)

    @property
    def holds_up_a_push(self) -> bool:
        """Whether a push waits for a jam to be cleared."""
        return self._waiting is not None and self._jammed

    async def push_first(self) -> None:
        """Release a waiting push, and wait until it has been tried."""
        self._tried.clear()
        if self._release(within=True):
            await self._tried.wait()

    # The push

    @asynccontextmanager
    async def curing(self) -> AsyncIterator[None]:
        """Reserve the wheel for a cure of the push, so that no lift begins within this block."""
        async with self._lifting:
            yield

    def tried(self) -> None:
        """Record that the push has been tried."""
        self._tried.set()

    async def wait_for_lift(self) -> bool:
        """Wait for a running lift; returns whether to retry the push during the lift."""
        if not self._lifting.locked():
            return False
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            return await self._waiting
        finally:
            self._waiting = None

    def _release(self, *, within: bool) -> bool:
        """Release a waiting push, during a lift or after it; returns whether a push waited."""
        self._jammed, self.owed = False, 0
        if self._waiting is None or self._waiting.done():
            return False
        self._waiting.set_result(within)
        return True
