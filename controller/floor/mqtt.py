"""One connection to a broker: publish, subscribe, and read messages until the connection is lost.

`open_connection` connects with Eclipse's paho; `controller.floor.broker` has the interface.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from controller.floor.broker import Broker, BrokerError, ConnectionLostError, Message, Will
from controller.floor.messages import LARGEST_PAYLOAD

ANSWER = 10.0
"""Seconds in which the broker has to answer: a connection, a message or a subscription (our
choice)."""
CLOSING = 2.0
"""Seconds in which the broker has to take the message that ends a connection."""
UPKEEP = 1.0
"""Seconds between two looks at the time of the last message, after which paho sends a ping."""
MOST_WAITING = 2000
"""Received messages that wait to be read; more are dropped, and their senders repeat them."""
MOST_OUTGOING = 1000
"""Messages with QoS 1 that wait for the connection."""
MOST_UNWRITTEN = 20_000
"""Messages with QoS 0 that are not written yet: the answers to as many tables, about 6 MB."""
_LOGGER = logging.getLogger("wallwright.floor")


class MqttConnection:
    """A connection by paho, which the event loop reads and writes.

    A publish that the broker has accepted is never sent again.
    """

    def __init__(
        self,
        client: paho.Client,
        broker: Broker,
        received: ReceivedMessages,
        receive: Callable[[Message], None],
    ) -> None:
        self._client, self._broker = client, broker
        self._received, self._receive = received, receive
        self._loop = asyncio.get_running_loop()
        self._reason = ""
        """Why the connection was lost; empty while it is not."""
        self._accepted = self._loop.create_future()
        self._closed = asyncio.Event()
        self._answers: dict[int, asyncio.Future[Any]] = {}
        """What waits for the broker's answer, by the number of its packet."""
        self._unwritten: deque[paho.MQTTMessageInfo] = deque()
        """Messages of `publish_once`, from the oldest one that is not written yet."""
        self._upkeep: asyncio.TimerHandle | None = None
        self._failure: BaseException | None = None
        """What `receive` raised; it ends the connection, and `messages` raises it."""
        self._logged = ""
        """The last error that paho has logged, such as the alert by which TLS ended."""
        self._once = set[int]()
        """The numbers of the messages with QoS 0 that paho has not reported yet."""

    async def begin(self) -> None:
        """Watch the socket and wait until the broker accepts. Raises ConnectionLostError."""
        sock = self._client.socket()
        if sock is None:
            raise self._loss("it closed the connection")
        self._client.on_connect = self._on_connect
        self._client.on_subscribe = self._on_subscribe
        self._client.on_publish = self._on_publish
        self._client.on_message = self._on_message
        self._client.on_disconnect = self._on_disconnect
        self._client.on_log = self._on_log
        self._client.on_socket_close = self._on_socket_close
        self._client.on_socket_register_write = self._on_socket_register_write
        self._client.on_socket_unregister_write = self._on_socket_unregister_write
        self._loop.add_reader(sock.fileno(), self._read)
        if self._client.want_write():
            self._loop.add_writer(sock.fileno(), self._write)
        self._look_after()
        await self._answer(self._accepted)

    async def end(self) -> None:
        """Disconnect, or close the socket if the broker does not take that message in time."""
        try:
            if self._client.socket() is not None:
                self._step(self._client.disconnect)
                async with asyncio.timeout(CLOSING):
                    await self._closed.wait()
        except TimeoutError:
            pass
        finally:
            self.abandon("it is closed")

    def abandon(self, reason: str) -> None:
        """Close the socket without a message, and end all waits for the broker."""
        self._reason = self._reason or reason
        if self._upkeep is not None:
            self._upkeep.cancel()
        _close_socket(self._client)
        self._closed.set()
        for answer in (self._accepted, *self._answers.values()):
            if not answer.done():
                answer.set_exception(self._loss(self._reason))
                answer.exception()  # retrieved, or else asyncio prints it if nothing waits for it
        self._received.changed.set()

    async def publish(
        self, topic: str, payload: bytes, *, retain: bool = False, expiry: int | None = None
    ) -> None:
        properties = None
        if expiry is not None:
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call] # it has no types
            properties.MessageExpiryInterval = expiry
        code = await self._answer_to(
            partial(self._publish, topic, payload, 1, retain=retain, properties=properties)
        )
        if code.is_failure:
            raise self._loss(f"it refused a message of {topic}: {code}")

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
            info = self._client.publish(topic, payload, 0)
        except ValueError as error:
            raise self._loss(error) from error
        if info.rc != paho.MQTT_ERR_SUCCESS:
            raise self._loss(paho.error_string(info.rc))
        self._once.add(info.mid)
        self._unwritten.append(info)

    async def subscribe(self, topic: str) -> None:
        options = SubscribeOptions(qos=1)
        codes = await self._answer_to(partial(self._client.subscribe, topic, options=options))
        if any(code.is_failure for code in codes):
            raise ConnectionLostError(
                f"The broker {self._broker} refused the subscription to {topic}; permit it in the"
                " broker's access list."
            )

    async def messages(self) -> AsyncGenerator[Message, None]:
        while True:
            while (message := self._received.next()) is not None:
                yield message
            if self._failure is not None:
                raise self._failure
            if self._reason:
                raise self._loss(self._reason)
            await self._received.changed.wait()

    def _publish(self, *arguments: Any, **options: Any) -> tuple[int, int]:
        info = self._client.publish(*arguments, **options)
        return info.rc, info.mid

    async def _answer_to(self, send: Callable[[], tuple[int, int | None]]) -> Any:
        """Send a packet, and return the broker's answer to it. Raises ConnectionLostError."""
        if self._reason:
            raise self._loss(self._reason)
        try:
            code, number = send()
        except ValueError as error:
            raise self._loss(error) from error
        if code != paho.MQTT_ERR_SUCCESS or number is None:
            raise self._loss(paho.error_string(code))
        answer = self._answers[number] = self._loop.create_future()
        try:
            return await self._answer(answer)
        finally:
            del self._answers[number]

    async def _answer(self, answer: asyncio.Future[Any]) -> Any:
        try:
            async with asyncio.timeout(ANSWER):
                return await answer
        except TimeoutError as error:
            raise self._loss(f"no answer in {ANSWER:g} s") from error

    # What the event loop does

    def _read(self) -> None:
        self._step(self._client.loop_read)
        sock = self._client.socket()
        # The selector does not see what TLS has already decrypted.
        if isinstance(sock, ssl.SSLSocket) and sock.pending():
            self._loop.call_soon(self._read)

    def _write(self) -> None:
        self._step(self._client.loop_write)

    def _look_after(self) -> None:
        self._step(self._client.loop_misc)
        if not self._reason:
            self._upkeep = self._loop.call_later(UPKEEP, self._look_after)

    def _step(self, step: Callable[[], Any]) -> None:
        if self._reason:
            return
        try:
            step()
        except Exception as error:  # noqa: BLE001 - each is the end of the connection
            self.abandon(str(error) or type(error).__name__)

    # What paho calls, inside `_step`

    def _on_connect(
        self, _client: paho.Client, _data: Any, _flags: Any, code: ReasonCode, _properties: Any
    ) -> None:
        if code.is_failure:
            self.abandon(f"it refused the connection: {code}")
        elif not self._accepted.done():
            self._accepted.set_result(None)

    def _on_subscribe(
        self, _client: paho.Client, _data: Any, number: int, codes: Any, _properties: Any
    ) -> None:
        self._give(number, codes)

    def _on_publish(
        self, _client: paho.Client, _data: Any, number: int, code: ReasonCode, _properties: Any
    ) -> None:
        # After 65,535 packets a number is used again. paho reports each message once: the report of
        # one with QoS 0 does not count as the answer to another one with the same number.
        if number in self._once:
            self._once.discard(number)
        else:
            self._give(number, code)

    def _give(self, number: int, answer: Any) -> None:
        waiting = self._answers.get(number)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def _on_message(self, _client: paho.Client, _data: Any, message: paho.MQTTMessage) -> None:
        try:
            self._receive(Message(message.topic, bytes(message.payload), bool(message.retain)))
        except Exception as error:  # noqa: BLE001 - `messages` raises it
            self._failure = error
            self.abandon("a message could not be processed")

    def _on_disconnect(
        self,
        _client: paho.Client,
        _data: Any,
        flags: paho.DisconnectFlags,
        code: ReasonCode,
        _properties: Any,
    ) -> None:
        if flags.is_disconnect_packet_from_server:
            self.abandon(f"it ended the connection: {code}")
        elif code.is_failure and code.getName() != "Unspecified error":
            self.abandon(str(code))
        else:
            self.abandon(self._logged or "it closed the connection")

    def _on_log(self, _client: paho.Client, _data: Any, level: int, text: str) -> None:
        if level == paho.MQTT_LOG_ERR:
            self._logged = text

    def _on_socket_close(self, _client: paho.Client, _data: Any, sock: Any) -> None:
        self._closed.set()
        if sock.fileno() != -1:
            self._loop.remove_reader(sock.fileno())
            self._loop.remove_writer(sock.fileno())

    def _on_socket_register_write(self, _client: paho.Client, _data: Any, sock: Any) -> None:
        self._loop.add_writer(sock.fileno(), self._write)

    def _on_socket_unregister_write(self, _client: paho.Client, _data: Any, sock: Any) -> None:
        if sock.fileno() != -1:
            self._loop.remove_writer(sock.fileno())

    def _loss(self, reason: Exception | str) -> ConnectionLostError:
        return ConnectionLostError(
            f"The connection to the broker {self._broker} is lost ({reason})."
        )


