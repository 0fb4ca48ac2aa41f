"""One writer thread for each copy of the journal, so that a slow disk never blocks the event loop.

Each thread executes its jobs in order; results are reported with `call_soon_threadsafe`. Why
threads are allowed here: docs/decisions/0015.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue

from controller.run.journal.storage import Done, Job, outcome

LONGEST_WAIT = 30.0
"""Seconds after which `finish` raises TimeoutError if no job ends (our choice)."""


@dataclass
class _Batch:
    """Jobs of one `carry_out` call, one for each copy; `left` is the number still running."""

    done: Done
    results: list[Exception | None]
    left: int


class WriterThreads:
    """A `Storage` that executes the jobs for each copy in a separate thread.

    `done` is called in the thread of the event loop `loop`. The threads are daemon threads, so a
    disk that hangs does not prevent the process from ending.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, copies: int = 3) -> None:
        self._loop = loop
        self._changed = threading.Condition()
        self._running = 0
        """Number of batches whose jobs have not all ended."""
        self._ended: deque[_Batch] = deque()
        self._queues: list[SimpleQueue[tuple[_Batch, int, Job] | None]] = [
            SimpleQueue() for _ in range(copies)
        ]
        self._threads = [
            threading.Thread(
                target=self._work, args=(queue,), name=f"journal copy {n}", daemon=True
            )
            for n, queue in enumerate(self._queues, 1)
        ]
        for thread in self._threads:
            thread.start()

    def carry_out(self, jobs: Sequence[Job], done: Done) -> None:
        if not jobs:
            done([])
            return
        batch = _Batch(done, [None] * len(jobs), len(jobs))
        with self._changed:
            self._running += 1
        for number, (queue, job) in enumerate(zip(self._queues, jobs, strict=False)):
            queue.put((batch, number, job))

    def finish(self) -> None:
        while True:
            with self._changed:
                idle = self._changed.wait_for(lambda: not self._running, LONGEST_WAIT)
            if not idle:
                raise TimeoutError(f"the disk has not answered for {LONGEST_WAIT:.0f} s")
            if not self._ended:
                return
            self._deliver()

    def close(self) -> None:
        for queue in self._queues:
            queue.put(None)
        self._queues.clear()

    def _work(self, queue: SimpleQueue[tuple[_Batch, int, Job] | None]) -> None:
        """Run one thread: execute jobs from the queue until None arrives."""
        while (queued := queue.get()) is not None:
            batch, number, job = queued
            batch.results[number] = outcome(job)
            with self._changed:
                batch.left -= 1
                if batch.left:
                    continue
                self._running -= 1
                self._ended.append(batch)
                self._changed.notify_all()
            # The loop can be closed already; `finish` then delivers the results.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        """Call `done` for the batches that have ended; runs in the thread of the event loop."""
        while self._ended:
            ended = self._ended.popleft()
            ended.done(ended.results)
