"""The board's end of a line: the wire protocol on a board's side, and the timer of its events.

Commands are executed strictly in the order of their sequence numbers, each exactly once:

    the expected one          executed; its reply is stored and sent
    up to REMEMBERED behind   not executed; the stored reply is sent again
    any other                 dropped: it is too old, or an earlier one was lost and is repeated

`Identify` is answered with the board's identity and proof, and changes nothing else: a later one
does not end the challenge of an earlier one, of which CHALLENGES are kept. `Authenticate`
with the host's proof begins a session: the next command bears the next sequence number, and the
first event bears the number of the `Authenticate`. Events of an earlier session are discarded. The
board that executes `Authenticate` also ends every motion without an event and emits its latched
faults again, because the tickets of the old session are invalid in the new one.

Every later frame has a tag (`session_security`). A command with a wrong tag is counted and dropped;
after MOST_FORGED of them the session ends, and the lease expires unless a host begins a new one.

Events wait until `Received`, which acknowledges all events up to the one it names. They are sent in
order, at most EVENT_WINDOW ahead of the host, and repeated from the oldest. When the lease expires,
each motion ends by its own `MotionEnded` (reason HELD); `Held` follows them.

`BoardSession` has no I/O and no clock: `BoardEnd` calls `tick(now)` after every `receive` and
`emit`, and at the time that the last `tick` returned.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from firmware_bridge.executor.virtual_board import VirtualBoard
from firmware_bridge.wire.challenge import Challenge
from firmware_bridge.wire.codec import COMMANDS, EVENTS, Decoder, Frame, encode
from firmware_bridge.wire.messages import (
    EVENT_WINDOW,
    REMEMBERED,
    Authenticate,
    Identify,
    Identity,
    Message,
    Received,
    Started,
)
from firmware_bridge.wire.session_security import MOST_FORGED, SessionKeys, is_equal, tag

Send = Callable[[bytes], None]
Execute = Callable[[Message, int], Message]
"""Executes a command with this sequence number (the ticket of a motion); returns the reply."""
REPEAT_AFTER = 0.05
"""Seconds until events are repeated; longer than a full window of events takes on the wire."""
REPEAT_AT_LEAST_EVERY = 0.4
CHALLENGES = 3
"""The answered `Identify`s that a board keeps, so that a stranger's cannot end a host's."""


class BoardEnd:
    """One board's session, and the one timer that repeats its events.

    `send` gets whole frames. `execute` takes the place of the board's own.
    """

    def __init__(
        self,
        board: VirtualBoard,
        address: int,
        send: Send,
        decoder: Decoder,
        execute: Execute | None = None,
    ) -> None:
        self.address = address
        self._board = board
        self._loop = board.loop
        self._session = BoardSession(address, execute or board.execute, send, board.key, decoder)
        self._decoder = decoder
        self._timer: asyncio.TimerHandle | None = None
        self._open = True
        board.send = self.emit
        board.line = self._line

    @property
    def is_between_frames(self) -> bool:
        """Whether the board has received the end of every frame that has begun."""
        return self._decoder.is_between_frames

    def receive(self, data: bytes) -> None:
        """Process bytes of the line."""
        if self._open:
            self._session.receive(data)
            self._tick()

    def take(self, frames: list[Frame]) -> None:
        """Process frames to this board that another decoder has read from the line."""
        if self._open and (frames or self._session.has_unreceived):
            self._session.take(frames)
            self._tick()

    def announce(self, started: Started) -> None:
        """Send the notice that the board has started."""
        self._session.announce(started)

    def emit(self, event: Message) -> None:
        """Send an event of the board."""
        self._session.emit(event)
        self._tick()

    def insert(self, address: int, sequence: int, message: Message) -> None:
        """Send a frame beside the order of the session (`BoardSession.insert`)."""
        self._session.insert(address, sequence, message)

    def close(self) -> None:
        """End the session: the board has no power, or is in its bootloader."""
        self._open = False
        self._board.send = _discard
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tick(self) -> None:
        """Repeat due events and set the next timer; an early timer has no other effect."""
        due = self._session.tick(self._loop.time())
        if due is None or (self._timer is not None and self._timer.when() <= due):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(due, self._repeat)

    def _repeat(self) -> None:
        self._timer = None
        self._tick()

    def _line(self) -> tuple[int, int]:
        return self._session.damaged, self._session.repeated


def _discard(event: Message) -> None:
    """Discard the events of a board without power."""


class BoardSession:
    """The session of one board. `send` receives complete frames, several at a time.

    `execute` answers `Identify` with an identity whose proof this session computes by the device
    key `key`.
    """

    def __init__(
        self,
        address: int,
        execute: Execute,
        send: Callable[[bytes], None],
        key: bytes,
        decoder: Decoder | None = None,
    ) -> None:
        self.repeated = 0
        """Repeated commands, answered with the stored reply."""
        self.dropped = 0
        """Commands too old, too early, or without a session."""
        self.forged = 0
        """Frames of this session without the tag of the host's key."""
        self._address = address
        self._execute = execute
        self._send = send
        self._decoder = decoder or Decoder()
        self._key = key
        self._openings: deque[_Opening] = deque(maxlen=CHALLENGES)
        self._begun: _Opening | None = None
        """The opening of the last session."""
        self._keys: SessionKeys | None = None
        """The keys of the session; None without one."""
        self._expected = 0
        """The counter of the next command."""
        self._replies: dict[int, bytes] = {}
        self._busy = False
        self._next_event = 0
        """The counter of the next event."""
        self._queued: deque[Message] = deque()
        self._unreceived: deque[tuple[int, bytes]] = deque()
        self._repeat_at: float | None = None
        self._interval = REPEAT_AFTER

    @property
    def damaged(self) -> int:
        """The number of damaged frames."""
        return self._decoder.dropped

    @property
    def has_unreceived(self) -> bool:
        """Whether an event waits to be sent or acknowledged."""
        return bool(self._unreceived or self._queued)

    def receive(self, data: bytes) -> None:
        """Decode bytes from the line, execute their commands, and send all replies at once."""
        self.take(self._decoder.feed(data))

    def take(self, frames: Iterable[Frame]) -> None:
        """Execute the commands among decoded frames, and send all replies at once."""
        out: list[bytes] = []
        for frame in frames:
            if frame.address != self._address:
                continue
            if type(frame.message) is Received:
                self._received(frame)
            elif type(frame.message) is Identify:
                self._identify(frame.sequence, frame.message, out)
            elif type(frame.message) in COMMANDS:
                self._command(frame, out)
        self._release(out)
        if out:
            self._send(b"".join(out))

    def emit(self, event: Message) -> None:
        """Send an event and repeat it until acknowledged; without a session, discard it."""
        if self._keys is None:
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

    def insert(self, address: int, sequence: int, message: Message) -> None:
        """Send a frame beside the order of the session, with a right tag; for false messages."""
        if self._keys is None:
            self._send(encode(address, sequence, message))
            return
        near = self._next_event if type(message) in EVENTS else self._expected
        counter = max(near + (sequence - near + 0x80 & 0xFF) - 0x80, 0)
        self._send(encode(address, sequence, message, self._keys.board, counter))

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

    # Opening

    def _identify(self, sequence: int, identify: Identify, out: list[bytes]) -> None:
        """Answer `Identify`, which changes neither the session nor the board."""
        asked = (sequence, identify)
        same = (each for each in self._openings if (each.sequence, each.identify) == asked)
        opening = next(same, None)
        if opening is None:
            identity = self._execute(identify, sequence)
            if not isinstance(identity, Identity):
                out.append(encode(self._address, sequence, identity))
                return
            challenge = Challenge.of(self._key, self._address, identify, identity)
            proved = identity._replace(proof=challenge.board_proof)
            answer = encode(self._address, sequence, proved)
            opening = _Opening(sequence, identify, answer, challenge)
            self._openings.append(opening)
        out.append(opening.answer)

    def _answered(self, frame: Frame) -> _Opening | None:
        """The opening to whose challenge this frame is the host's first answer, or None."""
        message = frame.message
        if type(message) is not Authenticate:
            return None
        for opening in tuple(self._openings):
            if opening is self._begun or frame.sequence != opening.sequence + 1 & 0xFF:
                continue
            if opening.challenge.is_answered_by(message):
                return opening
            opening.wrong += 1
            if opening.wrong == MOST_FORGED:
                self._openings.remove(opening)
        return None

    def _begin(self, opening: _Opening) -> None:
        self._begun = opening
        self._keys = opening.challenge.keys
        self._expected = self._next_event = opening.sequence + 1
        self.forged = 0
        self._replies.clear()
        self._queued.clear()
        self._unreceived.clear()
        self._repeat_at = None

    # Commands

    def _command(self, frame: Frame, out: list[bytes]) -> None:
        if (opening := self._answered(frame)) is not None:
            self._begin(opening)
        keys = self._keys
        if keys is None:
            self.dropped += 1
            return
        ahead = (frame.sequence - self._expected + 0x80 & 0xFF) - 0x80
        counter = self._expected + ahead
        if ahead > 0 or counter < 0 or (ahead < 0 and frame.sequence not in self._replies):
            self.dropped += 1
        elif not self._is_genuine(frame, counter):
            return
        elif ahead < 0:
            self.repeated += 1
            out.append(self._replies[frame.sequence])
        else:
            self._execute_next(frame, keys, out)

    def _execute_next(self, frame: Frame, keys: SessionKeys, out: list[bytes]) -> None:
        self._busy = True
        try:
            message = self._execute(frame.message, frame.sequence)
        finally:
            self._busy = False
        reply = encode(self._address, frame.sequence, message, keys.board, self._expected)
        self._expected += 1
        self._replies[frame.sequence] = reply
        if len(self._replies) > REMEMBERED:
            del self._replies[next(iter(self._replies))]
        out.append(reply)
        self._release(out)

    def _is_genuine(self, frame: Frame, counter: int) -> bool:
        """Whether a frame has the tag of this session's host; too many others end the session."""
        opening = self._begun
        if opening is not None and type(frame.message) is Authenticate:
            # Its proof takes the place of a tag, at the beginning of the session only.
            first = counter == opening.sequence + 1
            if first and opening.challenge.is_answered_by(frame.message):
                return True
        assert self._keys is not None
        if is_equal(tag(self._keys.host, counter, frame.plain), frame.tag):
            return True
        self.forged += 1
        if self.forged >= MOST_FORGED:
            self._keys = self._begun = None
            self._openings.clear()
        return False

    # Events

    def _release(self, out: list[bytes]) -> None:
        """Send queued events, as many as fit the host's window."""
        while self._queued and self._keys and len(self._unreceived) < EVENT_WINDOW:
            counter = self._next_event
            self._next_event = counter + 1
            message = self._queued.popleft()
            frame = encode(self._address, counter & 0xFF, message, self._keys.board, counter)
            self._unreceived.append((counter, frame))
            out.append(frame)

    def _received(self, frame: Frame) -> None:
        assert isinstance(frame.message, Received)
        for counter, _ in self._unreceived:
            if counter & 0xFF == frame.message.event:
                break
        else:
            return
        if not self._is_genuine(frame, counter):
            return
        while self._unreceived.popleft()[0] != counter:
            pass
        self._repeat_at = None
        self._interval = REPEAT_AFTER


@dataclass
class _Opening:
    """An answered `Identify`: its number and message, the answer's bytes, and the challenge."""

    sequence: int
    identify: Identify
    answer: bytes
    challenge: Challenge
    wrong: int = 0
    """Wrong proofs; after MOST_FORGED the challenge ends."""
