"""aiomqtt's client, opened and closed so that nothing of a connection is left.

aiomqtt waits by `asyncio.wait_for`. In Python 3.11 that returns a result in place of a cancellation
that comes in the same instant: the cancelled task continues. So every call of aiomqtt that waits
has a task of its own here, and `asyncio.wait` waits for the task.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import aiomqtt
import paho.mqtt.client as paho

from controller.run.run_together import end_task

CLOSING = 2.0
"""Seconds in which the broker has to answer a disconnection."""
T = TypeVar("T")


class MqttClient(aiomqtt.Client):
    """aiomqtt's client with `send`; and the event loop never begins to watch a closed socket.

    aiomqtt asks the loop in one round to watch the socket in the next. If the connection is lost
    between them, the loop fails, or watches the next connection that has got the same descriptor.
    """

    def send(self, topic: str, payload: bytes) -> paho.MQTTMessageInfo:
        """Publish with QoS 0 without waiting until the message is written. Raises MqttError.

        aiomqtt's `publish` makes a task and a timer for each message to wait for that.
        """
        info = self._client.publish(topic, payload, 0)
        if info.rc != paho.MQTT_ERR_SUCCESS:
            raise aiomqtt.MqttCodeError(info.rc, "Could not publish message")
        return info

    def _on_socket_register_write(self, client: paho.Client, userdata: Any, sock: Any) -> None:
        loop = self._loop

        def begin() -> None:
            if sock.fileno() != -1:
                loop.add_writer(sock.fileno(), write)

        def write() -> None:
            try:
                client.loop_write()
            except Exception as error:  # noqa: BLE001 - each is the end of the connection
                if not self._disconnected.done():
                    self._disconnected.set_exception(error)

        loop.call_soon_threadsafe(begin)


async def open_client(client: aiomqtt.Client) -> None:
    """Connect. Raises what aiomqtt raises; the socket is closed then, and after a cancellation.

    aiomqtt leaves it open if the answer does not come in time. A late answer would then make a
    second connection, which paho keeps alive by pings.
    """
    opening = task_of(client.__aenter__())
    is_open = False
    try:
        try:
            await asyncio.wait((opening,))
        except asyncio.CancelledError:
            # paho connects in a thread, which cannot be cancelled.
            await asyncio.wait((opening,), timeout=CLOSING)
            raise
        opening.result()
        is_open = True
    finally:
        if not is_open:
            await _abandon(client, opening)


async def close_client(client: aiomqtt.Client) -> None:
    """Disconnect, or close the socket if that takes too long."""
    leaving = task_of(client.__aexit__(None, None, None))
    try:
        await asyncio.wait((leaving,), timeout=CLOSING)
    finally:
        await _abandon(client, leaving)


async def _abandon(client: aiomqtt.Client, work: asyncio.Task[Any]) -> None:
    """End the work, then close the socket, if it is open, without a message to the broker."""
    try:
        # Meanwhile the loop begins to watch the socket, if aiomqtt has asked for that. Later it
        # would watch a closed one, or another connection's that has got the same descriptor.
        await end_task(work)
    finally:
        client._client._sock_close()  # noqa: SLF001 - neither library has a public way
        ended = client._disconnected  # noqa: SLF001
        if ended.done() and not ended.cancelled():
            ended.exception()  # retrieved, or else asyncio prints a traceback


def task_of(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """A task whose failure asyncio does not print if it is not retrieved."""
    task = asyncio.create_task(work)
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    return task
