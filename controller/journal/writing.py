"""What is on its way to the journal's disks: records in batches, one write at a time.

Records are added at once and get their place; they are written in batches. While one batch is
being synced, whatever is added forms the next one, so several records share one sync. A batch is
written only after the one before it is on disk in every copy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from controller.journal.lines import JournalError
from controller.journal.storage import Job, Results, Storage

LONGEST_SYNC = 30.0
"""How long a disk may take over one write, seconds (ours): a card takes 0.02 to 0.2, at worst 2."""


class Target(Protocol):
    """The copies: what is to be done to their files, and what came of it."""

    def appends(self, lines: Sequence[bytes]) -> list[Job]: ...

    def appended(self, lines: Sequence[bytes], results: Results) -> JournalError | None: ...

    def take_back(self) -> list[Job]: ...

    def taken_back(self, results: Results) -> JournalError | None: ...


@dataclass(frozen=True)
class JournalLine:
    """A record on its way, and the number of the first record of its batch."""

    number: int
    batch: int
    text: bytes


class Writing:
    """The records that are not on disk yet, in order.

    `after` is the number of the last record that is on disk.
    """

    def __init__(self, target: Target, storage: Storage, after: int) -> None:
        self._target = target
        self._storage = storage
        self._lines: list[JournalLine] = []
        self._on_disk = after
        self._wanted = after
        self._busy = False
        """Whether the storage has a job of this journal."""
        self._failure: JournalError | None = None
        """The last one."""
        self._failures = 0
        """How often a write has failed."""
        self._reported = after
        """The number up to which a failure has been raised to `flush` or `settle`."""
        self._ended: asyncio.Future[None] | None = None
        """Done when the job that is under way has ended."""

    @property
    def lines(self) -> list[bytes]:
        """Everything that was added and is not on disk in every copy."""
        return [line.text for line in self._lines]

    @property
    def on_disk(self) -> int:
        """The number of the last record that is on disk in every copy."""
        return self._on_disk

    def batch_for(self, number: int) -> int:
        """The batch of the record that is added next, by the number of its first record."""
        joined = self._lines[-1].batch if self._lines else number
        under_way = self._lines[0].batch if self._busy and self._lines else None
        return number if joined == under_way else joined

    def add(self, line: JournalLine) -> None:
        """Take a record; it is written with the next batch."""
        self._lines.append(line)

    def remove(self, number: int) -> bool:
        """Forget a record whose write has failed, if it is the last."""
        last = bool(self._lines) and self._lines[-1].number == number and not self._busy
        if last:
            self._lines.pop()
            self._is_news()
        return last

    def begin(self) -> JournalError | None:
        """Begin to write everything that was added.

        Returns the failure, if the storage has reported one before this returns; it is to be
        raised, and counts as reported.
        """
        before = self._failures
        self._start()
        if self._failures == before:
            return None
        self._is_news()
        return self._failure

    def run(self, job: Job, done: Callable[[Exception | None], None]) -> None:
        """Do something else with the copies; nothing is written meanwhile.

        Only while nothing is under way: after `wait` or `flush`.
        """
        assert not self._busy
        self._busy = True

        def ended(results: Results) -> None:
            self._busy = False
            done(results[0])
            self._job_ended()

        self._storage.carry_out([job], ended)

    async def wait(self) -> None:
        """Wait until everything that was added is on disk in every copy. Raises JournalError."""
        number, before = self._lines[-1].number if self._lines else 0, self._failures
        self._start()
        while self._on_disk < number:
            if self._failures != before:
                raise self._last_failure()
            await self.idle()

    async def idle(self) -> None:
        """Wait until the job that is under way has ended. Raises JournalError if it hangs."""
        if not self._busy:
            return
        if self._ended is None or self._ended.done():
            self._ended = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(LONGEST_SYNC):
                await asyncio.shield(self._ended)
        except TimeoutError:
            raise _no_answer() from None

    async def quiet(self) -> None:
        """Wait until nothing is under way, not even what others wait for."""
        while self._busy:
            await self.idle()

    async def settle(self) -> None:
        """As `wait`, but a failure is raised once only for the same records."""
        try:
            await self.wait()
        except JournalError:
            if self._is_news():
                raise

    def flush(self) -> None:
        """As `settle`, without the event loop."""
        while self._lines:
            before = self._failures
            self._start()
            try:
                self._storage.finish()
            except OSError:
                raise _no_answer() from None
            if self._failures != before:
                if self._is_news():
                    raise self._last_failure()
                return
            if self._busy:
                return  # the storage does nothing any more: its host is gone

    def _last_failure(self) -> JournalError:
        assert self._failure is not None
        return self._failure

    def _start(self) -> None:
        if self._lines:
            self._wanted = self._lines[-1].number
        self._next()

    def _is_news(self) -> bool:
        """Whether a failure concerns records whose failure was not reported before; now it is."""
        reported, self._reported = self._reported, self._lines[-1].number if self._lines else 0
        return reported < self._reported

    def _next(self) -> None:
        """Write the next batch, if one is wanted and nothing is under way."""
        if self._busy or not self._lines or self._wanted < self._lines[0].number:
            return
        self._busy = True
        if left := self._target.take_back():
            self._storage.carry_out(left, self._taken_back)
        else:
            self._write()

    def _taken_back(self, results: Results) -> None:
        failure = self._target.taken_back(results)
        if failure is None:
            self._write()
        else:
            self._failed(failure)

    def _write(self) -> None:
        batch = [line for line in self._lines if line.batch == self._lines[0].batch]
        texts = [line.text for line in batch]
        try:
            jobs = self._target.appends(texts)
        except JournalError as error:
            self._failed(error)
        else:
            self._storage.carry_out(jobs, partial(self._written, batch, texts))

    def _written(self, batch: list[JournalLine], texts: list[bytes], results: Results) -> None:
        failure = self._target.appended(texts, results)
        if failure is not None:
            self._failed(failure)
            return
        self._busy = False
        del self._lines[: len(batch)]
        self._on_disk = batch[-1].number
        self._job_ended()

    def _failed(self, failure: JournalError) -> None:
        """Nothing of the batch counts as written; what is half written is cut off."""
        self._failure, self._failures = failure, self._failures + 1
        self._wanted = self._on_disk
        if left := self._target.take_back():
            self._storage.carry_out(left, self._cut)
        else:
            self._busy = False
            self._job_ended()

    def _cut(self, results: Results) -> None:
        self._target.taken_back(results)  # where that fails, it is tried before the next write
        self._busy = False
        self._job_ended()

    def _job_ended(self) -> None:
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(None)
        self._next()


def _no_answer() -> JournalError:
    return JournalError(
        f"The journal's disk has not answered for {LONGEST_SYNC:.0f} s; look after it, or name a"
        " file on another disk with --journal."
    )
