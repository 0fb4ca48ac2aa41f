"""Records events from the event loop: a thread writes them in batches, the loop never waits.

The first job opens the log, which reads all of it. While a batch is written, later events form the
next batch. If the log cannot be written, events are kept, the failure is reported, and the write is
tried again; the table must not be played meanwhile (fault AUDIT).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from controller.records.audit.errors import AuditError, AuditLockedError
from controller.records.audit.log.audit_log import (
    Anchor,
    AuditLog,
    anchor_facts,
    anchor_of_journal,
    begun_log,
    opened_log,
    require_log,
)
from controller.records.audit.log.event_line import AuditEntry, AuditEvent, time_text
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import LogReader
from controller.run.journal.storage import Results, Storage, WriteTimes

RETRY_AFTER = 5.0
"""Seconds between two tries to write (our choice)."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class _Waiting:
    """An entry that is not on disk yet, and what to call with its event."""

    entry: AuditEntry
    done: Callable[[AuditEvent], None] | None
    keep_head: bool


@dataclass(frozen=True)
class ClockReading:
    """The computer's time, which can jump, and the seconds of a clock that cannot, read together.

    Only such a pair shows a jump. A clock of the event loop does not do: the loop of a simulated
    table is late on a busy computer, and its seconds then fall behind.
    """

    wall: datetime
    real_s: float


def computer_clocks() -> ClockReading:
    """Read both clocks of the computer; the second one counts while the computer sleeps, too.

    A busy computer can interrupt the program between two readings. Of three pairs the one that was
    read within the shortest time is returned.
    """
    pairs = []
    for _ in range(3):
        before = time.clock_gettime(time.CLOCK_BOOTTIME)
        wall = datetime.now(UTC)
        after = time.clock_gettime(time.CLOCK_BOOTTIME)
        pairs.append((after - before, ClockReading(wall, before)))
    return min(pairs, key=lambda pair: pair[0])[1]


@dataclass(frozen=True)
class RecorderClocks:
    """The clocks of a recorder: `table` gives the table's seconds, `computer` reads the computer.

    `pace` is the number of the table's seconds in a real second.
    """

    table: Callable[[], float]
    pace: float = 1.0
    computer: Callable[[], ClockReading] = computer_clocks


