"""Accepts the connections of a server within limits, and ends those that wait too long.

Connections are the only thing of which a client without login can hold many. Each one costs a file
descriptor, and the table needs descriptors for its boards and its files. Therefore all connections
together, and those of one address, are limited before TLS begins, and a connection must make
progress: a client that sends nothing, half a request, or reads nothing is disconnected.
A WebSocket's client that reads nothing is dropped by `StreamProtocol`.
"""

from __future__ import annotations

import asyncio
import errno
import resource
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

from controller.web.api.accounts.identity import THIS_COMPUTER, source_of
from controller.web.api.stream import DROP

CONNECTIONS = 256
"""Most connections at the same time."""
FOR_THIS_COMPUTER = 32
"""Connections of these that only clients on this computer can have, such as the touchscreen."""
PER_ADDRESS = 64
"""Most connections of one IPv4 address or one IPv6 network of 64 bits; a proxy may have all."""
RESERVED = 128
"""File descriptors that the API leaves to the table: boards, journal, logs, databases."""
DESCRIPTORS = 4096
"""File descriptors that the service asks for, if the system permits them."""
WAIT = 10.0
"""Seconds for a TLS handshake, for the head of a request, and for its body."""
STALLED = 30.0
"""Seconds in which a client that receives an answer must read something."""
SWEEP = 1.0
"""Seconds between two looks at all connections."""
PER_SECOND, BURST = 20.0, 256.0
"""New connections of one source in a second for a long time, and at once. Each one costs the
processor of the table about a millisecond."""
AT_ONCE = 16
"""Connections that are accepted before the event loop does other work."""
SOURCES = 10_000
"""Sources that are kept before those that have all their permits are forgotten."""
_NO_DESCRIPTORS = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


@dataclass(frozen=True)
class ConnectionLimits:
    """Most connections in all, of one address, and of these for this computer only.

    `proxies` are addresses without a limit of their own.
    """

    total: int = CONNECTIONS
    per_address: int = PER_ADDRESS
    for_this_computer: int = FOR_THIS_COMPUTER
    proxies: frozenset[str] = frozenset()


@dataclass(eq=False)
class _Connection:
    """A connection; `since` is the time at which its present phase began."""

    socket: socket.socket
    source: str
    since: float
    transport: asyncio.Transport | None = None
    phase: tuple[object, ...] = ("handshake",)
    opening: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def is_open(self) -> bool:
        """Whether the connection has a file descriptor."""
        return self.socket.fileno() != -1

    def abort(self) -> None:
        """End the connection at once."""
        if self.transport is not None:
            self.transport.abort()
        else:
            # The handshake fails, and its transport closes the socket.
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_RDWR)


