"""Links to boards, host side: each command is executed once and each event delivered once.

A `Link` runs the `Exchange` with one board on the event loop: it adds futures, and one timer for
the whole window. A `Line` is a transport that the links of several boards share. It makes one
write for all commands of one turn of the loop, and acknowledges events in the same call that
received their bytes.

Every reset of an Arduino Mega 2560, and so every opening of a port that lowers DTR, starts the
bootloader. Any byte in its first 0.78 s keeps it waiting for a programmer, until no byte has come
for 5 s. A host that repeats its question therefore never gets an answer. The board announces its
start (`Started`), so the host need not wait out its whole time. Measured by
`tests/firmware_bridge/sim/processors/test_bootloader.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from firmware_bridge.wire.codec import EVENTS, Decoder, Frame
from firmware_bridge.wire.codes import ResetCause
from firmware_bridge.wire.errors import BoardError, BoardSilentError
from firmware_bridge.wire.messages import (
    NONE,
    PROTOCOL,
    REMEMBERED,
    Authenticate,
    Identify,
    Identity,
    Message,
    Started,
    Stop,
)
from firmware_bridge.wire.session_security import MOST_FORGED, ForgeryCheck, SessionKeys
from firmware_bridge.wire.sliding_window import REPETITIONS, Command, Exchange, Reply, Traffic
from firmware_bridge.wire.transport import Transport

LISTENS = 0.783
"""Seconds after a reset in which a byte holds the bootloader."""
STARTS = 0.84
"""Seconds after a reset until the firmware runs, if no byte came."""
HOLDS = 5.0
"""Seconds without a byte after which a held bootloader starts the firmware."""
START_SILENCE = 1.5
"""Seconds for which the host sends nothing after an opening that resets the boards (our value)."""
RELEASE_SILENCE = 5.5
"""Seconds for which the host sends nothing to a board that may be held (our value)."""
_CAUSES = {int(cause): cause.name.lower().replace("_", "-") for cause in ResetCause}
MOST_WAITING = 2048
"""Limit of the commands of one board that wait to be sent; the longest channel table has 255."""
CheckReply = Callable[[Message, Message], BoardError | None]
"""Checks a reply (second argument) against its command; returns the error, or None."""


class _NoAnswerError(BoardSilentError):
    """A board did not answer a command after all repetitions."""


class Link:
    """Link to one board of a line. Calls `on_event` with each event, and `lost` on failure."""

    def __init__(self, line: SerialLine, address: int, name: str) -> None:
        self.on_event: Callable[[Message], None] = _discard
        self.lost: Callable[[BoardSilentError], None] = _discard
        self.check_reply: CheckReply = _accept_reply
        """Checks each reply against its command; a returned error becomes the command's result."""
        self.on_surplus: Callable[[], None] = _do_nothing
        """Called for each notice, each repeated or early event, and each reply that no command
        expects."""
        self.on_started: Callable[[Started], None] = _discard
        """Called with the notice of the board's start."""
        self.forgery = ForgeryCheck()
        """The frames of this link that do not come from its board."""
        self.name = name
        self.address = address
        self._line = line
        self._loop = line.loop
        self._exchange = Exchange(address)
        self._timer: asyncio.TimerHandle | None = None
        self._boots = 0
        """The board's number of starts, as of its last `Identity`."""
        self._closed = f"board {name} has not been identified yet; start it first."

    @property
    def traffic(self) -> Traffic:
        return self._exchange.traffic

    @property
    def ready(self) -> bool:
        """Whether commands can be sent: a session has begun since the last loss."""
        return self._exchange.ready

    async def identify(self, nonce: bytes) -> Message:
        """Ask for the identity. Each nonce must be new: a board treats a repeated one as an echo.

        `authenticate` then begins the session. A board that does not answer may be in its
        bootloader, where every byte holds it. The line then stays silent until the bootloader has
        left, and the board is asked once more.
        """
        with suppress(_NoAnswerError):
            return await self._ask_identity(nonce)
        self._line.be_silent(RELEASE_SILENCE)
        return await self._ask_identity(nonce)

    async def _ask_identity(self, nonce: bytes) -> Message:
        self._end(
            BoardSilentError(
                f"board {self.name} is being identified again; retry when that has ended."
            )
        )
        if self._line.broken:
            raise BoardSilentError(f"board {self.name}: {self._line.broken}")
        command = Command(Identify(PROTOCOL, nonce), self._loop.create_future())
        self._closed = ""
        self.forgery.begin_session(self._exchange.traffic.forged)
        self._exchange.identify(command)
        self._line.wake(self)
        return await command.reply

    async def authenticate(self, proof: bytes, keys: SessionKeys) -> Message:
        """Begin the session after `identify`; return the board's reply, which has a tag."""
        command = Command(Authenticate(proof), self._loop.create_future())
        self._exchange.authenticate(command, keys)
        self._line.wake(self)
        return await command.reply

    def request(self, message: Message) -> Reply:
        """Send a command; return its reply. BoardSilentError if the board does not answer."""
        return self.ask(message).reply

    def post(self, message: Message) -> Reply:
        """Send a command whose reply may stay unread, because `lost` reports a silent board."""
        return self.ask(message, unread=True).reply

    def ask(self, message: Message, *, unread: bool = False) -> Command:
        """Send a command and return it; its sequence number is set once it is sent."""
        command = Command(message, self._loop.create_future(), unread=unread)
        if self._closed:
            command.fail(BoardSilentError(self._closed))
        elif len(self._exchange.waiting) >= MOST_WAITING:
            command.fail(
                BoardError(
                    f"board {self.name}: {MOST_WAITING} commands already wait to be sent; wait for"
                    " their replies first."
                )
            )
        else:
            self._exchange.waiting.append(command)
            self._line.wake(self)
        return command

    def urge(self, message: Message, due: float) -> Reply:
        """Send a command before all that wait, even if the window is full; for lease renewals.

        `due` is the time at which it was to be sent. The reply may stay unread.
        """
        command = Command(message, self._loop.create_future(), sent=due, unread=True, urgent=True)
        if self._closed:
            command.fail(BoardSilentError(self._closed))
        else:
            self._exchange.waiting.appendleft(command)
            self._line.wake(self)
        return command.reply

    def stop_all(self) -> None:
        """Send a stop of all channels at once; commands that wait to be sent are cancelled."""
        if not self._exchange.ready:
            return
        overtaken = BoardError(f"board {self.name} was stopped before this command was sent.")
        for command in tuple(self._exchange.waiting):
            command.fail(overtaken)
        self._exchange.waiting.clear()
        stop = Command(Stop(NONE), self._loop.create_future(), unread=True)
        self._exchange.waiting.append(stop)
        # The stop is sent even if the window is full: the window is a limit of the host, and a
        # board stores more replies than that.
        self._line.write(self._exchange.sendable(self._loop.time(), REMEMBERED))
        self._arm()

    def close(self) -> None:
        """End the session; unanswered commands fail. `identify` can begin a new session."""
        self._end(BoardSilentError(f"board {self.name} is closed; start it again."))

    # For the line

    def take(self, frame: Frame, now: float) -> None:
        """Process a valid frame received from this board; its tag is verified here."""
        message = frame.message
        if type(message) is Started:
            self.on_surplus()
            self._started(message)
            return
        if type(message) in EVENTS:
            if self._exchange.accept_event(frame):
                self.on_event(message)
                return
        else:
            command = self._exchange.take_reply(frame, now)
            if command is not None:
                if type(message) is Identity:
                    self._boots = message.boots
                if (error := self.check_reply(command.message, message)) is not None:
                    command.fail(error)
                elif not command.reply.done():
                    command.reply.set_result(message)
                return
        self.on_surplus()
        if self.forgery.is_too_many(self._exchange.traffic.forged, now):
            self.fail(
                f"{MOST_FORGED} frames of this session did not have the tag of the board's key."
                " Another device sends on this line: check what is connected to it, then start the"
                " board again."
            )

    def sendable(self, now: float) -> list[bytes]:
        """The frames that this link can send now."""
        if not self._exchange.wants_to_send:
            return []
        if self._exchange.is_used_up:
            self.fail("the session has reached its last frame number; start the board again.")
        frames = self._exchange.sendable(now)
        if frames:
            self._arm()
        return frames

    def fail(self, why: str) -> None:
        """Fail all unanswered commands and call `lost`: the line failed or the board is silent."""
        self._fail(BoardSilentError(f"board {self.name}: {why}"))

    # Helpers

    def _fail(self, silent: BoardSilentError) -> None:
        self._end(silent)
        self.lost(silent)

    def _started(self, started: Started) -> None:
        """The board has been reset and runs now: its session is over, and it has no commands."""
        if self._exchange.ready and started.boots == self._boots:
            return  # The line has repeated an old notice.
        self.on_started(started)
        self._line.end_silence()
        if self._exchange.ready:
            self.forgery.ended_by(started, self._boots)
            cause = _CAUSES.get(started.reset_cause, "unknown")
            self.fail(f"it was reset (cause: {cause}) and has started again.")
        elif self._exchange.in_flight:
            self._line.write(self._exchange.sent_again(self._loop.time()))

    def _arm(self) -> None:
        """Keep one timer for the whole window, which fires no later than the oldest time-out.

        The timer stays set when commands are answered; it then fires early and is set again.
        Cancelling and setting it at every reply would take longer than processing the reply.
        """
        if not self._exchange.in_flight:
            return
        due = self._exchange.due
        if self._timer is not None:
            if self._timer.when() <= due:
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(due, self._overdue)

    def _overdue(self) -> None:
        self._timer = None
        now = self._loop.time()
        if self._line.silent_until > now:
            self._exchange.postpone(self._line.silent_until)
        elif self._exchange.in_flight and self._exchange.due <= now:
            frames = self._exchange.overdue(now)
            if not frames:
                self._silent()
                return
            self._line.write(frames)
        self._arm()

    def _silent(self) -> None:
        oldest = next(iter(self._exchange.in_flight.values()))
        command = type(oldest.message).__name__
        self._fail(
            _NoAnswerError(
                f"board {self.name}: no answer to {command}, which was sent {REPETITIONS + 1}"
                " times. Check the board's power and cable; `wallwright scan` lists the boards"
                " that answer."
            )
        )

    def _end(self, error: BoardSilentError) -> None:
        self._closed = str(error)
        for command in self._exchange.close():
            command.fail(error)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class SerialLine:
    """One transport and the links of the boards on it, distinguished by their addresses."""

    def __init__(self, transport: Transport) -> None:
        self.loop = asyncio.get_running_loop()
        self.decoder = Decoder()
        self.broken = ""
        """Why the line failed; empty while it works."""
        self.silent_until = 0.0
        """Time until which nothing but stops is sent, so that bootloaders leave."""
        self._links: dict[int, Link] = {}
        self._woken: dict[Link, None] = {}
        self._connect(transport)

    def attach(self, transport: Transport) -> None:
        """Replace a lost transport with a new one; every board must be started again."""
        self._transport.close()
        self._lose("the line is being connected again; start the board again.")
        self.decoder = Decoder()
        self.broken = ""
        self._connect(transport)

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

    def close(self) -> None:
        """Close the transport; unanswered commands fail. Idempotent."""
        self._transport.close()
        if not self.broken:
            self._lose("the line is closed; open it again.")

    def be_silent(self, seconds: float) -> None:
        """Send nothing but stops for this time from now on, or until a board has started."""
        self.silent_until = max(self.silent_until, self.loop.time() + seconds)

    def end_silence(self) -> None:
        """Send what has waited: a board has started."""
        if self.silent_until > self.loop.time():
            self.silent_until = 0.0
            self.loop.call_soon(self._flush)

    def wake(self, link: Link) -> None:
        """Schedule this link to send, in one write with all links of this turn of the loop."""
        if not self._woken:
            self.loop.call_soon(self._flush)
        self._woken[link] = None

    def write(self, frames: list[bytes]) -> None:
        if frames:
            self._transport.write(b"".join(frames))

    def _flush(self) -> None:
        now = self.loop.time()
        if self.silent_until > now:
            self.loop.call_at(self.silent_until, self._flush)
            return
        frames: list[bytes] = []
        for link in self._woken:
            frames += link.sendable(now)
        self._woken.clear()
        self.write(frames)

    def _receive(self, data: bytes) -> None:
        now = self.loop.time()
        links = self._links
        for frame in self.decoder.feed(data):
            link = links.get(frame.address)
            if link is not None:
                link.take(frame, now)
        if self.silent_until > now:
            for link in links.values():
                self.wake(link)
            return
        frames: list[bytes] = []
        for link in tuple(links.values()):
            frames += link.sendable(now)
        self.write(frames)

    def _connect(self, transport: Transport) -> None:
        self._transport = transport
        if transport.resets_boards:
            self.be_silent(START_SILENCE)
        transport.connect(self._receive, self._lose)

    def _lose(self, why: str) -> None:
        self.broken = why
        for link in tuple(self._links.values()):
            link.fail(why)


def _discard(_: object) -> None:
    """Discard events and notices until a receiver is set."""


def _do_nothing() -> None:
    """Ignore surplus messages until a receiver is set."""


def _accept_reply(command: Message, reply: Message) -> None:
    """Accept every reply until a check is set."""
