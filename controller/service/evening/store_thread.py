"""Runs the work of the store: at once in virtual time, or in a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from controller.service.evening.evening_store import EveningStore, StoreError

T = TypeVar("T")


class ImmediateStore:
    """Runs every work at once, on the event loop."""

    def __init__(self, store: EveningStore) -> None:
        self._store = store

    def write(self, work: Callable[[EveningStore], None]) -> None:
        work(self._store)

    async def read(self, work: Callable[[EveningStore], T]) -> T:
        return work(self._store)

    def close(self) -> None:
        """Close the store."""
        self._store.close()


class StoreWorker:
    """Runs the work in one thread, in the order of the calls; a disk may take 50 ms for a sync.

    `report` is called on the event loop with the sentence of a write that failed.
    """

    def __init__(self, store: EveningStore, report: Callable[[str], None]) -> None:
        self._store = store
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")

    def write(self, work: Callable[[EveningStore], None]) -> None:
        self._thread.submit(work, self._store).add_done_callback(self._written)

    async def read(self, work: Callable[[EveningStore], T]) -> T:
        return await self._loop.run_in_executor(self._thread, work, self._store)

    def close(self) -> None:
        """Finish all writes, and close the store."""
        self._thread.shutdown(wait=True)
        self._store.close()

    def _written(self, done: Future[None]) -> None:
        error = done.exception()
        if isinstance(error, StoreError):
            self._loop.call_soon_threadsafe(self._report, str(error))
        elif error is not None:
            raise error
