"""Executes the journal's file operations: at once, in threads, or in virtual time.

The journal decides which bytes are written to which copy; a `Storage` executes the operations and
reports their results. A table on real boards uses `writer_threads.WriterThreads`, so that a slow
sync of an SD card does not block the event loop. Simulations and tools use `DirectStorage`, or a
storage whose syncs take virtual seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
