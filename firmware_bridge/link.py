"""The host's side of the wire: every command done exactly once, every event told exactly once.

An `Exchange` is the protocol with one board and nothing else, without I/O and without a clock:

    at most WINDOW commands fly at a time, in the order of their sequence numbers
    a reply lands its command; none within the time-out, and all that fly are sent again
    the time-out follows the measured round trip (RFC 6298) and doubles with every repetition
    too many repetitions close the exchange: which commands were done is then unknown, and only a
      new `Identify` begins again
    events are taken in order only; one that comes again is acknowledged again and not told again

A `Link` is an exchange on the event loop: futures, and one timer for the whole window. A `Line` is
a transport shared by the links of several boards. It writes once for all commands of a turn of
the loop, and answers in the very call that brought the bytes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from firmware_bridge.board import BoardError, BoardSilent
from firmware_bridge.codec import EVENTS, Decoder, encode
from firmware_bridge.messages import (
    NONE,
    PROTOCOL,
    REMEMBERED,
    WINDOW,
    Identify,
    Message,
    Received,
    Stop,
)
from firmware_bridge.transport import Transport

FIRST_TIMEOUT = 0.1
SHORTEST_TIMEOUT = 0.02
"""Below this, a busy host would repeat what is merely late."""
LONGEST_TIMEOUT = 0.5
REPETITIONS = 8
"""After them a board is silent: 2.6 s on a quick line, 3.7 s for the first `Identify`."""

Reply = asyncio.Future[Message]


@dataclass(eq=False, slots=True)
class Command:
    """One command on its way. `sequence` is -1 until it is sent; it is the ticket of a motion."""

    message: Message
    reply: Reply
    sequence: int = -1
    frame: bytes = b""
    sent: float = 0.0
    repetitions: int = 0


@dataclass(slots=True)
class Traffic:
    """What one link has carried since it was made."""

    commands: int = 0
    """Answered commands."""
    retries: int = 0
    """Frames sent again."""
    events: int = 0
    repeated_events: int = 0


class RoundTrip:
    """How long to wait for a reply: RFC 6298, between a floor and a ceiling."""

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
        """No reply came in time: wait twice as long for the next."""
        self.timeout = min(2 * self.timeout, LONGEST_TIMEOUT)


class Exchange:
    """The state of the protocol with one board. Times are the caller's."""

    def __init__(self, address: int) -> None:
        self.traffic = Traffic()
        self.round_trip = RoundTrip()
        self.waiting: deque[Command] = deque()
        self.flying: dict[int, Command] = {}
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
        """When the oldest flying command is overdue; only while some fly."""
        return next(iter(self.flying.values())).sent + self.round_trip.timeout

    def open(self, identify: Command) -> None:
        """Begin a session with this command. Whatever was under way must have been taken."""
        self._opened_by = identify
        self.waiting.append(identify)

    def close(self) -> list[Command]:
        """End the session; the commands that will not be answered any more."""
        unanswered = [*self.flying.values(), *self.waiting]
        self.flying.clear()
        self.waiting.clear()
        self._ready = False
        self._opened_by = None
        self._acknowledge = False
        return unanswered

    def sendable(self, now: float, window: int = WINDOW) -> list[bytes]:
        """The frames that may go now: an acknowledgement, and commands that fit the window."""
        out = []
        if self._acknowledge:
            self._acknowledge = False
            out.append(encode(self._address, 0, Received(self._expected_event - 1 & 0xFF)))
        waiting, flying = self.waiting, self.flying
        while waiting:
            command = waiting[0]
            if command.reply.cancelled():
                waiting.popleft()
                continue
            if flying and (self._next - next(iter(flying)) & 0xFF) >= window:
                break
            if not (self._ready or command is self._opened_by):
                break
            waiting.popleft()
            sequence = self._next
            command.sequence = sequence
            command.frame = encode(self._address, sequence, command.message)
            command.sent = now
            flying[sequence] = command
            self._next = sequence + 1 & 0xFF
            out.append(command.frame)
        return out

    def land(self, sequence: int, now: float) -> Command | None:
        """A reply has come: the command that it answers, unless that was answered before."""
        command = self.flying.pop(sequence, None)
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
        """Everything that flies, once more; nothing if the board has been asked too often."""
        oldest = next(iter(self.flying.values()))
        if oldest.repetitions >= REPETITIONS:
            return []
        self.round_trip.missed()
        for command in self.flying.values():
            command.repetitions += 1
            command.sent = now
        self.traffic.retries += len(self.flying)
        # The leading zero closes whatever garbage an idle line may have collected.
        return [b"\0", *(command.frame for command in self.flying.values())]

    def fresh(self, sequence: int) -> bool:
        """Whether an event is the next one to be told."""
        if not self._ready:
            return False
        ahead = sequence - self._expected_event & 0xFF
        if ahead == 0:
            self._expected_event = sequence + 1 & 0xFF
            self._acknowledge = True
            self.traffic.events += 1
            return True
        if ahead >= 0x80:
            # It was told before; only the acknowledgement was lost.
            self._acknowledge = True
            self.traffic.repeated_events += 1
        return False


