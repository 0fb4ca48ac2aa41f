"""Times of a table in operation and out of play, from the events at which they begin and end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from controller.floor.figures import kinds
from controller.floor.figures.window import Window


@dataclass(frozen=True)
class Mark:
    """An event at which a time can begin or end. `table_s` is its time on the table's clock."""

    number: int
    at: datetime
    table_s: float
    what: str


@dataclass(frozen=True)
class Span:
    """The time from one event of a log to a later one."""

    begin: Mark
    end: Mark

    def table_seconds(self, window: Window) -> float:
        """Seconds of the table's clock in the window.

        The share of the span that is in the window is computed from the computer's times.
        """
        table = max(0.0, self.end.table_s - self.begin.table_s)
        wall = (self.end.at - self.begin.at).total_seconds()
        if wall <= 0:
            return table if window.begin <= self.begin.at < window.end else 0.0
        return table * window.overlap(self.begin.at, self.end.at) / wall


@dataclass
class TableTimes:
    """The spans of one log, from its marks in their order."""

    operating: list[Span]
    out_of_play: list[Span]
    is_in_operation: bool
    is_out_of_play: bool


def times_of(marks: Iterable[Mark]) -> TableTimes:
    """Compute the spans from the marks of one log, in order of their numbers.

    A run lasts from `run_started` until a fault, service mode or the end of the service. A table is
    out of play while a cause is open: a fault until the next run, a pause, service mode, or a
    request until it is put back in play. Without a running service there is neither. A service
    that was killed ends at the event before the next `power_up`. What is open at the last mark
    lasts until there; an event of another kind is a mark that only ends these spans.
    """
    reading = _Reading()
    for mark in marks:
        reading.take(mark)
    return reading.times()


class _Reading:
    def __init__(self) -> None:
        self._operating: list[Span] = []
        self._out: list[Span] = []
        self._run: Mark | None = None
        self._down: Mark | None = None
        self._causes: set[str] = set()
        self._last: Mark | None = None

    def times(self) -> TableTimes:
        running, down, last = self._run, self._down, self._last
        if last is not None:
            self._end_run(last)
            self._end_down(last)
        return TableTimes(self._operating, self._out, running is not None, down is not None)

    def take(self, mark: Mark) -> None:
        last = self._last or mark
        match mark.what:
            case kinds.START | kinds.STOP:
                self._end_service(last if mark.what == kinds.START else mark)
                if mark.what == kinds.START and kinds.OUT in self._causes:
                    self._down = mark
            case kinds.RUN:
                self._end_run(mark)
                self._run = mark
                self._change(mark, ends=(kinds.FAULT, kinds.PAUSED))
            case kinds.FAULT | kinds.SERVICE:
                self._end_run(mark)
                self._change(mark, begins=mark.what, ends=(kinds.PAUSED,))
            case kinds.PAUSED | kinds.OUT:
                self._change(mark, begins=mark.what)
            case kinds.RESUMED | kinds.SERVICE_END | kinds.BACK:
                self._change(mark, ends=(_BEGINNING[mark.what],))
        self._last = mark

    def _change(self, mark: Mark, *, begins: str = "", ends: tuple[str, ...] = ()) -> None:
        self._causes -= set(ends)
        if begins:
            self._causes.add(begins)
        if self._causes and self._down is None:
            self._down = mark
        elif not self._causes:
            self._end_down(mark)

    def _end_service(self, end: Mark) -> None:
        self._end_run(end)
        self._end_down(end)
        self._causes &= {kinds.OUT}

    def _end_run(self, end: Mark) -> None:
        if self._run is not None:
            self._operating.append(Span(self._run, end))
        self._run = None

    def _end_down(self, end: Mark) -> None:
        if self._down is not None:
            self._out.append(Span(self._down, end))
        self._down = None


_BEGINNING = {
    kinds.RESUMED: kinds.PAUSED,
    kinds.SERVICE_END: kinds.SERVICE,
    kinds.BACK: kinds.OUT,
}
"""The event that begins what an event ends."""
