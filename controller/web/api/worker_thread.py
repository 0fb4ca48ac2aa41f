"""A thread for API work that would block the event loop: hashes, the accounts' file, the judge.

The event loop is the table's. Work of the API that can take longer than 2 ms runs in a worker
thread. Why threads are allowed here: docs/decisions/0028.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from rules.errors import WallwrightError

P = ParamSpec("P")
T = TypeVar("T")


class WorkerBusyError(WallwrightError):
    """Too many jobs wait for the worker thread."""


class WorkerThread:
    """One thread that executes jobs in order; at most `waiting` jobs wait for it."""

    def __init__(self, name: str, waiting: int = 32) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._jobs = 0
        self._most = waiting + 1

    async def run(self, job: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of a job. Raises its exception, and WorkerBusyError if too many jobs wait."""
        if self._jobs >= self._most:
            raise WorkerBusyError("Too many requests wait for the same worker; try again later.")
        loop = asyncio.get_running_loop()
        future = self._executor.submit(job, *args, **kwargs)
        self._jobs += 1
        future.add_done_callback(lambda _: loop.call_soon_threadsafe(self._ended))
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Wait for the present job, and drop those that wait."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _ended(self) -> None:
        self._jobs -= 1
