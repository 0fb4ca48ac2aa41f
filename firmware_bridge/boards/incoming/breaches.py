"""Counts the messages by which one board breaks the protocol, and limits the rate of messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from firmware_bridge.board import ProtocolBreach, ProtocolFault
from firmware_bridge.wire.errors import BoardProtocolError

SUSTAINED = 200.0
"""Messages a second that one board may send for any time without a command that asks for them. The
boards of the shipped tables send at most 50 in one second of a round (our choice)."""
BURST = 2000
"""Messages that may arrive faster than `SUSTAINED`, for example after a host stalled (our choice).
A line of 250 kbaud carries 1,388 edges a second, so a full line is reported after 1.7 s."""
_GROUP = 20
"""Messages after which the rate is computed."""


class Breaches:
    """Breaches of the protocol by one board; `report` receives each one as a fault."""

    def __init__(self, board: str, report: Callable[[ProtocolFault], None]) -> None:
        self.counts: Counter[ProtocolBreach] = Counter()
        """Breaches since the board was created, by rule."""
        self._board = board
        self._report = report

    def add(self, breach: ProtocolBreach, seen: str) -> BoardProtocolError:
        """Count and report a breach; `seen` says what the board sent. Returns it as an error."""
        self.counts[breach] += 1
        sentence = f"board {self._board} sent {seen}: {breach.value}."
        self._report(ProtocolFault(self._board, breach, sentence))
        return BoardProtocolError(
            f"{sentence[:-1]}; check its firmware with `wallwright scan`, or replace the board."
        )


class MessageRate:
    """Reports a board that sends more messages than `SUSTAINED` and `BURST` allow.

    The messages themselves are still processed, because every queue behind this is limited.
    """

    def __init__(self, breaches: Breaches, clock: Callable[[], float]) -> None:
        self._breaches = breaches
        self._clock = clock
        self._new = 0
        self._level = 0.0
        self._at = 0.0

    def add(self) -> None:
        """Count one message. The clock is read once for `_GROUP` messages, to save time."""
        self._new += 1
        if self._new < _GROUP:
            return
        self._new = 0
        now = self._clock()
        self._level = max(0.0, self._level - (now - self._at) * SUSTAINED) + _GROUP
        self._at = now
        if self._level > BURST:
            self._level = BURST
            self._breaches.add(
                ProtocolBreach.FLOOD, f"{BURST} messages faster than {SUSTAINED:.0f} a second"
            )
