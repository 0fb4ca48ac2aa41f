"""One connection to a broker: publish, subscribe, and read messages until the connection is lost.

`BrokerConnection` is the interface; tests have a broker in memory behind it. `open_connection`
connects with aiomqtt.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from controller.floor.messages.payloads import LARGEST_PAYLOAD
from controller.floor.mqtt.broker import Broker, BrokerError

ANSWER = 10.0
"""Seconds in which the broker has to acknowledge a message or a subscription (our choice)."""
CLOSING = 2.0
"""Seconds in which the broker has to answer a disconnection."""
MOST_WAITING = 2000
"""Received messages that wait to be read; more are dropped, and their senders repeat them."""
MOST_OUTGOING = 1000
"""Messages that wait for the connection."""
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
    """A connection by aiomqtt. A publish that the broker has accepted is never sent again."""

    def __init__(self, client: aiomqtt.Client, broker: Broker) -> None:
        self._client = client
        self._broker = broker

    async def publish(
        self, topic: str, payload: bytes, *, retain: bool = False, expiry: int | None = None
    ) -> None:
        properties = None
        if expiry is not None:
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call] # paho has no types
            properties.MessageExpiryInterval = expiry
        try:
            await self._client.publish(
                topic, payload, qos=1, retain=retain, properties=properties, timeout=ANSWER
            )
        except (aiomqtt.MqttError, ValueError) as error:
            raise _lost(self._broker, error) from error

    async def publish_once(self, topic: str, payload: bytes) -> None:
        """Publish with QoS 0: without an acknowledgement, so the message can be lost."""
        try:
            await self._client.publish(topic, payload, qos=0, timeout=ANSWER)
        except (aiomqtt.MqttError, ValueError) as error:
            raise _lost(self._broker, error) from error

    async def subscribe(self, topic: str) -> None:
        try:
            codes = await self._client.subscribe(
                topic, options=SubscribeOptions(qos=1), timeout=ANSWER
            )
        except (aiomqtt.MqttError, ValueError) as error:
            raise _lost(self._broker, error) from error
        if any(getattr(code, "is_failure", False) for code in codes):
            raise ConnectionLostError(
                f"The broker {self._broker} refused the subscription to {topic}; permit it in the"
                " broker's access list."
            )

    async def messages(self) -> AsyncGenerator[Message, None]:
        try:
            async for message in self._client.messages:
                yield _message_of(message)
        except aiomqtt.MqttError as error:
            raise _lost(self._broker, error) from error


@asynccontextmanager
async def open_connection(
    broker: Broker,
    identifier: str,
    will: Will | None = None,
    receive: Callable[[Message], None] | None = None,
) -> AsyncGenerator[MqttConnection, None]:
    """Connect to a broker until the block ends. Raises BrokerError if that fails.

    `receive` is called with each message at once, and `messages` then only waits for the end of the
    connection. A receiver of thousands of messages a second needs that: the tasks that aiomqtt
    makes to wait for a message take longer than the message.

    The broker keeps no session of the client: what a lost connection swallowed is sent again by
    the protocol above, from the table's log.
    """
    tls = broker.tls.context() if broker.tls is not None else None
    connect = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call] # paho has no types
    connect.MaximumPacketSize = LARGEST_PAYLOAD + 1024
    connect.ReceiveMaximum = 500
    client = aiomqtt.Client(
        broker.host,
        broker.port,
        identifier=identifier,
        protocol=aiomqtt.ProtocolVersion.V5,
        clean_start=True,
        will=None if will is None else aiomqtt.Will(will.topic, will.payload, 1, retain=True),
        timeout=ANSWER,
        keepalive=broker.keepalive,
        queue_type=None if receive is None else _passing_queue(receive),
        max_queued_incoming_messages=MOST_WAITING,
        max_queued_outgoing_messages=MOST_OUTGOING,
        max_inflight_messages=500,
        properties=connect,
        tls_context=tls,
        logger=_LOGGER,
    )
    try:
        await client.__aenter__()
    except (aiomqtt.MqttError, OSError, ValueError) as error:
        raise BrokerError(
            f"The broker {broker} cannot be reached ({error}); check its address, that it runs, and"
            " the certificates."
        ) from error
    try:
        yield MqttConnection(client, broker)
    finally:
        await _close(client)


def _message_of(message: aiomqtt.Message) -> Message:
    return Message(message.topic.value, bytes(message.payload), bool(message.retain))


def _passing_queue(
    receive: Callable[[Message], None],
) -> type[asyncio.Queue[aiomqtt.Message]]:
    """A queue that stays empty, because it passes each message on."""

    class PassingQueue(asyncio.Queue[aiomqtt.Message]):
        def put_nowait(self, item: aiomqtt.Message) -> None:
            receive(_message_of(item))

    return PassingQueue


async def _close(client: aiomqtt.Client) -> None:
    with suppress(aiomqtt.MqttError, TimeoutError, OSError):
        async with asyncio.timeout(CLOSING):
            await client.__aexit__(None, None, None)
    # Reading takes the reason of a lost connection from aiomqtt's future. Without that, asyncio
    # prints a traceback when the future is deleted.
    with suppress(aiomqtt.MqttError, TimeoutError):
        async with asyncio.timeout(0.05):
            async for _ in client.messages:
                pass


def _lost(broker: Broker, error: Exception) -> ConnectionLostError:
    return ConnectionLostError(f"The connection to the broker {broker} is lost ({error}).")
