"""One connection to a broker: publish, subscribe, and read messages until the connection is lost.

`BrokerConnection` is the interface; tests have a broker in memory behind it. `open_connection`
connects with aiomqtt.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import aiomqtt
from paho.mqtt.client import MQTTMessageInfo
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from controller.floor.messages.payloads import LARGEST_PAYLOAD
from controller.floor.mqtt.broker import Broker, BrokerError
from controller.floor.mqtt.client import (
    MqttClient,
    close_client,
    open_client,
    task_of,
)
from controller.run.run_together import end_task

ANSWER = 10.0
"""Seconds in which the broker has to acknowledge a message or a subscription (our choice)."""
MOST_WAITING = 2000
"""Received messages that wait to be read; more are dropped, and their senders repeat them."""
MOST_OUTGOING = 1000
"""Messages with QoS 1 that wait for the connection."""
MOST_UNWRITTEN = 20_000
"""Messages with QoS 0 that are not written yet: the answers to as many tables, about 6 MB."""
T = TypeVar("T")
_LOGGER = logging.getLogger("wallwright.floor.mqtt")
_LOGGER.addHandler(logging.NullHandler())
_LOGGER.propagate = False


class ConnectionLostError(BrokerError):
    """The connection is lost, or the broker refused something; connect again."""


@dataclass(frozen=True)
class Message:
    """A received message. `is_retained` is true for one that the broker had kept."""

    topic: str
    payload: bytes
    is_retained: bool = False


@dataclass(frozen=True)
class Will:
    """The message that the broker publishes, retained, when the connection is lost."""

    topic: str
    payload: bytes


class BrokerConnection(Protocol):
    """A connection. Every method raises ConnectionLostError when it is lost."""

    async def publish(
        self, topic: str, payload: bytes, *, retain: bool = False, expiry: int | None = None
    ) -> None:
        """Publish with QoS 1; returns after the broker has acknowledged the message.

        After `expiry` seconds the broker no longer passes the message on.
        """

    async def subscribe(self, topic: str) -> None:
        """Receive messages of these topics with QoS 1."""

    def messages(self) -> AsyncIterator[Message]:
        """The received messages; ends only by ConnectionLostError."""


class MqttConnection:
    """A connection by aiomqtt. A publish that the broker has accepted is never sent again.

    `watch` has to run as long as the connection is used.
    """

    def __init__(self, client: MqttClient, broker: Broker, received: ReceivedMessages) -> None:
        self._client, self._broker, self._received = client, broker, received
        self._reason = ""
        """Why the connection was lost; empty while it is not."""
        self._calls: set[asyncio.Task[Any]] = set()
        """Calls that wait for the broker's answer."""
        self._unwritten: deque[MQTTMessageInfo] = deque()
        """Messages of `publish_once`, from the oldest one that is not written yet."""

    async def publish(
        self, topic: str, payload: bytes, *, retain: bool = False, expiry: int | None = None
    ) -> None:
        properties = None
        if expiry is not None:
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call] # paho has no types
            properties.MessageExpiryInterval = expiry
        await self._unless_lost(
            self._client.publish(
                topic, payload, qos=1, retain=retain, properties=properties, timeout=ANSWER
            )
        )

    async def publish_once(self, topic: str, payload: bytes) -> None:
        """Publish with QoS 0: without an acknowledgement, so the message can be lost.

        Returns before the message is written. While `MOST_UNWRITTEN` messages are not written,
        because the broker takes none, another one is refused by ConnectionLostError.
        """
        if self._reason:
            raise self._loss(self._reason)
        while self._unwritten and self._unwritten[0].is_published():
            self._unwritten.popleft()
        if len(self._unwritten) == MOST_UNWRITTEN:
            raise self._loss(f"it takes no messages; {MOST_UNWRITTEN} wait")
        try:
            self._unwritten.append(self._client.send(topic, payload))
        except (aiomqtt.MqttError, ValueError) as error:
            raise self._loss(error) from error

    async def subscribe(self, topic: str) -> None:
        codes = await self._unless_lost(
            self._client.subscribe(topic, options=SubscribeOptions(qos=1), timeout=ANSWER)
        )
        if any(getattr(code, "is_failure", False) for code in codes):
            raise ConnectionLostError(
                f"The broker {self._broker} refused the subscription to {topic}; permit it in the"
                " broker's access list."
            )

    async def messages(self) -> AsyncGenerator[Message, None]:
        while True:
            while (message := self._received.next()) is not None:
                yield message
            if self._reason:
                raise self._loss(self._reason)
            await self._received.changed.wait()

    async def watch(self) -> None:
        """Wait for the loss of the connection, and end the calls that wait for an answer."""
        try:
            async for _ in self._client.messages:
                pass
        except aiomqtt.MqttError as error:
            self._reason = str(error.__cause__ or error)
            self._received.changed.set()
            for call in self._calls:
                call.cancel()

    async def _unless_lost(self, call: Coroutine[Any, Any, T]) -> T:
        """The result of a call of aiomqtt. Raises ConnectionLostError.

        aiomqtt itself waits until its limit for an answer that a lost connection will not bring.
        """
        if self._reason:
            call.close()
            raise self._loss(self._reason)
        answer = task_of(call)
        self._calls.add(answer)
        try:
            await asyncio.wait((answer,))
        finally:
            self._calls.discard(answer)
            await end_task(answer)
        if answer.cancelled():
            raise self._loss(self._reason)
        try:
            return answer.result()
        except (aiomqtt.MqttError, ValueError) as error:
            raise self._loss(error) from error

    def _loss(self, reason: Exception | str) -> ConnectionLostError:
        return ConnectionLostError(
            f"The connection to the broker {self._broker} is lost ({reason})."
        )


