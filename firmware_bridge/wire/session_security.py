"""Session security: mutual proof of the device key, and a tag on every frame of a session.

A session begins with a challenge from each side:

    1. host   Identify        with a new nonce
    2. board  Identity        with a nonce of its own and a proof over both messages
    3. host   Authenticate    with a proof over the same two messages

Both sides derive two keys from the device key and the nonces by HKDF-SHA256 (RFC 5869): one for the
host's frames, one for the board's. Each proof is the 64-bit SipHash-2-4 of the two messages, so it
covers address, protocol, firmware, chip, build, serial number, boots, reset cause and channel
table. All later frames bear a tag: the first 32 bits of the SipHash-2-4 of a counter and the frame.
The counter is the frame's sequence number, extended to 32 bits by both sides; it is not sent.
A frame that is altered, repeated at another place, or recorded in another session has a wrong tag.
"""

from __future__ import annotations

import hmac
import math
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from siphash24 import siphash24

from firmware_bridge.wire.messages import PROTOCOL, Started

NONCE_SIZE = 8
PROOF_SIZE = 8
TAG_SIZE = 4
MOST_FORGED = 64
"""Frames with a wrong tag after which a session ends: an attacker who guesses has 64 attempts."""
NOISE = 3
"""Frames with a wrong tag within `NOISE_PERIOD` that can come from noise: of the frames that noise
damages in more than three bits, one in 65,536 passes the check of the codec."""
NOISE_PERIOD = 60.0
"""Seconds."""
LAST_COUNTER = 0xFFFF_FFEF
"""The last counter of a session; a session that reaches it ends and is begun anew."""
_PROOF = b"\xff\xff\xff\xff"
"""Begins the input of a proof. No counter has this value, so no proof equals a tag."""
_NONCE = b"\xfe\xff\xff\xff"
"""Begins the input of a board's nonce."""
_KEY_SIZE = 16
_RECENT = 256
"""Number of tags that are kept; the full windows of all boards of a table are fewer."""
_INFO = b"wallwright link %d" % PROTOCOL


class SessionKeys(NamedTuple):
    """The keys of a session, 16 bytes each: of the host's frames and of the board's."""

    host: bytes
    board: bytes


def session_keys(key: bytes, host_nonce: bytes, board_nonce: bytes) -> SessionKeys:
    """Derive the keys of a session from the device key and both nonces."""
    extracted = hmac.digest(host_nonce + board_nonce, key, "sha256")
    expanded = hmac.digest(extracted, _INFO + b"\x01", "sha256")
    return SessionKeys(expanded[:_KEY_SIZE], expanded[_KEY_SIZE:])


def proof(key: bytes, identify: bytes, identity: bytes) -> bytes:
    """The proof of the side whose session key this is, 8 bytes.

    `identify` and `identity` are the two frames before COBS (`codec.plain`), the latter without its
    own proof.
    """
    return _siphash(key, _PROOF + identify + identity)


def board_nonce(key: bytes, serial: bytes, boots: int, session: int) -> bytes:
    """The nonce of a board without a random source: unpredictable without the key, and new.

    `session` numbers the sessions since the board's start, `boots` its starts.
    """
    numbers = boots.to_bytes(4, "little") + session.to_bytes(4, "little")
    return _siphash(key[:_KEY_SIZE].ljust(_KEY_SIZE, b"\0"), _NONCE + serial + numbers)


@lru_cache(maxsize=_RECENT)
def tag(key: bytes, counter: int, plain: bytes) -> bytes:
    """The tag of a frame, 4 bytes. `plain` is the frame before COBS, `counter` at most 32 bits.

    Recent tags are kept, because a simulated table computes each tag twice in one process: at the
    sender and at the receiver.
    """
    # Not by `_siphash`, because most calls are for tags.
    digest: bytes = siphash24(counter.to_bytes(4, "little") + plain, key=key).digest()
    return digest[:TAG_SIZE]


def is_equal(one: bytes, other: bytes) -> bool:
    """Compare two proofs or tags in a time that does not depend on their values."""
    return hmac.compare_digest(one, other)


def _siphash(key: bytes, data: bytes) -> bytes:
    digest: bytes = siphash24(data, key=key).digest()
    return digest


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
