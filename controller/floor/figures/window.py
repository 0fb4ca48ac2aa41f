"""A time range of figures, and times as the database has them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

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