class ReceivedMessages:
    """The messages that wait to be read. `changed` is set by each message."""

    def __init__(self) -> None:
        self.changed = asyncio.Event()
        self._waiting: deque[Message] = deque()
        self._is_full = False

    def add(self, message: Message) -> None:
        """Add a message, or drop it if too many wait."""
        if len(self._waiting) == MOST_WAITING:
            if not self._is_full:
                _LOGGER.warning(
                    "%d messages wait to be read; later ones are dropped.", MOST_WAITING
                )
            self._is_full = True
            return
        self._is_full = False
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

    The broker keeps no session of the client: messages that were lost with a connection are sent
    again from the table's log.
    """
    client = _client(broker, identifier, will)
    received = ReceivedMessages()
    try:
        await _connect(client, broker)
        connection = MqttConnection(client, broker, received, receive or received.add)
        try:
            await connection.begin()
        except BaseException:
            connection.abandon("it is closed")
            raise
    except (ConnectionLostError, OSError, ValueError) as error:
        raise BrokerError(
            f"The broker {broker} cannot be reached ({error}); check its address, that it runs, and"
            " the certificates."
        ) from error
    try:
        yield connection
    finally:
        await connection.end()


def _client(broker: Broker, identifier: str, will: Will | None) -> paho.Client:
    """A client of paho. Raises BrokerError for a certificate that cannot be used."""
    client = paho.Client(
        CallbackAPIVersion.VERSION2,
        identifier,
        protocol=paho.MQTTv5,
        reconnect_on_failure=False,
    )
    client.connect_timeout = ANSWER
    client.max_inflight_messages = 500
    client.max_queued_messages = MOST_OUTGOING
    if will is not None:
        client.will_set(will.topic, will.payload, 1, retain=True)
    if broker.tls is not None:
        client.tls_set_context(broker.tls.context())
    return client


async def _connect(client: paho.Client, broker: Broker) -> None:
    """Connect the socket, in a thread because paho waits there. Raises OSError or ValueError."""
    properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call] # it has no types
    properties.MaximumPacketSize = LARGEST_PAYLOAD + 1024
    properties.ReceiveMaximum = 500
    connect = partial(
        client.connect,
        broker.host,
        broker.port,
        broker.keepalive,
        clean_start=True,
        properties=properties,
    )
    given_up = False

    def begin(_client: paho.Client, _data: Any, _sock: Any) -> None:
        if given_up:  # The broker would end a newer connection with the same identifier.
            raise ConnectionError("The connection was given up.")

    client.on_socket_open = begin
    connecting = asyncio.get_running_loop().run_in_executor(None, connect)
    try:
        await asyncio.wait((connecting,))
    except asyncio.CancelledError:
        # A thread cannot be cancelled: the socket is closed when the thread has it.
        given_up = True
        connecting.add_done_callback(partial(_close_late, client))
        raise
    try:
        connecting.result()
    finally:
        del connecting  # Its error would keep this frame, and the frame the open socket.


def _close_late(client: paho.Client, connecting: asyncio.Future[Any]) -> None:
    connecting.exception()  # retrieved, or else asyncio prints it
    _close_socket(client)


def _close_socket(client: paho.Client) -> None:
    """Close a client's socket, if it has one, without a message to the broker."""
    sock = client.socket()
    if sock is not None and sock.fileno() != -1:
        loop = asyncio.get_running_loop()
        loop.remove_reader(sock.fileno())
        loop.remove_writer(sock.fileno())
        sock.close()
