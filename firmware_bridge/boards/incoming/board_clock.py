"""The clock of one board, as its events show it."""

from __future__ import annotations

_WORD = 0x100000000
TOLERANCE = 60.0
"""Seconds by which an event may differ from the host's clock: host or line can be stalled."""
DRIFT = 0.02
"""Relative difference between the clocks of a board and of its host."""


class BoardClock:
    """Converts a board's microseconds, which wrap every 71 minutes, to continuous seconds."""

    def __init__(self) -> None:
        self._micros = 0
        self._seen: tuple[int, float] | None = None

    def begin_session(self) -> None:
        """Accept any time next: the board may have been reset, which sets its clock to 0."""
        self._seen = None

    def check(self, at_us: int, now: float) -> str:
        """Why an event cannot have this time; "" if it can. `now` is the host's time, seconds."""
        seen, self._seen = self._seen, (at_us, now)
        if seen is None:
            return ""
        passed = now - seen[1]
        off = ((at_us - seen[0] - round(passed * 1e6) + _WORD // 2) % _WORD - _WORD // 2) / 1e6
        if abs(off) <= TOLERANCE + DRIFT * passed:
            return ""
        self._seen = seen
        return f"its clock differs by {off:.0f} s"

    def seconds(self, at_us: int) -> float:
        """The continuous time of an event, seconds."""
        ahead = (at_us - self._micros) & 0xFFFFFFFF
        # A board that was reset counts from 0 again, which looks like a very large step ahead.
        self._micros = self._micros + ahead if ahead < 1 << 31 else at_us
        return self._micros / 1e6
