"""The server's end of a WebSocket, when the service stops."""

from __future__ import annotations

from controller.web.api.server.connections import StreamProtocol


class ClosingTransport:
    """The transport of a connection whose client has just closed it."""

    def is_closing(self) -> bool:
        return True


def test_a_connection_that_is_closing_does_not_fail_the_end_of_the_server() -> None:
    stopped = []
    protocol = StreamProtocol.__new__(StreamProtocol)
    protocol.transport = ClosingTransport()  # type: ignore[assignment]
    protocol.stop_keepalive = lambda: stopped.append(True)  # type: ignore[method-assign]
    protocol.shutdown()
    assert stopped == [True]
