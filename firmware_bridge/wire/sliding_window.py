"""Sliding window: host-side protocol state for one board. No I/O; the caller passes the time.

    at most WINDOW commands are in flight at a time, in the order of their sequence numbers, and at
      most as many bytes as a board can receive while it executes the first of them
    a reply completes its command; without one within the time-out, all in flight are sent again
    the time-out follows the measured round trip (RFC 6298) and doubles with every repetition
    every frame after `Authenticate` has a tag; a frame with a wrong one is counted and dropped
    too many repetitions end the session: it is then unknown which commands were executed, and only
      a new `Identify` and `Authenticate` begin the next session
    events are accepted in order only; a repeated event is acknowledged again and not delivered

The board executes commands strictly in order, so sending all commands in flight again is always
safe: the board answers those that it has executed from its stored replies.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass

from firmware_bridge.wire.codec import Frame, encode
from firmware_bridge.wire.messages import (
    MAX_FRAME,
    RECEIVING,
    REMEMBERED,
    WINDOW,
    Message,
    Received,
)
from firmware_bridge.wire.session_security import LAST_COUNTER, SessionKeys, is_equal, tag

FIRST_TIMEOUT = 0.1
SHORTEST_TIMEOUT = 0.02
"""Minimum time-out: with a shorter one, a busy host would repeat commands without need."""
PER_COMMAND = 0.008
"""Time-out for each command in flight: 2.4 ms on the line for the longest, and about 4 ms in the
board, which computes a tag for the command and one for its reply."""
LONGEST_TIMEOUT = 0.5
MOST_BYTES = RECEIVING - MAX_FRAME
"""Bytes of commands in flight; one more frame fits, such as a command that stops everything."""
REPETITIONS = 8
"""Retries until a board counts as silent: 2.7 s on a fast line, 3.7 s for the first `Identify`."""

Reply = asyncio.Future[Message]


@dataclass(eq=False, slots=True)
class Command:
    """A command and its state. `sequence`, -1 until it is sent, is also the motion's ticket.

    `counter` is the sequence number without its wrap at 256.
    """

    message: Message
    reply: Reply
    sequence: int = -1
    counter: int = -1
    frame: bytes = b""
    sent: float = 0.0
    """Time of the last sending. An urgent command that was not sent yet has the time it was due."""
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
    forged: int = 0
    """Frames with a wrong tag or without one, which were dropped."""


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
        self._bytes_in_flight = 0
        self._address = address
        self._next = 0
        """The counter of the next command."""
        self._identify: Command | None = None
        self._authenticate: Command | None = None
        self._keys: SessionKeys | None = None
        self._ready = False
        self._expected_event = 0
        """The counter of the next event."""
        self._acknowledge = False

    @property
    def ready(self) -> bool:
        """Whether the board has answered this session's `Authenticate`."""
        return self._ready

    @property
    def due(self) -> float:
        """Time at which the oldest command in flight is overdue; valid only while there is one."""
        busy = SHORTEST_TIMEOUT + PER_COMMAND * len(self.in_flight)
        return next(iter(self.in_flight.values())).sent + max(self.round_trip.timeout, busy)

    @property
    def wants_to_send(self) -> bool:
        """Whether an acknowledgement or a command waits to be sent."""
        return self._acknowledge or bool(self.waiting)

    @property
    def is_used_up(self) -> bool:
        """Whether the session has reached its last counter, so that a new one must be begun."""
        return self._next > LAST_COUNTER or self._expected_event > LAST_COUNTER

    def identify(self, identify: Command) -> None:
        """Send this command as the first. The caller must have closed the previous session."""
        self._next &= 0xFF
        self._identify = identify
        self.waiting.append(identify)

    def authenticate(self, authenticate: Command, keys: SessionKeys) -> None:
        """Begin the session with this command; from its reply on, frames have tags by `keys`."""
        self._keys = keys
        self._authenticate = authenticate
        self.waiting.append(authenticate)

    def close(self) -> list[Command]:
        """End the session; return the commands that remain unanswered."""
        unanswered = [*self.in_flight.values(), *self.waiting]
        self.in_flight.clear()
        self._bytes_in_flight = 0
        self.waiting.clear()
        self._ready = False
        self._identify = self._authenticate = None
        self._keys = None
        self._acknowledge = False
        return unanswered

    def sendable(self, now: float, window: int = WINDOW) -> list[bytes]:
        """The frames to send now: an acknowledgement, and the commands that fit the window."""
        out = []
        if self._acknowledge:
            self._acknowledge = False
            last = self._expected_event - 1
            key = self._keys.host if self._keys else b""
            out.append(encode(self._address, 0, Received(last & 0xFF), key, last))
        waiting, in_flight = self.waiting, self.in_flight
        while waiting:
            command = waiting[0]
            if command.reply.cancelled():
                waiting.popleft()
                continue
            most = REMEMBERED if command.urgent else window
            if in_flight and (self._next - next(iter(in_flight)) & 0xFF) >= most:
                break
            if self._bytes_in_flight > MOST_BYTES and not command.urgent:
                break
            begins = command is self._identify or command is self._authenticate
            if not (self._ready or begins):
                break
            waiting.popleft()
            if command.urgent:
                self.traffic.latest_urgent = max(self.traffic.latest_urgent, now - command.sent)
            counter = self._next
            self._next = counter + 1
            command.counter, command.sequence = counter, counter & 0xFF
            key = self._keys.host if self._keys and not begins else b""
            command.frame = encode(self._address, counter & 0xFF, command.message, key, counter)
            command.sent = now
            in_flight[counter & 0xFF] = command
            self._bytes_in_flight += len(command.frame)
            out.append(command.frame)
        return out

    def take_reply(self, frame: Frame, now: float) -> Command | None:
        """Process a reply; return its command, or None if that was answered before."""
        command = self.in_flight.get(frame.sequence)
        if command is None:
            return None
        if command is not self._identify and not self._is_genuine(frame, command.counter):
            return None
        del self.in_flight[frame.sequence]
        self._bytes_in_flight -= len(command.frame)
        self.traffic.commands += 1
        if not command.repetitions:
            self.round_trip.measured(now - command.sent)
        if command is self._authenticate and not self._ready:
            self._ready = True
            self._expected_event = command.counter
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

    def accept_event(self, frame: Frame) -> bool:
        """Whether an event is the next one to be delivered."""
        if not self._ready:
            return False
        ahead = frame.sequence - self._expected_event & 0xFF
        if ahead == 0:
            if not self._is_genuine(frame, self._expected_event):
                return False
            self._expected_event += 1
            self._acknowledge = True
            self.traffic.events += 1
            return True
        if ahead >= 0x80 and self._is_genuine(frame, self._expected_event + ahead - 0x100):
            # The event was delivered before; only the acknowledgement was lost.
            self._acknowledge = True
            self.traffic.repeated_events += 1
        return False

    def _is_genuine(self, frame: Frame, counter: int) -> bool:
        """Whether a frame has the tag of this session's board; counts it otherwise."""
        genuine = (
            self._keys is not None
            and counter >= 0
            and is_equal(tag(self._keys.board, counter, frame.plain), frame.tag)
        )
        self.traffic.forged += not genuine
        return genuine
