"""Decides which events of the log are sent next, and which are sent again (go-back-N).

The floor answers each message with the number of events that it has stored. Events are sent in
order. If the answer is missing or shows a gap, the outbox goes back to the first event that is not
stored. No method waits; times are seconds of one clock.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

WINDOW = 4
"""Messages that are sent without an answer to the first of them."""
RESEND = 10.0
"""Seconds without an answer after which the events are sent again."""
SOONEST = 2.0
"""Least seconds between two times that the outbox goes back because of the same gap."""


@dataclass(frozen=True)
class _Sent:
    """A message with events below index `end`, sent at time `at`."""

    end: int
    at: float


class Outbox:
    """The sending state of one log."""

    def __init__(self) -> None:
        self.stored = 0
        """The floor has every event below this index, as far as its answers show."""
        self._next = 0
        self._in_flight: deque[_Sent] = deque()
        self._went_back = float("-inf")

    def restart(self) -> None:
        """Begin a connection: messages of the earlier one may be lost."""
        self._go_back()

    def first_to_send(self, size: int, now: float) -> int | None:
        """The index of the next event to send from a log of this size; None if none is due."""
        if self._in_flight and now >= self._in_flight[0].at + RESEND:
            self._go_back()
        if self._next >= size or len(self._in_flight) >= WINDOW:
            return None
        return self._next

    def sent(self, end: int, now: float) -> None:
        """Events up to `end` (without it) were sent."""
        self._next = end
        self._in_flight.append(_Sent(end, now))

    def take_position(self, stored: int, size: int, now: float) -> bool:
        """Take the floor's answer; returns False if it has more events than the log.

        That is only possible if the log was put back to an older state, which its own checks find.
        """
        if stored > size:
            return False
        is_gap = stored <= self.stored and bool(self._in_flight)
        is_unexpected = stored < self.stored or stored > self._next
        self.stored = stored
        while self._in_flight and self._in_flight[0].end <= stored:
            self._in_flight.popleft()
        if is_unexpected or (is_gap and now >= self._went_back + SOONEST):
            self._went_back = now
            self._go_back()
        return True

    def resend_at(self) -> float | None:
        """The time at which the first message without an answer is sent again."""
        return self._in_flight[0].at + RESEND if self._in_flight else None

    def _go_back(self) -> None:
        self._next = self.stored
        self._in_flight.clear()
