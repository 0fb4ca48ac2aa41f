"""Measures how long the file operations of a log take, and counts those that fail."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from controller.run.journal.storage import Done, Job, Results, Storage

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
