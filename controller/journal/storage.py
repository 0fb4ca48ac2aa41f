"""How the journal's file operations are carried out: at once, in threads, or in virtual time.

The journal decides what is written to which copy; a `Storage` carries it out and reports back. A
table on real boards uses `writer_threads.WriterThreads`, so that no sync of a slow card stops the
event loop. Simulations and tools use `DirectStorage`, or one whose syncs take virtual seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

Job = Callable[[], None]
"""One file operation on one copy; raises OSError or JournalError."""
Results = Sequence[Exception | None]
"""What each job raised, in the order of the jobs; None for one that succeeded."""
Done = Callable[[Results], None]


class Storage(Protocol):
    """Carries out the journal's file operations."""

    def carry_out(self, jobs: Sequence[Job], done: Done) -> None:
        """Do these jobs, one for each copy, all at the same time; then call `done`.

        `done` is called in the thread of the event loop, once all jobs have ended, and possibly
        before `carry_out` returns. Jobs for the same copy never overlap.
        """

    def finish(self) -> None:
        """Wait, without the event loop, until nothing is under way. Raises OSError if it hangs."""

    def close(self) -> None:
        """Release what it holds. Idempotent."""


class DirectStorage:
    """Does each job at once, in the thread that asks for it."""

    def carry_out(self, jobs: Sequence[Job], done: Done) -> None:
        done([outcome(job) for job in jobs])

    def finish(self) -> None:
        """Nothing is ever under way."""

    def close(self) -> None:
        """Nothing is held."""


def outcome(job: Job) -> Exception | None:
    """What a job raises, None if it succeeds."""
    try:
        job()
    except Exception as error:  # noqa: BLE001 it is reported to the journal, which raises it
        return error
    return None
