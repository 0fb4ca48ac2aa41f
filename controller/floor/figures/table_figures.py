"""The figures of one table, or of several together, in a time range, and its times in operation.

`times_of` reads the times in operation and out of play from the events at which they begin and end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from controller.floor.figures import stored_events
from rules.errors import WallwrightError

LONGEST = timedelta(days=400)
"""The longest time range of figures."""


class WindowError(WallwrightError, ValueError):
    """A time range that ends before it begins, or that is too long."""


@dataclass(frozen=True)
class Window:
    """The time from `begin` up to `end`, without `end`. Raises WindowError.

    An event is in a window by its `at`, the time of the table's computer.
    """

    begin: datetime
    end: datetime

    def __post_init__(self) -> None:
        if self.begin.tzinfo is None or self.end.tzinfo is None:
            raise WindowError("A time range needs times with a time zone, such as UTC.")
        object.__setattr__(self, "begin", utc(self.begin))
        object.__setattr__(self, "end", utc(self.end))
        if not timedelta() < self.end - self.begin <= LONGEST:
            raise WindowError(
                f"The time range {self.begin.isoformat()} to {self.end.isoformat()} must end after"
                f" it begins, and have at most {LONGEST.days} days."
            )

    @property
    def seconds(self) -> float:
        """The length of the window."""
        return (self.end - self.begin).total_seconds()

    def longer(self, by: timedelta) -> Window:
        """The window with an earlier beginning, at most as long as a window can be."""
        return Window(max(self.begin - by, self.end - LONGEST), self.end)

    def overlap(self, begin: datetime, end: datetime) -> float:
        """Seconds of the time from `begin` to `end` that are in the window."""
        return max(0.0, (min(end, self.end) - max(begin, self.begin)).total_seconds())


def utc(at: datetime) -> datetime:
    """A time of the database in UTC; SQLite keeps no time zone and has all times in UTC."""
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


@dataclass(frozen=True)
class TableFigures:
    """Counts and times; the figures that people read are quotients of them.

    Times in operation and of assists are seconds of the table's clock, as in the table's own
    metrics and in `wallwright stats`: on a simulated table that clock can run fast. The time out of
    play is in seconds of its computer's clock.
    """

    rounds: int = 0
    """Rounds that are over: rounds with a receipt, each counted once by its beginning. A round
    whose random share is revealed in another time range than it ended has a receipt in both, and
    counts in both."""
    operating_s: float = 0.0
    """Time in operation: from the start of each run (`run_started`) to its end by a fault, service
    mode or a stop; the last run counts up to the last event of the log."""
    tiles: int = 0
    """Tiles that the heads have lifted into the trays: the sum of `counted` of `set_built`."""
    jams: int = 0
    """Jams at the heads that were recovered or stopped the table (`recovered` or `fault`)."""
    assists: int = 0
    """Prompts about a fault that a person has answered, without forgotten tiles."""
    assisting_s: float = 0.0
    """Time from these prompts to their answers; a prompt that is repeated counts from the last."""
    faults: Mapping[str, int] = field(default_factory=dict)
    """Faults that stopped the table, by code."""
    recoveries: Mapping[str, int] = field(default_factory=dict)
    """Parts that worked on a later attempt, by code of the fault."""
    out_of_play_s: float = 0.0
    """Time in which the table was switched on and could not be played at: stopped by a fault,
    paused, in service mode, or taken out of play by a request."""

    @property
    def rounds_per_hour(self) -> float | None:
        """Rounds in an hour in operation; None for a table that was not in operation."""
        return self.rounds / self.operating_s * 3600 if self.operating_s else None

    @property
    def mtba(self) -> float | None:
        """Mean time between assists: seconds in operation for each assist; None without any."""
        return self.operating_s / self.assists if self.assists else None

    @property
    def mtta(self) -> float | None:
        """Mean time to assist, from a prompt to its answer, seconds; None without any assist."""
        return self.assisting_s / self.assists if self.assists else None

    @property
    def tiles_per_jam(self) -> float | None:
        """Tiles lifted for each jam; None without any jam."""
        return self.tiles / self.jams if self.jams else None

    def as_json(self) -> dict[str, Any]:
        """The figures as a JSON object; times in seconds, rounded to a tenth."""
        return {
            "rounds": self.rounds,
            "operating_s": round(self.operating_s, 1),
            "rounds_per_hour": _rounded(self.rounds_per_hour),
            "tiles": self.tiles,
            "jams": self.jams,
            "tiles_per_jam": _rounded(self.tiles_per_jam),
            "assists": self.assists,
            "mtba_s": _rounded(self.mtba),
            "mtta_s": _rounded(self.mtta),
            "faults": dict(sorted(self.faults.items())),
            "recoveries": dict(sorted(self.recoveries.items())),
            "out_of_play_s": round(self.out_of_play_s, 1),
        }


def together(figures: Iterable[TableFigures]) -> TableFigures:
    """The figures of several tables or logs as those of one: counts and times are added."""
    added = tuple(figures)
    return TableFigures(
        rounds=sum(each.rounds for each in added),
        operating_s=sum(each.operating_s for each in added),
        tiles=sum(each.tiles for each in added),
        jams=sum(each.jams for each in added),
        assists=sum(each.assists for each in added),
        assisting_s=sum(each.assisting_s for each in added),
        faults=_added(each.faults for each in added),
        recoveries=_added(each.recoveries for each in added),
        out_of_play_s=sum(each.out_of_play_s for each in added),
    )


def _added(counts: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


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
            case stored_events.START | stored_events.STOP:
                self._end_service(last if mark.what == stored_events.START else mark)
                if mark.what == stored_events.START and stored_events.OUT in self._causes:
                    self._down = mark
            case stored_events.RUN:
                self._end_run(mark)
                self._run = mark
                self._change(mark, ends=(stored_events.FAULT, stored_events.PAUSED))
            case stored_events.FAULT | stored_events.SERVICE:
                self._end_run(mark)
                self._change(mark, begins=mark.what, ends=(stored_events.PAUSED,))
            case stored_events.PAUSED | stored_events.OUT:
                self._change(mark, begins=mark.what)
            case stored_events.RESUMED | stored_events.SERVICE_END | stored_events.BACK:
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
        self._causes &= {stored_events.OUT}

    def _end_run(self, end: Mark) -> None:
        if self._run is not None:
            self._operating.append(Span(self._run, end))
        self._run = None

    def _end_down(self, end: Mark) -> None:
        if self._down is not None:
            self._out.append(Span(self._down, end))
        self._down = None


_BEGINNING = {
    stored_events.RESUMED: stored_events.PAUSED,
    stored_events.SERVICE_END: stored_events.SERVICE,
    stored_events.BACK: stored_events.OUT,
}
"""The event that begins what an event ends."""