class Link:
    """One board on a line. `told` gets its events in order; `lost` hears why nothing comes."""

    def __init__(self, line: Line, address: int, name: str) -> None:
        self.told: Callable[[Message], None] = _unheard
        self.lost: Callable[[BoardSilent], None] = _unheard
        self.name = name
        self.address = address
        self._line = line
        self._loop = line.loop
        self._exchange = Exchange(address)
        self._timer: asyncio.TimerHandle | None = None
        self._closed = f"board {name} has not been identified yet; start it first."

    @property
    def traffic(self) -> Traffic:
        return self._exchange.traffic

    @property
    def ready(self) -> bool:
        """Whether commands can be sent: the board has been identified since the last loss."""
        return self._exchange.ready

    async def identify(self, nonce: bytes) -> Message:
        """Begin a session. A nonce must never be used twice, or a board takes it for an echo."""
        self._end(BoardSilent(f"board {self.name} is being identified anew; ask it again."))
        if self._line.broken:
            raise BoardSilent(f"board {self.name}: {self._line.broken}")
        command = Command(Identify(PROTOCOL, nonce), self._loop.create_future())
        self._closed = ""
        self._exchange.open(command)
        self._line.wake(self)
        return await command.reply

    def request(self, message: Message) -> Reply:
        """Send a command; its reply. BoardSilent if the board does not answer."""
        return self.ask(message).reply

    def ask(self, message: Message) -> Command:
        """Send a command; the command itself, which knows its sequence number once sent."""
        command = Command(message, self._loop.create_future())
        if self._closed:
            command.reply.set_exception(BoardSilent(self._closed))
        else:
            self._exchange.waiting.append(command)
            self._line.wake(self)
        return command

    def stop_all(self) -> None:
        """Send the stop of everything at once, ahead of all that waits, which is not sent."""
        if not self._exchange.ready:
            return
        overtaken = BoardError(f"board {self.name} was stopped before it was told this.")
        for command in tuple(self._exchange.waiting):
            _fail(command, overtaken)
        self._exchange.waiting.clear()
        stop = Command(Stop(NONE), self._loop.create_future())
        # Nobody waits for this reply: silence is reported through `lost`.
        stop.reply.add_done_callback(_heed)
        self._exchange.waiting.append(stop)
        # The window is the host's own restraint; a board remembers far more replies than that.
        self._line.write(self._exchange.sendable(self._loop.time(), REMEMBERED))
        self._arm()

    def close(self) -> None:
        """Leave the line; whatever is unanswered fails."""
        self._end(BoardSilent(f"board {self.name} is closed; start it again."))
        self._line.leave(self)

    # For the line

    def take(self, sequence: int, message: Message, now: float) -> None:
        """A sound frame of this board has come."""
        if type(message) in EVENTS:
            if self._exchange.fresh(sequence):
                self.told(message)
            return
        command = self._exchange.land(sequence, now)
        if command is not None and not command.reply.done():
            command.reply.set_result(message)

    def sendable(self, now: float) -> list[bytes]:
        """What this link has to say now."""
        frames = self._exchange.sendable(now)
        self._arm()
        return frames

    def fail(self, why: str) -> None:
        """The line is gone, or the board silent: everything unanswered fails, and `lost` hears."""
        silent = BoardSilent(f"board {self.name}: {why}")
        self._end(silent)
        self.lost(silent)

    # Helpers

    def _arm(self) -> None:
        """One timer for the whole window: it goes off too early rather than move at every reply."""
        if not self._exchange.flying:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        elif self._timer is None:
            self._timer = self._loop.call_at(self._exchange.due, self._overdue)

    def _overdue(self) -> None:
        self._timer = None
        now = self._loop.time()
        if self._exchange.due <= now:
            frames = self._exchange.overdue(now)
            if not frames:
                self._silent()
                return
            self._line.write(frames)
        self._arm()

    def _silent(self) -> None:
        oldest = next(iter(self._exchange.flying.values()))
        what = type(oldest.message).__name__
        self.fail(
            f"no answer to {what}, asked {REPETITIONS + 1} times. Is it powered and plugged in?"
            " `wallwright scan` shows what answers."
        )

    def _end(self, error: BoardSilent) -> None:
        self._closed = str(error)
        for command in self._exchange.close():
            _fail(command, error)
        self._arm()


