"""A broker in memory and in virtual time; it drops and repeats messages, and loses connections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random

from controller.floor.broker import Broker, ConnectionLostError, Message, Will


@dataclass
class Published:
    """A message that the broker accepted, and when."""

    at: float
    topic: str
    payload: bytes
    retain: bool


@dataclass
class MemoryBroker:
    """Passes messages on. `loss` and `repetition` are probabilities for each receiver."""

    chance: Random = field(default_factory=lambda: Random(1))
    loss: float = 0.0
    repetition: float = 0.0
    published: list[Published] = field(default_factory=list)
    retained: dict[str, bytes] = field(default_factory=dict)
    connections: list[MemoryConnection] = field(default_factory=list)
    is_down: bool = False

    def lose_connections(self) -> None:
        """Lose every connection; the wills are published."""
        for connection in tuple(self.connections):
            connection.lose()

    @asynccontextmanager
    async def connect(
        self, broker: Broker, identifier: str, will: Will | None = None
    ) -> AsyncGenerator[MemoryConnection, None]:
        """Connect, as `open_connection` does."""
        if self.is_down:
            raise ConnectionLostError("The broker is down.")
        connection = MemoryConnection(self, will, identifier)
        self.connections.append(connection)
        try:
            yield connection
        finally:
            if connection in self.connections:
                self.connections.remove(connection)

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Pass a message to every subscriber."""
        now = asyncio.get_running_loop().time()
        self.published.append(Published(now, topic, payload, retain))
        if retain:
            self.retained[topic] = payload
        for connection in tuple(self.connections):
            if connection.is_subscribed(topic) and self.chance.random() >= self.loss:
                times = 2 if self.chance.random() < self.repetition else 1
                for _ in range(times):
                    connection.received.put_nowait(Message(topic, payload))


class MemoryConnection:
    """Implements `BrokerConnection`."""

    def __init__(self, broker: MemoryBroker, will: Will | None, name: str = "") -> None:
        self.received: asyncio.Queue[Message | None] = asyncio.Queue(10_000)
        self._broker, self._will, self.name = broker, will, name
        self._topics: list[str] = []
        self._is_lost = False

    def is_subscribed(self, topic: str) -> bool:
        """Whether a subscription matches the topic."""
        return any(_matches(pattern, topic) for pattern in self._topics)

    def lose(self) -> None:
        """Lose the connection."""
        self._is_lost = True
        self._broker.connections.remove(self)
        self.received.put_nowait(None)
        if self._will is not None:
            self._broker.publish(self._will.topic, self._will.payload, retain=True)

    async def publish(
        self, topic: str, payload: bytes, *, retain: bool = False, expiry: int | None = None
    ) -> None:
        await asyncio.sleep(0.01)
        if self._is_lost:
            raise ConnectionLostError("The connection is lost.")
        self._broker.publish(topic, payload, retain=retain)

    async def subscribe(self, topic: str) -> None:
        if self._is_lost:
            raise ConnectionLostError("The connection is lost.")
        self._topics.append(topic)
        for name, payload in self._broker.retained.items():
            if _matches(topic, name):
                self.received.put_nowait(Message(name, payload, is_retained=True))

    async def messages(self) -> AsyncGenerator[Message, None]:
        while (message := await self.received.get()) is not None:
            yield message
        raise ConnectionLostError("The connection is lost.")


def _matches(pattern: str, topic: str) -> bool:
    steps, parts = pattern.split("/"), topic.split("/")
    return len(steps) == len(parts) and all(
        step in {"+", part} for step, part in zip(steps, parts, strict=True)
    )
