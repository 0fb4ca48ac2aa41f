"""Commands to one board with their expected replies; a refusal becomes an error with its reason."""

from __future__ import annotations

from typing import TypeVar

from firmware_bridge.boards import encoding
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.errors import BoardError, BoardRefusedError
from firmware_bridge.wire.link import Link

T = TypeVar("T")


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
