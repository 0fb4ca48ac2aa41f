"""One writer thread for each copy of the journal: a slow disk never stops the event loop.

The threads do nothing but the jobs they are given, in order, and report by
`call_soon_threadsafe`. Why threads are allowed here: docs/decisions/0015.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue

from controller.journal.storage import Done, Job, outcome

LONGEST_WAIT = 30.0
"""How long `finish` waits for a disk that does not answer, seconds (ours)."""


@dataclass
class _Round:
    """Jobs that were given together."""

    done: Done
    results: list[Exception | None]
    left: int


class WriterThreads:
    """A `Storage` that does the jobs for each copy in a thread of its own.

    `loop` is the event loop in whose thread `done` is called. The threads are daemons: a disk that
    hangs does not keep the process from ending.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, copies: int = 3) -> None:
        self._loop = loop
        self._changed = threading.Condition()
        self._under_way = 0
        self._ended: deque[_Round] = deque()
        self._queues: list[SimpleQueue[tuple[_Round, int, Job] | None]] = [
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
        given = _Round(done, [None] * len(jobs), len(jobs))
        with self._changed:
            self._under_way += 1
        for number, (queue, job) in enumerate(zip(self._queues, jobs, strict=False)):
            queue.put((given, number, job))

    def finish(self) -> None:
        while True:
            with self._changed:
                idle = self._changed.wait_for(lambda: not self._under_way, LONGEST_WAIT)
            if not idle:
                raise TimeoutError(f"the disk has not answered for {LONGEST_WAIT:.0f} s")
            if not self._ended:
                return
            self._deliver()

    def close(self) -> None:
        for queue in self._queues:
            queue.put(None)
        self._queues.clear()

    def _work(self, queue: SimpleQueue[tuple[_Round, int, Job] | None]) -> None:
        """One thread: job after job, until None comes."""
        while (given := queue.get()) is not None:
            jobs, number, job = given
            jobs.results[number] = outcome(job)
            with self._changed:
                jobs.left -= 1
                if jobs.left:
                    continue
                self._under_way -= 1
                self._ended.append(jobs)
                self._changed.notify_all()
            with suppress(RuntimeError):  # the loop is closed: `finish` delivers
                self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        """Report the rounds that have ended; in the thread of the event loop."""
        while self._ended:
            ended = self._ended.popleft()
            ended.done(ended.results)
