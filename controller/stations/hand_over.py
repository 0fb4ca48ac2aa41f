"""The hand-over between a head's lift and its push, which work at the same time.

A tile that sticks at the counter stops the push too. The lift clears it, so the push waits for the
lift: it goes on within the lift, as soon as the counter is free, or after the lift has ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class HandOver:
    """One head's. The lift calls the first group of methods, the push the second."""

    def __init__(self) -> None:
        self._lifting = asyncio.Lock()
        """Held while the wheel lifts, so that a pusher's cure does not reverse it meanwhile."""
        self._waiting: asyncio.Future[bool] | None = None
        """A push that waits for the lift: True starts it during the lift, False after it."""
        self._tried = asyncio.Event()
        """Whether the released push has been tried."""
        self._jammed = False
        """Whether this lift has met a jam since a push was last released."""
        self.jams = 0
        """How often a tile has stuck at the counter."""
        self.owed = 0
        """Tiles among those due that replace tiles taken out by a person: a push waits for them."""

    # The lift

    @asynccontextmanager
    async def lifting(self) -> AsyncIterator[None]:
        """A lift; when it ends, the push that waits goes on."""
        async with self._lifting:
            try:
                yield
            finally:
                self._let_go(within=False)

    def jam(self) -> None:
        """A tile sticks at the counter."""
        self.jams += 1
        self._jammed = True

    def came(self, tiles: int) -> None:
        """So many tiles have passed the counter."""
        self.owed = max(0, self.owed - tiles)

    @property
    def holds_up_a_push(self) -> bool:
        """Whether a push waits for a jam to be cleared."""
        return self._waiting is not None and self._jammed

    async def push_first(self) -> None:
        """Let the push that waits go, and wait until it has been tried."""
        self._tried.clear()
        if self._let_go(within=True):
            await self._tried.wait()

    # The push

    @asynccontextmanager
    async def curing(self) -> AsyncIterator[None]:
        """No lift begins within this block: the push's cure uses the wheel."""
        async with self._lifting:
            yield

    def tried(self) -> None:
        """The push has been tried."""
        self._tried.set()

    async def wait_for_lift(self) -> bool:
        """Wait for the lift that is on its way, if there is one; whether to push within it."""
        if not self._lifting.locked():
            return False
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            return await self._waiting
        finally:
            self._waiting = None

    def _let_go(self, *, within: bool) -> bool:
        """Release the push that waits, within a lift or after it; returns whether one waited."""
        self._jammed, self.owed = False, 0
        if self._waiting is None or self._waiting.done():
            return False
        self._waiting.set_result(within)
        return True
