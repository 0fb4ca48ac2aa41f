"""Begins a session: host and board prove to each other that they have the device key."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from firmware_bridge.board import BoardIdentity
from firmware_bridge.boards import encoding
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.challenge import Challenge, verified
from firmware_bridge.wire.codes import Refusal
from firmware_bridge.wire.errors import BoardError, BoardRefusedError, StrangeBoardError
from firmware_bridge.wire.link import Link
from firmware_bridge.wire.messages import PROTOCOL
from firmware_bridge.wire.session_security import NONCE_SIZE

Key = bytes | Callable[[str], bytes]
"""A device key, or a function from serial number to key (`DeviceKeys.of`)."""
Nonce = Callable[[], bytes]
"""Returns eight bytes, which must be new for every session."""
BuildOf = Callable[[str], bytes]
"""Returns the build that was recorded for a serial number; empty if none was (`DeviceKeys`)."""
T = TypeVar("T")


def no_build(serial: str) -> bytes:
    """The recorded build of a board for which none is expected."""
    return b""


def random_nonce() -> bytes:
    """Eight random bytes of the operating system."""
    return os.urandom(NONCE_SIZE)


class Identification:
    """Begins sessions with one board: first `identify`, then `begin` if it is the right board."""

    def __init__(
        self,
        board: str,
        link: Link,
        requests: Requests,
        key: Key,
        nonce: Nonce,
        build_of: BuildOf = no_build,
    ) -> None:
        self._board = board
        self._link = link
        self._requests = requests
        self._key = key
        self._nonce = nonce
        self._build_of = build_of
        self._challenge: Challenge | None = None

    async def identify(self, *, again: bool) -> BoardIdentity:
        """Verify the proof of the board and return its identity.

        Raises BoardError for a board of another protocol version, without the key, or with another
        build than was recorded; after a first session (`again`) the error is a StrangeBoardError,
        because the board was exchanged.
        """
        nonce = self._nonce()
        reply = await self._link.identify(nonce)
        if isinstance(reply, wire.Refused) and reply.reason == Refusal.WRONG_VERSION:
            raise _error(self._wrong_version("another version"), again=again)
        identity = self._requests.expect(wire.Identity, reply, "to identify itself")
        serial = encoding.text(identity.serial)
        if identity.protocol != PROTOCOL:
            raise _error(self._wrong_version(f"version {identity.protocol}"), again=again)
        key = self._key_of(serial, again=again)
        self._challenge = verified(key, self._link.address, nonce, identity)
        if self._challenge is None:
            raise _error(
                f"board {self._board} (serial {serial}) does not have the key that the key file has"
                " for it, or another device has changed its identity on the line; check that it is"
                " the right board and what else its line reaches, or provision it again.",
                again=again,
            )
        expected = self._build_of(serial)
        if expected and identity.build != expected:
            raise _error(
                f"board {self._board} (serial {serial}) runs the build"
                f" {encoding.text(identity.build)}, and {encoding.text(expected)} was recorded when"
                " it was flashed; flash it with `wallwright firmware flash PORT`. If it was flashed"
                " from another host, `wallwright firmware verify PORT` compares it with the build"
                " of this host and records it.",
                again=again,
            )
        return encoding.identity(identity)

    async def begin(self) -> None:
        """Begin the session with the identified board, by the host's proof."""
        challenge = self._challenge
        assert challenge is not None, "the board has been identified"
        accepted = await self._link.authenticate(challenge.host_proof, challenge.keys)
        self._requests.expect(wire.Ok, accepted, "the host's proof", "")

    def _key_of(self, serial: str, *, again: bool) -> bytes:
        if isinstance(self._key, bytes):
            return self._key
        try:
            return self._key(serial)
        except BoardError as reason:
            sentence = f"board {self._board}: {reason}"
            raise _error(sentence, type(reason), again=again) from reason

    def _wrong_version(self, theirs: str) -> str:
        return (
            f"board {self._board} uses {theirs} of the protocol, and this program uses version"
            f" {PROTOCOL}; upgrade its firmware with `wallwright firmware flash PORT`."
        )


def _error(sentence: str, kind: type[BoardError] = BoardError, *, again: bool) -> BoardError:
    return StrangeBoardError(sentence) if again else kind(sentence)


class Requests:
    """Sends commands on a link. All methods raise BoardRefusedError with the board's reason.

    `what` is the command in words, for the error.
    """

    def __init__(self, board: str, link: Link, channels: encoding.ChannelNumbers) -> None:
        self._board = board
        self._link = link
        self._channels = channels

    async def order(self, order: wire.Message, what: str) -> None:
        """Send a command that the board confirms."""
        self.expect(wire.Ok, await self._link.request(order), what)

    async def value(self, question: wire.Message, what: str) -> int:
        """Send a question; return the number with which the board answers."""
        return self.expect(wire.Value, await self._link.request(question), what).value

    def expect(self, kind: type[T], reply: wire.Message, what: str, channel: str = "") -> T:
        """Return the reply if it is of this kind.

        Raises BoardRefusedError for a refusal, which names its channel or else `channel`, and
        BoardError for any other reply.
        """
        if isinstance(reply, wire.Refused):
            blamed = self._channels.name(reply.channel) or channel
            raise BoardRefusedError(
                encoding.refusal(self._board, what, reply, blamed), encoding.why(reply)
            )
        if not isinstance(reply, kind):
            raise BoardError(
                f"board {self._board} answered {what} with {type(reply).__name__}, not"
                f" {kind.__name__}; upgrade its firmware with"
                " `wallwright firmware flash PORT`."
            )
        return reply