class ReceivedMessages:
    """The messages that wait to be read. `changed` is set by each message."""

    def __init__(self) -> None:
        self.changed = asyncio.Event()
        self._waiting: deque[Message] = deque()

    def add(self, message: Message) -> None:
        """Add a message, or drop it if too many wait."""
        if len(self._waiting) == MOST_WAITING:
            _LOGGER.warning("%d messages wait to be read; a message is dropped.", MOST_WAITING)
            return
        self._waiting.append(message)
        self.changed.set()

    def next(self) -> Message | None:
        """Remove and return the oldest message; None, and `changed` is cleared, if none waits."""
        if self._waiting:
            return self._waiting.popleft()
        self.changed.clear()
        return None


@asynccontextmanager
async def open_connection(
    broker: Broker,
    identifier: str,
    will: Will | None = None,
    receive: Callable[[Message], None] | None = None,
) -> AsyncGenerator[MqttConnection, None]:
    """Connect to a broker until the block ends. Raises BrokerError if that fails.

    `receive` is called with each message at once, and `messages` then only waits for the end of the
    connection. A receiver of thousands of messages a second needs that.

    The broker keeps no session of the client: what a lost connection swallowed is sent again by
    the protocol above, from the table's log.
    """
    tls = broker.tls.context() if broker.tls is not None else None
    connect = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call] # paho has no types
    connect.MaximumPacketSize = LARGEST_PAYLOAD + 1024
    connect.ReceiveMaximum = 500
    received = ReceivedMessages()
    client = MqttClient(
        broker.host,
        broker.port,
        identifier=identifier,
        protocol=aiomqtt.ProtocolVersion.V5,
        clean_start=True,
        will=None if will is None else aiomqtt.Will(will.topic, will.payload, 1, retain=True),
        timeout=ANSWER,
        keepalive=broker.keepalive,
        queue_type=_passing_queue(received.add if receive is None else receive),
        max_queued_outgoing_messages=MOST_OUTGOING,
        max_inflight_messages=500,
        properties=connect,
        tls_context=tls,
        logger=_LOGGER,
    )
    try:
        await open_client(client)
    except (aiomqtt.MqttError, OSError, ValueError) as error:
        raise BrokerError(
            f"The broker {broker} cannot be reached ({error}); check its address, that it runs, and"
            " the certificates."
        ) from error
    connection = MqttConnection(client, broker, received)
    watch = task_of(connection.watch())
    try:
        yield connection
    finally:
        try:
            await close_client(client)
        finally:
            await end_task(watch)


def _message_of(message: aiomqtt.Message) -> Message:
    return Message(message.topic.value, bytes(message.payload), bool(message.retain))


def _passing_queue(
    receive: Callable[[Message], None],
) -> type[asyncio.Queue[aiomqtt.Message]]:
    """A queue that stays empty, because it passes each message on.

    The tasks that aiomqtt makes to wait for a message take longer than the message.
    """

    class PassingQueue(asyncio.Queue[aiomqtt.Message]):
        def put_nowait(self, item: aiomqtt.Message) -> None:
            receive(_message_of(item))

    return PassingQueue
