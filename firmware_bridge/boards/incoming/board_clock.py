"""The clock of one board, as its events show it."""

from __future__ import annotations

from collections.abc import Callable

_WORD = 0x100000000
TOLERANCE = 60.0
"""Seconds by which an event may differ from the host's clock: host or line can be stalled."""
DRIFT = 0.02
"""Relative difference between the clocks of a board and of its host."""
_AHEAD = 60_000_000
"""Microseconds after the last event within which a time is plausible without a comparison."""


class BoardClock:
    """Converts a board's microseconds, which wrap every 71 minutes, to continuous seconds.

    `clock` is the host's clock, seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._micros = 0
        self._last = 0
        self._compared: tuple[int, float] | None = None
        """The board's and the host's time when the two were compared last, in this session."""

    def begin_session(self) -> None:
        """Accept any time next: the board may have been reset, which sets its clock to 0."""
        self._compared = None

    def check(self, at_us: int) -> str:
        """The reason why an event that arrives now cannot have this time; "" if it can.

        The clocks are compared if the time is earlier than the last one, or much later.
        """
        if self._compared is None or not 0 <= at_us - self._last <= _AHEAD:
            now = self._clock()
            if self._compared is not None:
                before, then = self._compared
                late = at_us - before - round((now - then) * 1e6)
                off = ((late + _WORD // 2) % _WORD - _WORD // 2) / 1e6
                if abs(off) > TOLERANCE + DRIFT * (now - then):
                    return f"its clock differs by {off:.0f} s"
            self._compared = at_us, now
        self._last = at_us
        return ""

    def seconds(self, at_us: int) -> float:
        """The continuous time of an event, seconds."""
        ahead = (at_us - self._micros) & 0xFFFFFFFF
        # A board that was reset counts from 0 again, which looks like a very large step ahead.
        self._micros = self._micros + ahead if ahead < 1 << 31 else at_us
        return self._micros / 1e6