class AuditRecorder:
    """Adds events to the log of one table.

    `storage` executes one job at a time. `changed` is called after each failure and each recovery.
    `open_after` is the number of real seconds before the log is opened; events wait until then.
    `journal` is the table's journal with the directory of its third copy; its anchor is compared
    with the log when that is opened, as are those of `expect`.
    """

    def __init__(
        self,
        folder: LogFolder,
        table: str,
        clocks: RecorderClocks,
        storage: Storage,
        *,
        changed: Callable[[], None] = lambda: None,
        open_after: float = 0.0,
        journal: tuple[Path, Path | None] | None = None,
    ) -> None:
        self.folder = folder
        self.failure: str | None = None
        """Why events are not on disk; None while the log works."""
        self.is_locked = False
        """Whether the log contradicts itself, so that a person has to decide."""
        self.is_closed = False
        """Whether the last events were written and the log takes no more."""
        self.size = 0
        """The number of events on disk."""
        self.times = WriteTimes()
        """Durations of the writes of batches."""
        self.log: AuditLog | None = None
        self.repairs: tuple[str, ...] = ()
        """What was corrected when the log was opened."""
        self._journal = journal
        self._anchors: tuple[Anchor, ...] = ()
        self._ended: tuple[str, ...] = ()
        self._table = table
        self._clocks = clocks
        self._storage = storage
        self._changed = changed
        self._waiting: list[_Waiting] = []
        self._is_busy = False
        self._idle: asyncio.Future[None] | None = None
        self._retry: asyncio.TimerHandle | None = None
        self._is_closing = False
        if open_after:
            loop = asyncio.get_running_loop()
            self._retry = loop.call_later(open_after * clocks.pace, self._try_again)

    @property
    def waiting(self) -> int:
        """The number of events that are not on disk yet."""
        return len(self._waiting)

    @property
    def anchor(self) -> dict[str, object] | None:
        """The size and the root of the log on disk, for other records to keep; None before that."""
        return None if self.log is None else anchor_facts(self.log.head)

    def expect(self, anchors: Sequence[Anchor], ended: Sequence[str]) -> None:
        """Compare the log with these anchors when it is opened. Call it before that.

        `ended` are the origins of earlier logs that a restore or a person has replaced.
        """
        self._anchors, self._ended = tuple(anchors), tuple(ended)

    def time(self) -> str:
        """The computer's time, as events have it."""
        return time_text(self._clocks.computer().wall)

    def entry(
        self,
        what: str,
        details: Mapping[str, object] | None = None,
        *,
        who: str = "",
        role: str = "",
        source: str = "table",
    ) -> AuditEntry:
        """An event at the present time."""
        clocks = self._clocks.computer()
        return AuditEntry(
            what,
            clocks.wall,
            self._clocks.table(),
            clocks.real_s,
            who,
            role,
            source,
            dict(details or {}),
        )

    def record(
        self,
        entry: AuditEntry,
        done: Callable[[AuditEvent], None] | None = None,
        *,
        keep_head: bool = False,
    ) -> None:
        """Record an event; returns at once. `done` is called with the event when it is on disk."""
        self._waiting.append(_Waiting(entry, done, keep_head))
        self._next()

    async def on_disk(self) -> None:
        """Wait until every event so far is on disk. Raises AuditError while that is impossible."""
        while self._waiting or self._is_busy:
            if self.failure is not None:
                raise AuditError(self.failure)
            if self._idle is None or self._idle.done():
                self._idle = asyncio.get_running_loop().create_future()
            await self._idle

    async def read(self, work: Callable[[LogReader], Result]) -> Result:
        """The result of a function of the log up to its last event, computed in the log's thread.

        Raises AuditError if the log cannot be used, and what `work` raises.
        """
        await self.on_disk()
        if self.is_closed:
            raise AuditError(f"The audit log {self.folder.path} is closed.")
        answer: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        results: list[Result] = []

        def job() -> None:
            if self.log is None:
                self.log = self._opened()
            results.append(work(self.log.reader()))

        def answered(errors: Results) -> None:
            if answer.cancelled():
                return
            if errors[0] is None:
                answer.set_result(results[0])
            else:
                answer.set_exception(errors[0])

        self._storage.carry_out([job], answered)
        return await answer

    def close(self) -> None:
        """Write the last events, and close the log; blocks until the disk has answered."""
        self._is_closing = True
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        self._next(is_last_try=True)
        self._finish()
        self.is_closed = True
        if self.log is not None:
            self.log.close()
        self._storage.close()

    def _finish(self) -> None:
        try:
            self._storage.finish()
        except OSError as error:
            self.failure = f"The audit log {self.folder.path}: {error}."

    def _next(self, *, is_last_try: bool = False) -> None:
        if self._is_busy or self.is_closed or self.is_locked or not self._waiting:
            return
        if self._retry is not None or (self._is_closing and self.failure and not is_last_try):
            return
        self._is_busy = True
        batch = tuple(self._waiting)
        written: list[AuditEvent] = []
        begun = self._clocks.table()

        def job() -> None:
            if self.log is None:
                self.log = self._opened()
            entries = [waiting.entry for waiting in batch]
            keep = any(waiting.keep_head for waiting in batch)
            try:
                written.extend(self.log.append(entries, keep_head=keep))
            except AuditError:
                self.log.close()
                self.log = None  # it is read again: it is not known which bytes are on the disk
                raise

        def ended(results: Results) -> None:
            self.times.add(self._clocks.table() - begun, failed=results[0] is not None)
            self._written(batch, written, results)

        self._storage.carry_out([job], ended)

    def _opened(self) -> AuditLog:
        anchors = list(self._anchors)
        kept = None if self._journal is None else anchor_of_journal(*self._journal)
        if kept is not None:
            anchors.append(kept)
        if self.folder.exists:
            log = opened_log(self.folder, anchors, self._ended)
        else:
            require_log(self.folder, (each for each in anchors if each.origin not in self._ended))
            log = begun_log(self.folder, self._table, self._log_begun())
        self.repairs += log.repairs
        return log

    def _log_begun(self) -> AuditEntry:
        """The first event, with the times of the oldest waiting entry, which is older than now."""
        if not self._waiting:
            return self.entry("log_begun")
        oldest = self._waiting[0].entry
        return AuditEntry("log_begun", oldest.wall, oldest.table_s, oldest.real_s)

    def _written(
        self, batch: Sequence[_Waiting], written: Sequence[AuditEvent], results: Results
    ) -> None:
        self._is_busy = False
        error = results[0]
        if error is None:
            del self._waiting[: len(batch)]
            self.size = written[-1].index + 1
            had_failed, self.failure = self.failure is not None, None
            if had_failed:
                self.record(self.entry("audit_recovered"))
                self._changed()
            _report(batch, written)
        else:
            self._failed(error)
        if self._idle is not None and not self._idle.done():
            self._idle.set_result(None)
        self._next()

    def _failed(self, error: Exception) -> None:
        if not isinstance(error, AuditError):
            raise error
        is_new, self.failure = self.failure is None, str(error)
        self.is_locked = isinstance(error, AuditLockedError)
        if not self._is_closing and not self.is_locked:
            loop = asyncio.get_running_loop()
            self._retry = loop.call_later(RETRY_AFTER * self._clocks.pace, self._try_again)
        if is_new:
            self._changed()

    def _try_again(self) -> None:
        self._retry = None
        self._next()


def _report(batch: Sequence[_Waiting], written: Sequence[AuditEvent]) -> None:
    """Pass each event to the entry that it was written for; events of clock jumps have none."""
    events = iter(written)
    for waiting in batch:
        event = next(event for event in events if event.what == waiting.entry.what)
        if waiting.done is not None:
            waiting.done(event)
