"""Forgery check: counts the frames of one board's line that another device has changed or made."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

from firmware_bridge.wire.messages import Started
from firmware_bridge.wire.session_security import MOST_FORGED

NOISE = 3
"""Frames with a wrong tag within `NOISE_PERIOD` that can come from noise: of the frames that noise
damages in more than three bits, one in 65,536 passes the check of the codec."""
NOISE_PERIOD = 60.0
"""Seconds."""


class ForgeryCheck:
    """Counts wrong tags and false notices of one board; `on_forged` is called above the noise."""

    def __init__(self) -> None:
        self.on_forged: Callable[[], None] = _do_nothing
        self._forged = 0
        self._before = 0
        self._times: deque[float] = deque([-math.inf] * NOISE, NOISE)
        """The times of the last wrong tags."""
        self._notice: Started | None = None
        self._boots = 0

    def begin_session(self, forged: int) -> None:
        """Begin the count of a session; `forged` is the number of wrong tags of all sessions."""
        self._before = forged

    def is_too_many(self, forged: int, now: float) -> bool:
        """Take the number of wrong tags of all sessions, after each frame that has no effect.

        Returns whether the session must end, because another device is guessing tags.
        """
        if forged == self._forged:
            return False
        self._forged = forged
        earlier = self._times[0]
        self._times.append(now)
        if now - earlier <= NOISE_PERIOD:
            self.on_forged()
        return forged >= self._before + MOST_FORGED

    def ended_by(self, notice: Started, boots: int) -> None:
        """Keep the notice that has ended a session, whose board had this number of starts.

        A notice has no tag, because there is no session before it.
        """
        self._notice, self._boots = notice, boots

    def false_start(self, boots: int) -> Started | None:
        """The notice that ended the last session, if its board has not started since.

        `boots` is the number of starts that the board has proven in the next session.
        """
        notice, self._notice = self._notice, None
        return notice if boots == self._boots else None


def _do_nothing() -> None:
    """Ignore forged frames until a receiver is connected."""
