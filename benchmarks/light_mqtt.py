"""A small MQTT 5 client on asyncio, so that one process can be a thousand tables.

It has the messages that a table needs: connect with a will, subscribe, publish with QoS 0 and 1.
aiomqtt needs a task and a timer for each client and several tasks for each message.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from controller.floor.broker import Broker, BrokerError, ConnectionLostError, Message, Will

ANSWER = 10.0
"""Seconds in which the broker has to answer."""
_CONNECT, _CONNACK, _PUBLISH, _PUBACK, _SUBSCRIBE, _SUBACK = 1, 2, 3, 4, 8, 9
_PING, _PONG, _DISCONNECT = b"\xc0\x00", 13, 14


def _length(number: int) -> bytes:
    data = bytearray()
    while True:
        number, digit = divmod(number, 128)
        data.append(digit | (0x80 if number else 0))
        if not number:
            return bytes(data)


def _text(data: bytes) -> bytes:
    return len(data).to_bytes(2, "big") + data


def _packet(first: int, body: bytes) -> bytes:
    return bytes([first]) + _length(len(body)) + body


class LightConnection(asyncio.Protocol):
    """A connection that calls `receive` with each message."""

    def __init__(
        self, identifier: str, will: Will | None, keepalive: int, receive: Callable[[Message], None]
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._identifier, self._will, self._keepalive = identifier, will, keepalive
        self._receive = receive
        self._transport: asyncio.Transport | None = None
        self._data = bytearray()
        self._next = 0
        self._waiting: dict[int, asyncio.Future[int]] = {}
        self.lost: asyncio.Future[None] = self._loop.create_future()
        self._heard = self._loop.time()
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        flags, tail = 0x02, b""
        if self._will is not None:
            flags |= 0x04 | 0x08 | 0x20
            tail = b"\x00" + _text(self._will.topic.encode()) + _text(self._will.payload)
        body = _text(b"MQTT") + bytes([5, flags]) + self._keepalive.to_bytes(2, "big") + b"\x00"
        transport.write(_packet(0x10, body + _text(self._identifier.encode()) + tail))
        self._waiting[0] = self._loop.create_future()
        self._timer = self._loop.call_later(self._keepalive / 2, self._ping)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if not self.lost.done():
            self.lost.set_result(None)
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(ConnectionLostError("The connection is lost."))
                future.exception()

    def data_received(self, data: bytes) -> None:
        self._heard = self._loop.time()
        self._data += data
        while (end := self._packet_end()) is not None:
            start, stop = end
            first, body = self._data[0], bytes(self._data[start:stop])
            del self._data[:stop]
            self._take(first, body)

    def _packet_end(self) -> tuple[int, int] | None:
        """Where the body of the first packet begins and ends, None if it is not complete."""
        length = shift = 0
        for place in range(1, min(5, len(self._data))):
            length |= (self._data[place] & 0x7F) << shift
            shift += 7
            if not self._data[place] & 0x80:
                stop = place + 1 + length
                return (place + 1, stop) if len(self._data) >= stop else None
        return None

    def _take(self, first: int, body: bytes) -> None:
        kind = first >> 4
        if kind == _PUBLISH:
            self._take_message(first, body)
        elif kind in (_PUBACK, _SUBACK):
            future = self._waiting.pop(int.from_bytes(body[:2], "big"), None)
            if future is not None and not future.done():
                code = body[-1] if kind == _SUBACK else (body[2] if len(body) > 2 else 0)
                future.set_result(code)
        elif kind == _CONNACK:
            future = self._waiting.pop(0, None)
            if future is not None and not future.done():
                future.set_result(body[1])
        elif kind == _DISCONNECT:
            self.close()

    def _take_message(self, first: int, body: bytes) -> None:
        size = int.from_bytes(body[:2], "big")
        topic, at = body[2 : 2 + size].decode(), 2 + size
        if first & 0x06:
            assert self._transport is not None
            self._transport.write(b"\x40\x02" + body[at : at + 2])
            at += 2
        # Only properties shorter than 128 bytes: the floor sends at most an expiry.
        at += 1 + body[at]
        self._receive(Message(topic, body[at:], is_retained=bool(first & 1)))

    def _ping(self) -> None:
        if self._loop.time() > self._heard + 1.5 * self._keepalive:
            self.close()
        elif self._transport is not None:
            self._transport.write(_PING)
            self._timer = self._loop.call_later(self._keepalive / 2, self._ping)

    def close(self) -> None:
        """Close without a farewell, so that the broker publishes the will."""
        if self._transport is not None:
            self._transport.abort()

    async def answer(self, number: int) -> int:
        """Wait for the broker's answer to a packet. Raises ConnectionLostError."""
        future = self._waiting[number]
        try:
            async with asyncio.timeout(ANSWER):
                return await future
        except TimeoutError as error:
            self.close()
            raise ConnectionLostError("The broker does not answer.") from error

    def _write(self, first: int, make: Callable[[bytes], bytes]) -> int:
        if self._transport is None or self._transport.is_closing():
            raise ConnectionLostError("The connection is lost.")
        self._next = self._next % 65_535 + 1
        self._waiting[self._next] = self._loop.create_future()
        self._transport.write(_packet(first, make(self._next.to_bytes(2, "big"))))
        return self._next

    async def publish(
        self, topic: str, payload: bytes, *, retain: bool = False, expiry: int | None = None
    ) -> None:
        name = _text(topic.encode())
        await self.answer(
            self._write(0x32 | retain, lambda number: name + number + b"\x00" + payload)
        )

    async def subscribe(self, topic: str) -> None:
        name = _text(topic.encode())
        code = await self.answer(
            self._write(0x82, lambda number: number + b"\x00" + name + b"\x01")
        )
        if code >= 0x80:
            raise ConnectionLostError(f"The broker refused the subscription to {topic}.")


class QueuedConnection(LightConnection):
    """Implements `BrokerConnection`: its messages are read one after another."""

    def __init__(self, identifier: str, will: Will | None, keepalive: int) -> None:
        self._queue: asyncio.Queue[Message | None] = asyncio.Queue(1000)
        super().__init__(identifier, will, keepalive, self._queue.put_nowait)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._queue.put_nowait(None)

    async def messages(self) -> AsyncGenerator[Message, None]:
        while (message := await self._queue.get()) is not None:
            yield message
        raise ConnectionLostError("The connection is lost.")


@asynccontextmanager
async def light_connection(
    broker: Broker, identifier: str, will: Will | None = None
) -> AsyncGenerator[QueuedConnection, None]:
    """Connect as `open_connection` does."""
    connection = QueuedConnection(identifier, will, broker.keepalive)
    await opened(connection, broker)
    try:
        yield connection
    finally:
        connection.close()


async def opened(connection: LightConnection, broker: Broker) -> None:
    """Open a connection. Raises BrokerError."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(ANSWER):
            await loop.create_connection(lambda: connection, broker.host, broker.port)
            if await connection.answer(0):
                raise BrokerError(f"The broker {broker} refused the connection.")
    except (OSError, TimeoutError) as error:
        raise BrokerError(f"The broker {broker} cannot be reached ({error}).") from error
