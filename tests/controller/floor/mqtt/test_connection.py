"""A connection to a broker: no cancellation is lost, no loss goes unnoticed, nothing stays open."""

from __future__ import annotations

import asyncio
import gc
import itertools
import socket
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import paho.mqtt.client as paho
import pytest

from controller.floor.broker import Broker, BrokerError, ConnectionLostError, Message
from controller.floor.mqtt import MqttConnection, open_connection
from tests.controller.floor.mosquitto_process import MosquittoProcess
from tests.waiting import until

SOON = 60.0
INSTANTS = range(6)
"""Rounds of the event loop between the broker's answer and a cancellation."""


class StubbornBroker:
    """Accepts connections, refuses them by a code or does not answer, and answers nothing else.

    `has_asked` is set when a client waits for an answer that will not come, `is_left` when it has
    closed its connection.
    """

    def __init__(self, *, accepts: bool = False, code: int = 0, reads: bool = True) -> None:
        self.has_asked, self.is_left = asyncio.Event(), asyncio.Event()
        self._over = asyncio.Event()
        self.port = 0
        self._accepts, self._code, self._reads = accepts, code, reads
        self._writers: list[asyncio.StreamWriter] = []

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Listen until the block ends."""
        server = await asyncio.start_server(self._served, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            yield
            self._over.set()

    def lose_connections(self) -> None:
        """Close every connection without a message."""
        for writer in self._writers:
            writer.close()

    async def _served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        with suppress(ConnectionError):
            await reader.read(1000)  # the message CONNECT
            if self._accepts:
                writer.write(bytes([0x20, 3, 0, self._code, 0]))  # CONNACK of MQTT 5
                await reader.read(1)
            self.has_asked.set()
            if not self._reads:
                await self._over.wait()
            while await reader.read(1000):
                pass
        self.is_left.set()
        writer.close()


@pytest.fixture
def complaints(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return the errors that event loops of the test report, such as an unretrieved failure."""
    found: list[dict[str, Any]] = []

    def note(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        found.append(context)

    monkeypatch.setattr(asyncio.BaseEventLoop, "call_exception_handler", note)
    return found


def _run(scenario: Callable[[], Any]) -> None:
    """Run a scenario with a limit; afterwards no task of a connection may be left, even late."""

    async def limited() -> None:
        async with asyncio.timeout(SOON):
            await scenario()
            while len(asyncio.all_tasks()) > 1:  # noqa: ASYNC110 - sets no event
                await asyncio.sleep(0.01)
        gc.collect()

    asyncio.run(limited())


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_a_client_that_gives_up_closes_its_connection(
    monkeypatch: pytest.MonkeyPatch, complaints: list[dict[str, Any]], is_cancelled: bool
) -> None:
    async def connect(port: int) -> None:
        async with open_connection(Broker("127.0.0.1", port, keepalive=600), "table"):
            raise AssertionError("The broker has accepted nothing.")

    async def scenario() -> None:
        broker = StubbornBroker()
        async with broker.running():
            connecting = asyncio.create_task(connect(broker.port))
            await broker.has_asked.wait()
            if is_cancelled:
                connecting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await connecting
            else:
                with pytest.raises(BrokerError, match="cannot be reached"):
                    await connecting
            await broker.is_left.wait()
        del connecting

    if not is_cancelled:
        monkeypatch.setattr("controller.floor.mqtt.ANSWER", 0.3)
    _run(scenario)
    assert complaints == []


def test_a_broker_that_refuses_the_connection_is_quoted(complaints: list[dict[str, Any]]) -> None:
    async def scenario() -> None:
        broker = StubbornBroker(accepts=True, code=0x87)
        async with broker.running():
            with pytest.raises(BrokerError, match="refused the connection: Not authorized"):
                async with open_connection(Broker("127.0.0.1", broker.port), "table"):
                    raise AssertionError("The broker has accepted nothing.")
            await broker.is_left.wait()

    _run(scenario)
    assert complaints == []


def test_a_connection_ends_in_time_although_the_broker_reads_nothing(
    monkeypatch: pytest.MonkeyPatch, complaints: list[dict[str, Any]]
) -> None:
    async def scenario() -> None:
        broker = StubbornBroker(accepts=True, reads=False)
        async with broker.running():
            async with open_connection(Broker("127.0.0.1", broker.port), "table") as connection:
                for _ in range(200):  # more than the system's buffers hold
                    await connection.publish_once("t", bytes(100_000))
                await broker.has_asked.wait()
            with pytest.raises(ConnectionLostError):
                await connection.publish("t", b"later")

    monkeypatch.setattr("controller.floor.mqtt.CLOSING", 0.3)
    _run(scenario)
    assert complaints == []


def test_a_broker_that_falls_silent_is_lost(complaints: list[dict[str, Any]]) -> None:
    """No message, and no answer to a ping: the network is gone, though no socket says so."""

    async def scenario() -> None:
        broker = StubbornBroker(accepts=True)
        async with broker.running():
            silent = Broker("127.0.0.1", broker.port, keepalive=1)
            async with open_connection(silent, "table") as connection:
                with pytest.raises(ConnectionLostError, match="Keep alive timeout"):
                    await anext(connection.messages())

    _run(scenario)
    assert complaints == []


def test_a_connection_that_was_given_up_does_not_end_a_newer_one(
    monkeypatch: pytest.MonkeyPatch, mosquitto: MosquittoProcess
) -> None:
    """A broker ends the older connection with the same identifier, and a table has always one."""
    connect, attempts = socket.create_connection, list[threading.Event]()

    def held(*arguments: Any, **options: Any) -> socket.socket:
        attempts.append(threading.Event())
        if len(attempts) == 1:
            assert attempts[0].wait(SOON)
        return connect(*arguments, **options)

    async def scenario() -> None:
        broker = Broker("127.0.0.1", mosquitto.port)

        async def give_up() -> None:
            async with open_connection(broker, "table"):
                raise AssertionError("The first attempt is held.")

        first = asyncio.create_task(give_up())
        await until(lambda: bool(attempts))
        first.cancel()
        await asyncio.wait((first,))
        async with open_connection(broker, "table") as newer:
            attempts[0].set()
            await newer.subscribe("t")
            for number in range(20):  # the held thread connects meanwhile
                await newer.publish("t", b"%d" % number)
                await asyncio.sleep(0.01)
            read = newer.messages()
            assert [(await anext(read)).payload for _ in range(20)][-1] == b"19"

    monkeypatch.setattr(socket, "create_connection", held)
    _run(scenario)


def test_a_defect_in_the_receiver_is_raised_and_not_called_a_lost_connection(
    mosquitto: MosquittoProcess,
) -> None:
    def receive(message: Message) -> None:
        raise KeyError(message.topic)

    async def scenario() -> None:
        broker = Broker("127.0.0.1", mosquitto.port)
        async with open_connection(broker, "table", receive=receive) as connection:
            await connection.subscribe("t")
            await connection.publish_once("t", b"x")
            with pytest.raises(KeyError, match="t"):
                await anext(connection.messages())

    _run(scenario)


def test_a_number_that_is_used_again_acknowledges_no_other_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Packets have 65,535 numbers; the broker has not acknowledged the first message."""
    numbers = itertools.cycle((7,))

    async def scenario() -> None:
        broker = StubbornBroker(accepts=True)
        async with (
            broker.running(),
            open_connection(Broker("127.0.0.1", broker.port), "table") as connection,
        ):
            waiting = asyncio.create_task(connection.publish("t", b"x"))
            await broker.has_asked.wait()
            await connection.publish_once("t", b"y")
            await asyncio.sleep(0.05)
            assert not waiting.done()
            broker.lose_connections()
            with pytest.raises(ConnectionLostError):
                await waiting

    monkeypatch.setattr(paho.Client, "_mid_generate", lambda _: next(numbers))
    _run(scenario)


@pytest.mark.parametrize("name", ["publish", "subscribe"])
def test_a_wait_for_the_broker_ends_when_the_connection_is_lost(
    monkeypatch: pytest.MonkeyPatch, complaints: list[dict[str, Any]], name: str
) -> None:
    calls: dict[str, Callable[[MqttConnection], Any]] = {
        "publish": lambda connection: connection.publish("t", b"x"),
        "subscribe": lambda connection: connection.subscribe("t"),
    }

    async def scenario() -> None:
        broker = StubbornBroker(accepts=True)
        async with (
            broker.running(),
            open_connection(Broker("127.0.0.1", broker.port), "table") as connection,
        ):
            waiting = asyncio.create_task(calls[name](connection))
            await broker.has_asked.wait()
            broker.lose_connections()
            with pytest.raises(ConnectionLostError, match=r"is lost \(it closed the connection"):
                await waiting
            with pytest.raises(ConnectionLostError):
                await connection.publish("t", b"later")
            with pytest.raises(ConnectionLostError, match=r"is lost \(it closed the connection"):
                await anext(connection.messages())

    monkeypatch.setattr("controller.floor.mqtt.ANSWER", 10 * SOON)
    _run(scenario)
    assert complaints == []


def test_a_message_in_the_instant_of_the_loss_watches_no_closed_socket(
    complaints: list[dict[str, Any]],
) -> None:
    """Its descriptor could be another connection's by then."""

    async def publish(connection: MqttConnection) -> None:
        with suppress(ConnectionLostError):
            await connection.publish_once("t", b"x")

    async def scenario() -> None:
        broker = StubbornBroker(accepts=True)
        async with (
            broker.running(),
            open_connection(Broker("127.0.0.1", broker.port), "table") as connection,
            asyncio.TaskGroup() as publishing,
        ):
            losing = asyncio.create_task(_lost(connection))
            publishing.create_task(publish(connection))
            await broker.has_asked.wait()
            broker.lose_connections()
            while not losing.done():  # one message in each round of the event loop
                publishing.create_task(publish(connection))
                await asyncio.sleep(0)

    for _ in range(20):
        _run(scenario)
    assert complaints == []


async def _lost(connection: MqttConnection) -> None:
    with suppress(ConnectionLostError):
        await anext(connection.messages())


async def _is_cancelled_by(
    arrange: Callable[[Callable[[], None]], None],
    use: Callable[[], Coroutine[Any, Any, None]],
    rounds: int,
) -> None:
    """Use a connection, then wait without a limit; a cancellation has to end both.

    `arrange` gets a function that cancels after so many rounds of the event loop.
    """
    loop = asyncio.get_running_loop()

    async def for_ever() -> None:
        await use()
        await loop.create_future()

    def cancel(left: int = rounds) -> None:
        if left:
            loop.call_soon(cancel, left - 1)
        else:
            task.cancel()

    arrange(cancel)
    task = asyncio.create_task(for_ever())
    await asyncio.wait((task,), timeout=SOON / 2)
    assert task.cancelled(), "The cancellation is lost."


@pytest.mark.parametrize("rounds", INSTANTS)
@pytest.mark.parametrize("answer", ["_on_connect", "_on_publish", "_on_subscribe"])
def test_no_cancellation_is_lost_in_the_instant_of_an_answer(
    monkeypatch: pytest.MonkeyPatch,
    complaints: list[dict[str, Any]],
    mosquitto: MosquittoProcess,
    answer: str,
    rounds: int,
) -> None:
    """`asyncio.wait_for` of Python 3.11 loses it; the floor's service did not end then."""
    original = getattr(MqttConnection, answer)

    def arrange(cancel: Callable[[], None]) -> None:
        def answered(connection: MqttConnection, *arguments: Any) -> None:
            original(connection, *arguments)
            cancel()

        monkeypatch.setattr(MqttConnection, answer, answered)

    async def use() -> None:
        async with open_connection(Broker("127.0.0.1", mosquitto.port), "table") as connection:
            await connection.subscribe("t")
            await connection.publish("t", b"x")
            await asyncio.get_running_loop().create_future()

    _run(lambda: _is_cancelled_by(arrange, use, rounds))
    assert complaints == []


@pytest.mark.parametrize("rounds", INSTANTS)
def test_no_cancellation_is_lost_in_the_instant_in_which_a_connection_is_closed(
    monkeypatch: pytest.MonkeyPatch,
    complaints: list[dict[str, Any]],
    mosquitto: MosquittoProcess,
    rounds: int,
) -> None:
    original = MqttConnection.end

    def arrange(cancel: Callable[[], None]) -> None:
        async def ended(connection: MqttConnection) -> None:
            cancel()
            await original(connection)

        monkeypatch.setattr(MqttConnection, "end", ended)

    async def use() -> None:
        async with open_connection(Broker("127.0.0.1", mosquitto.port), "table"):
            pass

    _run(lambda: _is_cancelled_by(arrange, use, rounds))
    assert complaints == []


@asynccontextmanager
async def _sender_and_reader(
    mosquitto: MosquittoProcess,
) -> AsyncIterator[tuple[MqttConnection, MqttConnection]]:
    """Two connections, of which the second one receives the messages of the topic `t`."""
    broker = Broker("127.0.0.1", mosquitto.port)
    async with open_connection(broker, "a") as sender, open_connection(broker, "b") as reader:
        await reader.subscribe("t")
        yield sender, reader


def test_messages_that_the_broker_does_not_take_are_refused_at_the_bound(
    monkeypatch: pytest.MonkeyPatch, mosquitto: MosquittoProcess
) -> None:
    async def scenario() -> None:
        async with _sender_and_reader(mosquitto) as (sender, reader):
            for number in range(3):  # the event loop writes none of them meanwhile
                await sender.publish_once("t", b"%d" % number)
            with pytest.raises(ConnectionLostError, match="takes no messages; 3 wait"):
                await sender.publish_once("t", b"refused")
            read = reader.messages()
            assert [(await anext(read)).payload for _ in range(3)] == [b"0", b"1", b"2"]
            await sender.publish_once("t", b"later")
            assert (await anext(read)).payload == b"later"

    monkeypatch.setattr("controller.floor.mqtt.MOST_UNWRITTEN", 3)
    _run(scenario)


def test_messages_that_nobody_reads_are_dropped_at_the_bound(
    monkeypatch: pytest.MonkeyPatch, mosquitto: MosquittoProcess, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        async with _sender_and_reader(mosquitto) as (sender, reader):
            for number in range(6):
                await sender.publish("t", b"%d" % number)
            await reader.subscribe("other")  # answered after the messages
            read = reader.messages()
            assert [(await anext(read)).payload for _ in range(4)] == [b"0", b"1", b"2", b"3"]
            await sender.publish("t", b"next")
            assert (await anext(read)).payload == b"next"

    monkeypatch.setattr("controller.floor.mqtt.MOST_WAITING", 4)
    _run(scenario)
    assert [record.name for record in caplog.records] == ["wallwright.floor"]  # once, and printed
