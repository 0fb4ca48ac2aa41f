"""Host session: the host's side of a session, frame by frame, for tests, benchmarks and fuzzers.

It makes frames and verifies received ones. It neither repeats nor waits; `wire.link` does that.
"""

from __future__ import annotations

from firmware_bridge.wire.challenge import Challenge, verified
from firmware_bridge.wire.codec import EVENTS, Frame, encode
from firmware_bridge.wire.link import Link
from firmware_bridge.wire.messages import (
    PROTOCOL,
    Authenticate,
    Identify,
    Identity,
    Message,
    Received,
    Started,
)
from firmware_bridge.wire.session_security import SessionKeys, is_equal, tag

_UNTAGGED = (Identity, Started)


async def begin_session(link: Link, nonce: bytes, key: bytes) -> Identity:
    """Begin a session on a link; return the board's identity. The board must have the key."""
    identity = await link.identify(nonce)
    assert isinstance(identity, Identity), identity
    challenge = verified(key, link.address, nonce, identity)
    assert challenge is not None, "the board has another key"
    await link.authenticate(challenge.host_proof, challenge.keys)
    return identity


class HostSession:
    """The counters and keys of one session with the board at an address."""

    def __init__(self, address: int, key: bytes, first: int = 0) -> None:
        self._address = address
        self._key = key
        self._identify = Identify(PROTOCOL, bytes(8))
        self.counter = first
        """The counter of the next command; its lowest eight bits are the sequence number."""
        self.next_event = 0
        """The counter of the next event."""
        self.keys: SessionKeys | None = None

    @property
    def sequence(self) -> int:
        """The sequence number of the next command."""
        return self.counter & 0xFF

    def identify(self, nonce: bytes) -> bytes:
        """The frame that asks for the identity."""
        self._identify = Identify(PROTOCOL, nonce)
        self.counter = self.sequence
        return self._next(self._identify)

    def authenticate(self, identity: Identity) -> bytes:
        """The frame that begins the session after this identity, whose proof is not verified."""
        challenge = Challenge.of(self._key, self._address, self._identify, identity)
        self.keys = challenge.keys
        self.next_event = self.counter
        return self._next(Authenticate(challenge.host_proof))

    def command(self, message: Message) -> bytes:
        """The frame of the next command."""
        return self._next(message, self.keys.host if self.keys else b"")

    def received(self, sequence: int) -> bytes:
        """The acknowledgement of all events up to the one with this sequence number."""
        counter = self._near(sequence)
        self.next_event = max(self.next_event, counter + 1)
        key = self.keys.host if self.keys else b""
        return encode(self._address, 0, Received(sequence), key, counter)

    def is_genuine(self, frame: Frame) -> bool:
        """Whether a reply or an event that was received has the tag of this session's board."""
        if type(frame.message) in _UNTAGGED or self.keys is None:
            return not frame.tag
        if type(frame.message) in EVENTS:
            counter = self._near(frame.sequence)
        else:
            counter = self.counter - 1 - (self.counter - 1 - frame.sequence & 0xFF)
        if counter < 0:
            return False
        return is_equal(tag(self.keys.board, counter, frame.plain), frame.tag)

    def _near(self, sequence: int) -> int:
        """The event counter with this sequence number that is nearest to the next one."""
        return self.next_event + (sequence - self.next_event + 0x80 & 0xFF) - 0x80

    def _next(self, message: Message, key: bytes = b"") -> bytes:
        counter = self.counter
        self.counter += 1
        return encode(self._address, counter & 0xFF, message, key, counter)
