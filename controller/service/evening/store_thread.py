"""Runs the work of the store in order: at once in virtual time, or in a thread of its own.

A write that fails is kept and tried again, with all writes after it, so that the file never misses
one in the middle. Meanwhile `failure` has the reason, the table must not be played (fault STORE),
and `stored` reports no write as stored.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

from controller.service.evening.evening_store import EveningStore, StoreError

RETRY_AFTER = 5.0
"""Real seconds between two tries to write (our choice)."""
LATE = 10.0
"""Real seconds after which a write that has not ended counts as failed (our choice)."""
T = TypeVar("T")
Write = Callable[[EveningStore], None]
Done = Callable[[Exception | None], None]


class StoreThread(Protocol):
    """Runs the work of the store: at once, or in a thread of its own, in the order of the calls."""

    failure: str | None
    """Why writes are not on disk; None while the store works."""
    changed: Callable[[str | None], None]
    """Called with the reason when a write fails, and with None when writes succeed again."""

    def write(self, work: Write, done: Callable[[], None] = lambda: None) -> None:
        """Run a write; the caller does not wait for it. `done` is called when it is on disk."""

    async def stored(self) -> None:
        """Wait until every write so far is on disk. Raises StoreError if that is not possible."""

    async def read(self, work: Callable[[EveningStore], T]) -> T:
        """Run a read after all earlier writes; returns its result."""


class _OrderedWrites:
    """Writes in order, as many as wait in one transaction.

    `pace` is the number of seconds of the event loop's clock in a real second.
    """

    def __init__(
        self,
        store: EveningStore,
        pace: float = 1.0,
    ) -> None:
        self.failure: str | None = None
        self.changed: Callable[[str | None], None] = lambda _: None
        self._store = store
        self._pace = pace
        self._waiting: list[tuple[Write, Callable[[], None]]] = []
        self._numbers = [0, 0]
        """Numbers of writes: those that were asked for, and those that are on disk."""
        self._is_busy = False
        self._idle: asyncio.Future[None] | None = None
        self._retry: asyncio.TimerHandle | None = None

    def write(self, work: Write, done: Callable[[], None] = lambda: None) -> None:
        self._waiting.append((work, done))
        self._numbers[0] += 1
        self._next()

    async def stored(self) -> None:
        number = self._numbers[0]
        while self._numbers[1] < number:
            if self.failure is not None:
                raise StoreError(self.failure)
            await self._ended()

    async def read(self, work: Callable[[EveningStore], T]) -> T:
        while self._waiting and self.failure is None:
            await self._ended()
        return await self._read(work)

    @abstractmethod
    def _execute(self, job: Callable[[], None], done: Done) -> None:
        """Execute a job, then call `done` on the event loop with its exception or None."""

    @abstractmethod
    async def _read(self, work: Callable[[EveningStore], T]) -> T:
        """Execute a read."""

    async def _ended(self) -> None:
        """Wait until the present transaction has ended."""
        if self._idle is None or self._idle.done():
            self._idle = asyncio.get_running_loop().create_future()
        # A waiter that is cancelled must not cancel it for the others.
        await asyncio.shield(self._idle)

    def _next(self) -> None:
        if self._is_busy or self._retry is not None or not self._waiting:
            return
        self._is_busy = True
        batch = tuple(self._waiting)

        def job() -> None:
            self._store.write_all(work for work, _ in batch)

        self._execute(job, lambda error: self._written(batch, error))

    def _written(
        self, batch: Sequence[tuple[Write, Callable[[], None]]], error: Exception | None
    ) -> None:
        self._is_busy = False
        had_failed = self.failure is not None
        if isinstance(error, StoreError):
            self.failure = str(error)
            loop = asyncio.get_running_loop()
            self._retry = loop.call_later(RETRY_AFTER * self._pace, self._try_again)
        else:
            del self._waiting[: len(batch)]
            self._numbers[1] += len(batch)
            self.failure = None
            for _, stored in batch:
                stored()
        self._wake()
        if had_failed != (self.failure is not None):
            self.changed(self.failure)
        self._next()
        if error is not None and not isinstance(error, StoreError):
            raise error

    def _wake(self) -> None:
        if self._idle is not None and not self._idle.done():
            self._idle.set_result(None)

    def _try_again(self) -> None:
        self._retry = None
        self._next()

    def _stop_trying(self) -> None:
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None


class ImmediateStore(_OrderedWrites):
    """Runs every work at once, on the event loop."""

    def _execute(self, job: Callable[[], None], done: Done) -> None:
        try:
            job()
        except StoreError as error:
            done(error)
        else:
            done(None)

    async def _read(self, work: Callable[[EveningStore], T]) -> T:
        return work(self._store)

    def close(self) -> None:
        """Close the store; writes that have failed are lost."""
        self._stop_trying()
        self._store.close()


class StoreWorker(_OrderedWrites):
    """Runs the work in one thread, in the order of the calls; a disk may take 50 ms for a sync."""

    def __init__(
        self,
        store: EveningStore,
        pace: float = 1.0,
    ) -> None:
        super().__init__(store, pace)
        self._loop = asyncio.get_running_loop()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")

    def close(self) -> None:
        """Try all writes once more, and close the store; blocks until the disk has answered.

        A write whose result has not been noted yet is repeated, which changes nothing. Raises
        StoreError if a write is lost.
        """
        self._stop_trying()
        self._thread.shutdown(wait=True)
        try:
            if self._waiting:
                self._store.write_all(work for work, _ in self._waiting)
        finally:
            # The result of the thread's last write is noted later: then nothing is to be written.
            self._waiting.clear()
            self._store.close()

    def _execute(self, job: Callable[[], None], done: Done) -> None:
        def executed() -> Exception | None:
            try:
                job()
            except Exception as error:  # noqa: BLE001 - reported on the event loop
                return error
            return None

        late = self._loop.call_later(LATE * self._pace, self._is_late)

        def ended(error: Exception | None) -> None:
            late.cancel()
            done(error)

        future = self._thread.submit(executed)
        future.add_done_callback(lambda each: self._report(ended, each.result()))

    def _is_late(self) -> None:
        """Report a disk that does not answer; the write continues, and its end is recorded."""
        if self.failure is None:
            self.failure = f"The store has not been written for {LATE:g} s: the disk hangs."
            self.changed(self.failure)
            self._wake()

    def _report(self, done: Done, error: Exception | None) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(done, error)

    async def _read(self, work: Callable[[EveningStore], T]) -> T:
        return await self._loop.run_in_executor(self._thread, work, self._store)
