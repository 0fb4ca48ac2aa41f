"""Sliding window: host-side protocol state for one board. No I/O; the caller passes the time.

    at most WINDOW commands are in flight at a time, in the order of their sequence numbers
    a reply completes its command; without one within the time-out, all in flight are sent again
    the time-out follows the measured round trip (RFC 6298) and doubles with every repetition
    too many repetitions end the session: it is then unknown which commands were executed, and only
      a new `Identify` begins the next session
    events are accepted in order only; a repeated event is acknowledged again and not delivered

The board executes commands strictly in order, so sending all commands in flight again is always
safe: the board answers those that it has executed from its stored replies.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass

from firmware_bridge.wire.codec import encode
from firmware_bridge.wire.messages import REMEMBERED, WINDOW, Message, Received

FIRST_TIMEOUT = 0.1
SHORTEST_TIMEOUT = 0.02
"""Minimum time-out: with a shorter one, a busy host would repeat commands without need."""
LONGEST_TIMEOUT = 0.5
REPETITIONS = 8
"""Retries until a board counts as silent: 2.6 s on a fast line, 3.7 s for the first `Identify`."""

Reply = asyncio.Future[Message]


@dataclass(eq=False, slots=True)
class Command:
    """A command and its state. `sequence`, -1 until it is sent, is also the motion's ticket."""

    message: Message
    reply: Reply
    sequence: int = -1
    frame: bytes = b""
    sent: float = 0.0
    """When it was sent last; before that, when it was due (of an urgent command only)."""
    repetitions: int = 0
    unread: bool = False
    """Whether the reply may stay unread; asyncio then logs no warning if it is an error."""
    urgent: bool = False
    """Whether the command may exceed the window; a board stores more replies than the window."""

    def fail(self, error: Exception) -> None:
        """Answer with this error, unless the command is answered or cancelled already."""
        if not self.reply.done():
            self.reply.set_exception(error)
            if self.unread:
                self.reply.exception()


@dataclass(slots=True)
class Traffic:
    """Traffic counters of one link since it was created."""

    commands: int = 0
    """Answered commands."""
    retries: int = 0
    """Frames sent again."""
    events: int = 0
    repeated_events: int = 0
    latest_urgent: float = 0.0
    """Longest time from the moment when an urgent command was due until it was sent, seconds."""


class RoundTrip:
    """Computes the time-out for a reply by RFC 6298, between a minimum and a maximum."""

    def __init__(self) -> None:
        self.timeout = FIRST_TIMEOUT
        self._mean = 0.0
        self._spread = 0.0

    def measured(self, seconds: float) -> None:
        """One reply to a command that was sent once only; others prove nothing (Karn)."""
        if self._mean:
            error = seconds - self._mean
            self._spread += (abs(error) - self._spread) / 4
            self._mean += error / 8
        else:
            self._mean, self._spread = seconds, seconds / 2
        wait = self._mean + 4 * self._spread
        self.timeout = min(max(wait, SHORTEST_TIMEOUT), LONGEST_TIMEOUT)

    def missed(self) -> None:
        """Record a time-out: the next one is twice as long."""
        self.timeout = min(2 * self.timeout, LONGEST_TIMEOUT)


class Exchange:
    """Protocol state for one board. The caller passes all times, in seconds."""

    def __init__(self, address: int) -> None:
        self.traffic = Traffic()
        self.round_trip = RoundTrip()
        self.waiting: deque[Command] = deque()
        self.in_flight: dict[int, Command] = {}
        self._address = address
        self._next = 0
        self._opened_by: Command | None = None
        self._ready = False
        self._expected_event = 0
        self._acknowledge = False

    @property
    def ready(self) -> bool:
        """Whether the board has answered this session's `Identify`."""
        return self._ready

    @property
    def due(self) -> float:
        """Time at which the oldest command in flight is overdue; valid only while there is one."""
        return next(iter(self.in_flight.values())).sent + self.round_trip.timeout

    def open(self, identify: Command) -> None:
        """Begin a session with this command. The caller must have closed the previous session."""
        self._opened_by = identify
        self.waiting.append(identify)

    def close(self) -> list[Command]:
        """End the session; return the commands that remain unanswered."""
        unanswered = [*self.in_flight.values(), *self.waiting]
        self.in_flight.clear()
        self.waiting.clear()
        self._ready = False
        self._opened_by = None
        self._acknowledge = False
        return unanswered

    def sendable(self, now: float, window: int = WINDOW) -> list[bytes]:
        """The frames to send now: an acknowledgement, and the commands that fit the window."""
        if not self._acknowledge and not self.waiting:
            return []
        out = []
        if self._acknowledge:
            self._acknowledge = False
            out.append(encode(self._address, 0, Received(self._expected_event - 1 & 0xFF)))
        waiting, in_flight = self.waiting, self.in_flight
        while waiting:
            command = waiting[0]
            if command.reply.cancelled():
                waiting.popleft()
                continue
            most = REMEMBERED if command.urgent else window
            if in_flight and (self._next - next(iter(in_flight)) & 0xFF) >= most:
                break
            if not (self._ready or command is self._opened_by):
                break
            waiting.popleft()
            if command.urgent:
                self.traffic.latest_urgent = max(self.traffic.latest_urgent, now - command.sent)
            sequence = self._next
            command.sequence = sequence
            command.frame = encode(self._address, sequence, command.message)
            command.sent = now
            in_flight[sequence] = command
            self._next = sequence + 1 & 0xFF
            out.append(command.frame)
        return out

    def take_reply(self, sequence: int, now: float) -> Command | None:
        """Process a reply; return its command, or None if that was answered before."""
        command = self.in_flight.pop(sequence, None)
        if command is None:
            return None
        self.traffic.commands += 1
        if not command.repetitions:
            self.round_trip.measured(now - command.sent)
        if command is self._opened_by and not self._ready:
            self._ready = True
            self._expected_event = sequence + 1 & 0xFF
        return command

    def overdue(self, now: float) -> list[bytes]:
        """All frames in flight, to be sent again; none after too many repetitions."""
        oldest = next(iter(self.in_flight.values()))
        if oldest.repetitions >= REPETITIONS:
            return []
        self.round_trip.missed()
        for command in self.in_flight.values():
            command.repetitions += 1
            command.sent = now
        self.traffic.retries += len(self.in_flight)
        # The leading zero ends any partial frame that noise on the idle line has produced.
        return [b"\0", *(command.frame for command in self.in_flight.values())]

    def sent_again(self, now: float) -> list[bytes]:
        """All frames in flight, to a board that cannot have received them."""
        self.postpone(now)
        return [b"\0", *(command.frame for command in self.in_flight.values())]

    def postpone(self, until: float) -> None:
        """Count the time-outs of all commands in flight from this time on."""
        for command in self.in_flight.values():
            command.sent = until

    def accept_event(self, sequence: int) -> bool:
        """Whether an event is the next one to be delivered."""
        if not self._ready:
            return False
        ahead = sequence - self._expected_event & 0xFF
        if ahead == 0:
            self._expected_event = sequence + 1 & 0xFF
            self._acknowledge = True
            self.traffic.events += 1
            return True
        if ahead >= 0x80:
            # The event was delivered before; only the acknowledgement was lost.
            self._acknowledge = True
            self.traffic.repeated_events += 1
        return False
