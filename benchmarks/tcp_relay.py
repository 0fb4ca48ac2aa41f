"""A TCP relay in a process of its own: what a network does between tables, broker and floor.

A cut network answers nothing and closes nothing. `SIGUSR1` cuts it, `SIGUSR2` restores it.
`python -m benchmarks.tcp_relay LISTEN TARGET` relays 127.0.0.1:LISTEN to 127.0.0.1:TARGET.
"""

from __future__ import annotations

import asyncio
import signal
import sys


class Relay:
    """The network. While it is cut, arrived data waits, and new connections are not answered."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._ends: set[_End] = set()
        self.is_cut = False

    def cut(self) -> None:
        """Let nothing pass."""
        self.is_cut = True
        for end in self._ends:
            end.stop_reading()

    def restore(self) -> None:
        """Let everything pass again."""
        self.is_cut = False
        for end in self._ends:
            end.read_again()

    def client_end(self) -> _End:
        """The end of a new connection towards the client."""
        return _End(self, None)

    async def join(self, client: _End) -> None:
        """Connect a client's end with the target."""
        while self.is_cut:  # noqa: ASYNC110 - set by a signal
            await asyncio.sleep(0.1)
        try:
            await asyncio.get_running_loop().create_connection(
                lambda: _End(self, client), "127.0.0.1", self._target
            )
        except OSError:
            client.abort()

    def add(self, end: _End) -> None:
        """Note an end."""
        self._ends.add(end)

    def remove(self, end: _End) -> None:
        """Forget an end."""
        self._ends.discard(end)


class _End(asyncio.Protocol):
    """One of the two ends of a connection."""

    def __init__(self, relay: Relay, other: _End | None) -> None:
        self._relay, self._other = relay, other
        self._transport: asyncio.Transport | None = None
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._relay.add(self)
        if self._other is None:
            transport.pause_reading()
            self._task = asyncio.get_running_loop().create_task(self._relay.join(self))
        else:
            self._other.meet(self)
            if self._relay.is_cut:
                self.stop_reading()

    def meet(self, other: _End) -> None:
        """Begin to relay to the other end."""
        self._other = other
        self.read_again()

    def data_received(self, data: bytes) -> None:
        if self._other is not None and self._other._transport is not None:  # noqa: SLF001
            self._other._transport.write(data)  # noqa: SLF001

    def connection_lost(self, exc: Exception | None) -> None:
        self._relay.remove(self)
        if self._task is not None:
            self._task.cancel()
        # The other side learns of a closed connection when the network works again.
        if self._other is not None and not self._relay.is_cut:
            self._other.abort()

    def abort(self) -> None:
        """Close this end."""
        if self._transport is not None:
            self._transport.abort()

    def stop_reading(self) -> None:
        """Let data wait in the operating system."""
        if self._transport is not None:
            self._transport.pause_reading()

    def read_again(self) -> None:
        """Relay the data that waits, or close what the other side has closed meanwhile."""
        if self._transport is None or self._other is None:
            return
        if self._other._transport is not None and self._other._transport.is_closing():  # noqa: SLF001
            self.abort()
        elif not self._relay.is_cut:
            self._transport.resume_reading()


async def _run(listen: int, target: int) -> None:
    relay = Relay(target)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, relay.cut)
    loop.add_signal_handler(signal.SIGUSR2, relay.restore)
    server = await loop.create_server(relay.client_end, "127.0.0.1", listen, backlog=2000)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_run(int(sys.argv[1]), int(sys.argv[2])))
