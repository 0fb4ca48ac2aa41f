"""A connection that the broker does not accept in time leaves nothing behind."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, NoReturn

import aiomqtt
import pytest

from controller.floor.mqtt.broker import Broker, BrokerError
from controller.floor.mqtt.connection import open_connection

SOON = 60.0


class SilentBroker:
    """Takes connections and never answers. `is_left` is set when a client has closed its own."""

    def __init__(self) -> None:
        self.has_asked, self.is_left = asyncio.Event(), asyncio.Event()
        self.port = 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Listen until the block ends."""
        server = await asyncio.start_server(self._served, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            yield

    async def _served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)  # of the message CONNECT
        self.has_asked.set()
        with suppress(ConnectionError):
            while await reader.read(1000):
                pass
        self.is_left.set()
        writer.close()


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_a_client_that_gives_up_closes_its_connection(
    monkeypatch: pytest.MonkeyPatch, is_cancelled: bool
) -> None:
    complaints: list[dict[str, Any]] = []

    async def connect(port: int) -> None:
        async with open_connection(Broker("127.0.0.1", port, keepalive=600), "table"):
            raise AssertionError("The broker has accepted nothing.")

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context))
        broker = SilentBroker()
        async with broker.running(), asyncio.timeout(SOON):
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
        async with asyncio.timeout(SOON):
            # One of them would send pings.
            while len(asyncio.all_tasks()) > 1:  # noqa: ASYNC110 - sets no event
                await asyncio.sleep(0.01)
        gc.collect()

    monkeypatch.setattr("controller.floor.mqtt.connection.ANSWER", SOON if is_cancelled else 0.3)
    asyncio.run(main())
    assert complaints == []


def test_the_reason_of_a_connection_that_is_lost_during_its_begin_is_printed_by_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    complaints: list[dict[str, Any]] = []

    async def lost(client: aiomqtt.Client) -> NoReturn:
        client._disconnected.set_exception(aiomqtt.MqttError("lost"))
        raise aiomqtt.MqttError("Operation timed out")

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, each: complaints.append(each))
        with pytest.raises(BrokerError, match="cannot be reached"):
            async with open_connection(Broker("127.0.0.1", 1), "table"):
                pass
        gc.collect()

    monkeypatch.setattr(aiomqtt.Client, "__aenter__", lost)
    asyncio.run(main())
    assert complaints == []
