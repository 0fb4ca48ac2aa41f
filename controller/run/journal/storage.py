"""Executes the journal's file operations: at once, in threads, or in virtual time.

The journal decides which bytes are written to which copy; a `Storage` executes the operations and
reports their results. A table on real boards uses `writer_threads.WriterThreads`, so that a slow
sync of an SD card does not block the event loop. Simulations and tools use `DirectStorage`, or a
storage whose syncs take virtual seconds. `MeasuredStorage` measures how long the operations of
another storage take, and counts those that fail.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

Job = Callable[[], None]
"""One file operation on one copy; raises OSError or JournalError."""
Results = Sequence[Exception | None]
"""The exception that each job raised, in the order of the jobs; None for one that succeeded."""
Done = Callable[[Results], None]


class Storage(Protocol):
    """Executes the journal's file operations."""

    def carry_out(self, jobs: Sequence[Job], done: Done) -> None:
        """Execute these jobs, one for each copy, at the same time; then call `done`.

        `done` is called in the thread of the event loop after all jobs have ended; that can be
        before `carry_out` returns. Jobs for the same copy never overlap.
        """

    def finish(self) -> None:
        """Block until no job is running. Raises OSError if a job does not end."""

    def close(self) -> None:
        """Release the storage's resources, such as threads. Idempotent."""


class DirectStorage:
    """Executes each job at once, in the calling thread."""

    def carry_out(self, jobs: Sequence[Job], done: Done) -> None:
        done([outcome(job) for job in jobs])

    def finish(self) -> None:
        """Return at once: every job has ended when `carry_out` returns."""

    def close(self) -> None:
        """Do nothing: there are no resources."""


def outcome(job: Job) -> Exception | None:
    """Execute a job; returns the exception that it raised, None if it succeeded."""
    try:
        job()
    except Exception as error:  # noqa: BLE001 reported to the journal, which raises it
        return error
    return None


LIMITS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Upper limits of the classes of durations, seconds; the last class has no limit. An SD card takes
0.02 to 2 s for a write."""


@dataclass(frozen=True)
class WriteFigures:
    """How many file operations took how long, and how many failed.

    `classes` has a count for each limit of `LIMITS` and one for longer times; the counts are not
    cumulative. `seconds` is the sum of all durations.
    """

    classes: tuple[int, ...] = (0,) * (len(LIMITS) + 1)
    seconds: float = 0.0
    failures: int = 0


@dataclass
class WriteTimes:
    """Durations of file operations, which are added one by one."""

    _classes: list[int] = field(default_factory=lambda: [0] * (len(LIMITS) + 1))
    _seconds: float = 0.0
    _failures: int = 0

    def add(self, seconds: float, *, failed: bool) -> None:
        """Add one operation, also a failed one."""
        self._classes[bisect_left(LIMITS, seconds)] += 1
        self._seconds += seconds
        self._failures += failed

    @property
    def figures(self) -> WriteFigures:
        """The figures so far."""
        return WriteFigures(tuple(self._classes), self._seconds, self._failures)


class MeasuredStorage:
    """A `Storage` that adds the duration of each call of `inner` to `times`.

    A call ends when the jobs on all copies have ended. `clock` returns seconds.
    """

    def __init__(self, inner: Storage, times: WriteTimes, clock: Callable[[], float]) -> None:
        self._inner = inner
        self._times = times
        self._clock = clock

    def carry_out(self, jobs: Sequence[Job], done: Done) -> None:
        begun = self._clock()

        def ended(results: Results) -> None:
            failed = any(result is not None for result in results)
            self._times.add(self._clock() - begun, failed=failed)
            done(results)

        self._inner.carry_out(jobs, ended)

    def finish(self) -> None:
        self._inner.finish()

    def close(self) -> None:
        self._inner.close()
