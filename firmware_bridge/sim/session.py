"""Board session: the wire protocol on a board's side, without I/O or a clock.

Commands are executed strictly in the order of their sequence numbers, each exactly once:

    the expected one          executed; its reply is stored and sent
    up to REMEMBERED behind   not executed; the stored reply is sent again
    any other                 dropped: it is too old, or an earlier one was lost and is repeated

`Identify` with a new nonce begins a session: the next command bears the next sequence number, and
so does the first event. Events of an earlier session are discarded. The board that executes
`Identify` also ends every motion without an event and emits its latched faults again, because the
tickets of the old session are invalid in the new one.

Events wait until `Received`, which acknowledges all events up to the one it names. They are sent in
order, at most EVENT_WINDOW ahead of the host, and repeated from the oldest. When the lease expires,
each motion ends by its own `MotionEnded` (reason HELD); `Held` follows them.

The owner calls `tick(now)` after every `receive` and `emit`, and at the time that the last `tick`
returned.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from firmware_bridge.wire.codec import COMMANDS, Decoder, Frame, encode
from firmware_bridge.wire.messages import (
    EVENT_WINDOW,
    REMEMBERED,
    Identify,
    Message,
    Received,
    Started,
)

Execute = Callable[[Message, int], Message]
"""Executes a command with this sequence number (the ticket of a motion); returns the reply."""

REPEAT_AFTER = 0.05
"""Seconds until events are repeated; longer than a full window of events takes on the wire."""
REPEAT_AT_LEAST_EVERY = 0.4


class BoardSession:
    """The session of one board. `send` receives complete frames, several at a time."""

    def __init__(
        self,
        address: int,
        execute: Execute,
        send: Callable[[bytes], None],
        decoder: Decoder | None = None,
    ) -> None:
        self.repeated = 0
        """Repeated commands, answered with the stored reply."""
        self.dropped = 0
        """Commands too old, too early, or before any `Identify`."""
        self._address = address
        self._execute = execute
        self._send = send
        self._decoder = decoder or Decoder()
        self._opening: tuple[int, Message] | None = None
        self._expected = 0
        self._replies: dict[int, bytes] = {}
        self._busy = False
        self._event_sequence = 0
        self._queued: deque[Message] = deque()
        self._unreceived: deque[tuple[int, bytes]] = deque()
        self._repeat_at: float | None = None
        self._interval = REPEAT_AFTER

    @property
    def damaged(self) -> int:
        """The number of damaged frames."""
        return self._decoder.dropped

    def receive(self, data: bytes) -> None:
        """Decode bytes from the line, execute their commands, and send all replies at once."""
        self.take(self._decoder.feed(data))

    def take(self, frames: Iterable[Frame]) -> None:
        """Execute the commands among decoded frames, and send all replies at once."""
        out: list[bytes] = []
        for address, sequence, message in frames:
            if address != self._address:
                continue
            if isinstance(message, Received):
                self._received(message.event)
            elif type(message) in COMMANDS:
                self._command(sequence, message, out)
        self._release(out)
        if out:
            self._send(b"".join(out))

    def emit(self, event: Message) -> None:
        """Send an event and repeat it until acknowledged; without a session, discard it."""
        if self._opening is None:
            return
        self._queued.append(event)
        # During a command its reply must be sent first: `receive` sends the event after it.
        if not self._busy:
            out: list[bytes] = []
            self._release(out)
            if out:
                self._send(b"".join(out))

    def announce(self, started: Started) -> None:
        """Send the notice of the board's start, once; no number belongs to it."""
        self._send(b"\0" + encode(self._address, 0, started))

    def tick(self, now: float) -> float | None:
        """Repeat due events; return the time of the next call, or None if no event waits."""
        if not self._unreceived:
            self._repeat_at = None
            return None
        if self._repeat_at is None:
            self._repeat_at = now + self._interval
        elif now >= self._repeat_at:
            self._interval = min(2 * self._interval, REPEAT_AT_LEAST_EVERY)
            self._repeat_at = now + self._interval
            # The leading zero ends any partial frame that noise on the idle line has produced.
            self._send(b"\0" + b"".join(frame for _, frame in self._unreceived))
        return self._repeat_at

    def _command(self, sequence: int, message: Message, out: list[bytes]) -> None:
        if isinstance(message, Identify) and (sequence, message) != self._opening:
            self._begin(sequence, message)
        elif self._opening is None:
            self.dropped += 1
            return
        if sequence == self._expected:
            self._busy = True
            try:
                reply = encode(self._address, sequence, self._execute(message, sequence))
            finally:
                self._busy = False
            self._expected = sequence + 1 & 0xFF
            self._replies[sequence] = reply
            if len(self._replies) > REMEMBERED:
                del self._replies[next(iter(self._replies))]
            out.append(reply)
            self._release(out)
        elif (remembered := self._replies.get(sequence)) is not None:
            self.repeated += 1
            out.append(remembered)
        else:
            self.dropped += 1

    def _begin(self, sequence: int, opening: Message) -> None:
        self._opening = (sequence, opening)
        self._expected = sequence
        self._replies.clear()
        self._event_sequence = sequence + 1 & 0xFF
        self._queued.clear()
        self._unreceived.clear()
        self._repeat_at = None

    def _release(self, out: list[bytes]) -> None:
        """Send queued events, as many as fit the host's window."""
        while self._queued and len(self._unreceived) < EVENT_WINDOW:
            sequence = self._event_sequence
            self._event_sequence = sequence + 1 & 0xFF
            frame = encode(self._address, sequence, self._queued.popleft())
            self._unreceived.append((sequence, frame))
            out.append(frame)

    def _received(self, sequence: int) -> None:
        for known, _ in self._unreceived:
            if known == sequence:
                break
        else:
            return
        while self._unreceived.popleft()[0] != sequence:
            pass
        self._repeat_at = None
        self._interval = REPEAT_AFTER
