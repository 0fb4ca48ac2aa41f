"""uvicorn's WebSocket protocol with a way to drop a client that reads nothing."""

from __future__ import annotations

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

from controller.web.api.stream.stream_socket import DROP

GRACE = 2.0
"""Seconds of the loop's clock in which a dropped client can still receive the close code."""


class StreamProtocol(WebSocketsSansIOProtocol):
    """Adds the extension `DROP` to the scope of a WebSocket.

    The ordinary close waits until the client has read everything that was sent before, so a client
    that reads nothing would keep its connection and its memory.
    """

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if hasattr(self, "scope"):
            extensions: dict[str, object] = self.scope["extensions"]  # type: ignore[assignment]
            extensions[DROP] = self.drop

    def drop(self, code: int, reason: str) -> None:
        """Send a close code without waiting, and abort the connection soon after."""
        if self.disconnected or self.close_sent or self.transport.is_closing():
            return
        self.stop_keepalive()
        self.conn.send_close(code, reason)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        self.close_timer = self.loop.call_later(GRACE, self.transport.abort)

    def shutdown(self) -> None:
        """End the connection when the server stops, unless it is already closing.

        A page that was closed a moment before has sent its close frame; a second close frame in
        reply would raise InvalidState in the server's shutdown.
        """
        if self.transport.is_closing():
            self.stop_keepalive()
            return
        super().shutdown()
