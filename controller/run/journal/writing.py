"""Writes the journal's records to the disks in batches, one batch at a time.

A record gets its number when it is added. Records that are added while a batch is being synced form
the next batch, so several records share one sync. A batch is written only after the previous batch
is on disk in every copy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from controller.run.journal.lines import JournalError
from controller.run.journal.storage import Job, Results, Storage

LONGEST_SYNC = 30.0
"""Seconds after which a write counts as failed (our choice). An SD card takes 0.02 to 2 s."""


class Target(Protocol):
    """Interface to the journal's copies: returns file operations as jobs, takes their results."""

    def append_jobs(self, lines: Sequence[bytes]) -> list[Job]: ...

    def finish_append(self, lines: Sequence[bytes], results: Results) -> JournalError | None: ...

    def truncate_jobs(self) -> list[Job]: ...

    def finish_truncate(self, results: Results) -> JournalError | None: ...


@dataclass(frozen=True)
class JournalLine:
    """A record that is not on disk yet, and the number of the first record of its batch."""

    number: int
    batch: int
    text: bytes


class Writing:
    """Holds the records that are not on disk yet, in order, and writes them.

    `after` is the number of the last record that is on disk at the beginning.
    """

    def __init__(self, target: Target, storage: Storage, after: int) -> None:
        self._target = target
        self._storage = storage
        self._lines: list[JournalLine] = []
        self._on_disk = after
        self._wanted = after
        self._busy = False
        """Whether the storage is executing jobs of this journal."""
        self._failure: JournalError | None = None
        """The last failure of a write."""
        self._failures = 0
        """Number of failed writes."""
        self._reported = after
        """Number of the last record whose failure was returned by `begin` or raised by `settle` or
        `flush`."""
        self._ended: asyncio.Future[None] | None = None
        """Done when the running jobs have ended; None until a coroutine waits for that."""

    @property
    def lines(self) -> list[bytes]:
        """The lines that were added and are not on disk in every copy."""
        return [line.text for line in self._lines]

    @property
    def on_disk(self) -> int:
        """The number of the last record that is on disk in every copy."""
        return self._on_disk

    def batch_for(self, number: int) -> int:
        """The batch of the record with this number, which is added next.

        A batch is identified by the number of its first record.
        """
        last = self._lines[-1].batch if self._lines else number
        being_written = self._lines[0].batch if self._busy and self._lines else None
        return number if last == being_written else last

    def add(self, line: JournalLine) -> None:
        """Add a record; it is written with its batch."""
        self._lines.append(line)

    def remove(self, number: int) -> bool:
        """Remove a record whose write has failed; returns False if it is not the last record."""
        last = bool(self._lines) and self._lines[-1].number == number and not self._busy
        if last:
            self._lines.pop()
            self._is_unreported()
        return last

    def begin(self) -> JournalError | None:
        """Begin to write all added records.

        Returns the failure if the storage reports one at once. The caller has to raise it: `settle`
        and `flush` do not raise it again.
        """
        before = self._failures
        self._start()
        if self._failures == before:
            return None
        self._is_unreported()
        return self._failure

    def run(self, job: Job, done: Callable[[Exception | None], None]) -> None:
        """Execute another job on the copies; no record is written until it ends.

        Call it only while the storage is idle, for example after `wait_until_idle`.
        """
        assert not self._busy
        self._busy = True

        def ended(results: Results) -> None:
            self._busy = False
            done(results[0])
            self._job_ended()

        self._storage.carry_out([job], ended)

    async def wait(self) -> None:
        """Wait until every added record is on disk in every copy. Raises JournalError."""
        number, before = self._lines[-1].number if self._lines else 0, self._failures
        self._start()
        while self._on_disk < number:
            if self._failures != before:
                raise self._last_failure()
            await self._wait_for_jobs()

    async def _wait_for_jobs(self) -> None:
        """Wait until the running jobs have ended. Raises JournalError after `LONGEST_SYNC`."""
        if not self._busy:
            return
        if self._ended is None or self._ended.done():
            self._ended = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(LONGEST_SYNC):
                await asyncio.shield(self._ended)
        except TimeoutError:
            raise _no_answer() from None

    async def wait_until_idle(self) -> None:
        """Wait until no job is running, including writes that other coroutines have started."""
        while self._busy:
            await self._wait_for_jobs()

    async def settle(self) -> None:
        """Wait as `wait` does, but raise a failure only once for the same records."""
        try:
            await self.wait()
        except JournalError:
            if self._is_unreported():
                raise

    def flush(self) -> None:
        """Wait as `settle` does, but block the event loop."""
        while self._lines:
            before = self._failures
            self._start()
            try:
                self._storage.finish()
            except OSError:
                raise _no_answer() from None
            if self._failures != before:
                if self._is_unreported():
                    raise self._last_failure()
                return
            if self._busy:
                return  # the storage executes no more jobs, because its simulated host was killed

    def _last_failure(self) -> JournalError:
        assert self._failure is not None
        return self._failure

    def _start(self) -> None:
        if self._lines:
            self._wanted = self._lines[-1].number
        self._next()

    def _is_unreported(self) -> bool:
        """Whether a failure concerns records without a reported failure; marks them as reported."""
        reported, self._reported = self._reported, self._lines[-1].number if self._lines else 0
        return reported < self._reported

    def _next(self) -> None:
        """Write the next batch if a write was requested and no job is running."""
        if self._busy or not self._lines or self._wanted < self._lines[0].number:
            return
        self._busy = True
        if jobs := self._target.truncate_jobs():
            self._storage.carry_out(jobs, self._truncated)
        else:
            self._write()

    def _truncated(self, results: Results) -> None:
        failure = self._target.finish_truncate(results)
        if failure is None:
            self._write()
        else:
            self._failed(failure)

    def _write(self) -> None:
        batch = [line for line in self._lines if line.batch == self._lines[0].batch]
        texts = [line.text for line in batch]
        try:
            jobs = self._target.append_jobs(texts)
        except JournalError as error:
            self._failed(error)
        else:
            self._storage.carry_out(jobs, partial(self._written, batch, texts))

    def _written(self, batch: list[JournalLine], texts: list[bytes], results: Results) -> None:
        failure = self._target.finish_append(texts, results)
        if failure is not None:
            self._failed(failure)
            return
        self._busy = False
        del self._lines[: len(batch)]
        self._on_disk = batch[-1].number
        self._job_ended()

    def _failed(self, failure: JournalError) -> None:
        """Store the failure and cut off the bytes of the batch; no record of it is written."""
        self._failure, self._failures = failure, self._failures + 1
        self._wanted = self._on_disk
        if jobs := self._target.truncate_jobs():
            self._storage.carry_out(jobs, self._cut)
        else:
            self._busy = False
            self._job_ended()

    def _cut(self, results: Results) -> None:
        self._target.finish_truncate(results)  # if it failed, `_next` truncates again
        self._busy = False
        self._job_ended()

    def _job_ended(self) -> None:
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(None)
        self._next()


def _no_answer() -> JournalError:
    return JournalError(
        f"The journal's disk has not answered for {LONGEST_SYNC:.0f} s; check the disk, or name a"
        " file on another disk with --journal."
    )