class Line:
    """One transport, and the links of the boards on it, told apart by their addresses."""

    def __init__(self, transport: Transport) -> None:
        self.loop = asyncio.get_running_loop()
        self.decoder = Decoder()
        self.broken = ""
        """Why nothing comes any more; empty while the line works."""
        self._links: dict[int, Link] = {}
        self._woken: dict[Link, None] = {}
        self._transport = transport
        transport.connect(self._receive, self._lose)

    def attach(self, transport: Transport) -> None:
        """Go on with a new transport, after the old one was lost; boards must be started again."""
        self._transport.close()
        self._lose("the line is being connected anew; start the board again.")
        self.decoder = Decoder()
        self.broken = ""
        self._transport = transport
        transport.connect(self._receive, self._lose)

    def link(self, address: int, name: str) -> Link:
        """The link to the board with this address; ValueError if there is one already."""
        if address in self._links:
            other = self._links[address].name
            raise ValueError(
                f"boards {other} and {name} both have address {address};"
                " give each board of a line its own."
            )
        link = self._links[address] = Link(self, address, name)
        return link

    def leave(self, link: Link) -> None:
        """Forget a link. Idempotent."""
        if self._links.get(link.address) is link:
            del self._links[link.address]

    def close(self) -> None:
        """Close the transport; whatever is unanswered fails. Idempotent."""
        self._transport.close()
        if not self.broken:
            self._lose("the line is closed; open it again.")

    def wake(self, link: Link) -> None:
        """Let this link send, in one write with all other commands of this turn of the loop."""
        if not self._woken:
            self.loop.call_soon(self._flush)
        self._woken[link] = None

    def write(self, frames: list[bytes]) -> None:
        if frames:
            self._transport.write(b"".join(frames))

    def _flush(self) -> None:
        now = self.loop.time()
        frames: list[bytes] = []
        for link in self._woken:
            frames += link.sendable(now)
        self._woken.clear()
        self.write(frames)

    def _receive(self, data: bytes) -> None:
        now = self.loop.time()
        links = self._links
        for address, sequence, message in self.decoder.feed(data):
            link = links.get(address)
            if link is not None:
                link.take(sequence, message, now)
        frames: list[bytes] = []
        for link in tuple(links.values()):
            frames += link.sendable(now)
        self.write(frames)

    def _lose(self, why: str) -> None:
        self.broken = why
        for link in tuple(self._links.values()):
            link.fail(why)


def _fail(command: Command, error: BoardError) -> None:
    if not command.reply.done():
        command.reply.set_exception(error)


def _heed(reply: Reply) -> None:
    """Take note of an answer that nobody waits for."""
    if not reply.cancelled():
        reply.exception()


def _unheard(_: object) -> None:
    """Where events go before anybody listens."""