class Connections:
    """The connections of one listening socket; `protocol` makes the protocol of a new one."""

    def __init__(
        self,
        listener: socket.socket,
        protocol: Callable[[], asyncio.Protocol],
        tls: ssl.SSLContext | None,
        limits: ConnectionLimits,
    ) -> None:
        self.refused = 0
        """Connections that were closed at once, because there were too many."""
        self._listener = listener
        self._protocol = protocol
        self._tls = tls
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._open: list[_Connection] = []
        self._permits: dict[str, tuple[float, float]] = {}
        """How many connections each source may still open, at which time."""
        self._timer: asyncio.TimerHandle | None = None
        self._is_accepting = False

    def start(self) -> None:
        """Accept connections from now on."""
        self._is_accepting = True
        self._loop.add_reader(self._listener.fileno(), self._accept)

    async def stop(self) -> None:
        """Accept no more; connections that are accepted already have their protocol then."""
        self._is_accepting = False
        self._loop.remove_reader(self._listener.fileno())
        if self._timer is not None:
            self._timer.cancel()
        if self._tls is not None:
            for each in self._open:
                if each.transport is None:
                    each.abort()
        opening = [each.opening for each in self._open if each.opening is not None]
        await asyncio.gather(*opening, return_exceptions=True)

    def _accept(self) -> None:
        for _ in range(AT_ONCE):
            try:
                accepted, address = self._listener.accept()
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                if error.errno in _NO_DESCRIPTORS:
                    # The connection stays in the system's queue, and the reader would be called
                    # without end: wait until descriptors are free.
                    self._loop.remove_reader(self._listener.fileno())
                    self._loop.call_later(SWEEP, self._accept_again)
                    return
                continue
            accepted.setblocking(False)
            self._take(accepted, source_of(str(address[0])), str(address[0]))

    def _accept_again(self) -> None:
        if self._is_accepting:
            self._loop.add_reader(self._listener.fileno(), self._accept)

    def _take(self, accepted: socket.socket, source: str, address: str) -> None:
        """Open a connection, or close it if there are too many that cannot be ended."""
        if not (self._may_open(source, address) and self._make_room(source, address)):
            self.refused += 1
            accepted.close()
            return
        connection = _Connection(accepted, source, self._loop.time())
        self._open.append(connection)
        connection.opening = self._loop.create_task(self._connect(connection))
        if self._timer is None:
            self._timer = self._loop.call_later(SWEEP, self._sweep)

    async def _connect(self, connection: _Connection) -> None:
        """Give a connection its protocol, after the handshake of TLS."""
        try:
            transport, _ = await self._loop.connect_accepted_socket(
                self._protocol,
                connection.socket,
                ssl=self._tls,
                ssl_handshake_timeout=WAIT if self._tls is not None else None,
            )
            connection.transport = transport
        except OSError:
            return  # The client has ended the handshake, or its time is over.
        finally:
            connection.opening = None

    def _may_open(self, source: str, address: str) -> bool:
        """Whether a source has not opened too many connections lately; takes a permit."""
        if source == THIS_COMPUTER or address in self._limits.proxies:
            return True  # A program on this computer must not keep the touchscreen from pausing.
        now = self._loop.time()
        if len(self._permits) > SOURCES:
            self._permits = {
                key: (left, at)
                for key, (left, at) in self._permits.items()
                if left + (now - at) * PER_SECOND < BURST
            }
        left, at = self._permits.get(source, (BURST, now))
        left = min(BURST, left + (now - at) * PER_SECOND)
        self._permits[source] = (max(0.0, left - 1.0), now)
        return left >= 1.0

    def _make_room(self, source: str, address: str) -> bool:
        """Whether one more connection of a source may be opened.

        If there are too many, the one that has waited longest without a request is ended.
        """
        self._open = [each for each in self._open if each.is_open]
        limits = self._limits
        if source != THIS_COMPUTER and address not in limits.proxies:
            own = [each for each in self._open if each.source == source]
            if len(own) >= limits.per_address:
                return self._end_one(own)
        total = limits.total
        if source != THIS_COMPUTER:
            total -= limits.for_this_computer
            others = [each for each in self._open if each.source != THIS_COMPUTER]
            if len(others) >= total:
                return self._end_one(others)
        return len(self._open) < limits.total or self._end_one(self._open)

    def _end_one(self, candidates: list[_Connection]) -> bool:
        """End the connection that has waited longest without a request; False without any."""
        self._look(candidates)
        waiting = [each for each in candidates if each.phase[0] in ("handshake", "head")]
        if not waiting:
            return False
        oldest = min(waiting, key=lambda each: each.since)
        oldest.abort()
        self._open.remove(oldest)
        return True

    def _sweep(self) -> None:
        """End the connections whose time is over."""
        self._open = [each for each in self._open if each.is_open]
        self._look(self._open)
        now = self._loop.time()
        for each in self._open:
            limit = _LIMITS.get(str(each.phase[0]))
            if limit is not None and now - each.since > limit:
                each.abort()
        self._timer = self._loop.call_later(SWEEP, self._sweep) if self._open else None

    def _look(self, connections: list[_Connection]) -> None:
        """Record the connections whose phase has changed since the last look."""
        now = self._loop.time()
        for each in connections:
            phase = _phase(each.transport)
            if phase != each.phase:
                each.phase, each.since = phase, now


_LIMITS = {"handshake": WAIT, "head": WAIT, "body": WAIT, "stalled": STALLED, "closing": WAIT}
"""Seconds in each phase; an answer that is computed and a stream have no limit here."""


def _phase(transport: Any) -> tuple[object, ...]:
    """What a connection waits for; a phase that makes progress is another phase."""
    if transport is None:
        return ("handshake",)
    if transport.is_closing():
        return ("closing",)
    protocol = transport.get_protocol()
    if not isinstance(protocol, H11Protocol):
        return ("stream",) if getattr(protocol, "handshake_complete", True) else ("head", None)
    cycle: RequestResponseCycle | None = protocol.cycle
    if cycle is None or cycle.response_complete:
        return ("head", cycle)
    if protocol.flow.write_paused:
        return ("stalled", cycle, transport.get_write_buffer_size())
    return ("body" if cycle.more_body else "answer", cycle)


def connection_limits(proxies: frozenset[str] = frozenset()) -> ConnectionLimits:
    """The limits that leave file descriptors to the table; asks the system for more descriptors."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    total = CONNECTIONS
    if soft != resource.RLIM_INFINITY:
        # Those that wait to be accepted have descriptors only when they are accepted.
        total = max(AT_ONCE, min(CONNECTIONS, soft - RESERVED - AT_ONCE))
    local = min(FOR_THIS_COMPUTER, total // 4)
    return ConnectionLimits(total, PER_ADDRESS, local, proxies)


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
