"""Messages that wait to be stored: bounded for each table and altogether.

A message that finds no place is dropped. Its table sends it again when the floor answers that an
earlier message is missing, or if no answer brings news.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from controller.floor.messages.payloads import Birth, Reply
from controller.floor.messages.topics import TableAddress

MOST_BATCHES = 6
"""Batches of one table: its window of 4, and some that it sends again."""
MOST_BYTES = 64 * 1024 * 1024
"""Bytes of all waiting batches."""
MOST_REPLIES = 1000
"""Waiting replies of all tables."""
GATHERED_BYTES = 4 * 1024 * 1024
"""Bytes of batches that are stored together."""
GATHERED_BIRTHS = 100
"""Births that are stored together."""


@dataclass(frozen=True)
class WaitingBatch:
    """A batch as it was received, at time `at` of the event loop."""

    address: TableAddress
    payload: bytes
    at: float


@dataclass(frozen=True)
class Gathered:
    """Messages that are stored together."""

    births: tuple[tuple[TableAddress, Birth], ...] = ()
    replies: tuple[tuple[TableAddress, Reply], ...] = ()
    batches: tuple[WaitingBatch, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.births or self.replies or self.batches)


class Intake:
    """The waiting messages. `dropped` is called with the reason for each dropped message."""

    def __init__(self, dropped: Callable[[str], None]) -> None:
        self._dropped = dropped
        self._births: dict[TableAddress, Birth] = {}
        self._replies: deque[tuple[TableAddress, Reply]] = deque()
        self._batches: dict[TableAddress, deque[WaitingBatch]] = {}
        self._bytes = 0
        self._wake = asyncio.Event()

    @property
    def waiting_bytes(self) -> int:
        """Bytes of the waiting batches."""
        return self._bytes

    def add_birth(self, address: TableAddress, birth: Birth) -> None:
        """Add a table's birth; it replaces one that waits."""
        self._births[address] = birth
        self._wake.set()

    def add_reply(self, address: TableAddress, reply: Reply) -> None:
        """Add a reply to a request."""
        if len(self._replies) >= MOST_REPLIES:
            self._dropped("full")
            return
        self._replies.append((address, reply))
        self._wake.set()

    def add_batch(self, batch: WaitingBatch) -> None:
        """Add a batch behind the others of its table."""
        waiting = self._batches.get(batch.address, ())
        if len(waiting) >= MOST_BATCHES or self._bytes + len(batch.payload) > MOST_BYTES:
            self._dropped("full")
            return
        self._batches.setdefault(batch.address, deque()).append(batch)
        self._bytes += len(batch.payload)
        self._wake.set()

    async def wait(self, seconds: float) -> bool:
        """Wait until a message waits; false after these seconds without one."""
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return False
        return True

    def gather(self) -> Gathered:
        """Take what is stored next: of each table one batch, then a second one, and so on."""
        births = tuple(list(self._births.items())[:GATHERED_BIRTHS])
        for address, _ in births:
            del self._births[address]
        replies = tuple(self._replies)
        self._replies.clear()
        batches = tuple(self._gather_batches())
        if not (self._births or self._batches):
            self._wake.clear()
        return Gathered(births, replies, batches)

    def _gather_batches(self) -> list[WaitingBatch]:
        taken: list[WaitingBatch] = []
        size = 0
        while self._batches:
            for address in list(self._batches):
                waiting = self._batches[address]
                if taken and size + len(waiting[0].payload) > GATHERED_BYTES:
                    return taken
                batch = waiting.popleft()
                taken.append(batch)
                size += len(batch.payload)
                self._bytes -= len(batch.payload)
                # A table with more batches goes behind the others.
                del self._batches[address]
                if waiting:
                    self._batches[address] = waiting
        return taken
