"""The WebSocket of one client: sends what the hub queues, and reads the client's few messages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping

from starlette.websockets import WebSocket, WebSocketDisconnect

from controller.web.api.accounts.identity import Identity
from controller.web.api.request_guard import CLIENT, IDENTITY, client_id
from controller.web.api.stream.hub import BAD_MESSAGE, StreamClient, StreamHub

DROP = "wallwright.drop"
"""The server's extension that ends a WebSocket without waiting for its client."""
Drop = Callable[[int, str], None]

_HIGHEST = 2**53
"""Numbers above this are not exact in JavaScript."""


class StreamSocket:
    """The endpoint `stream`: WS /stream?since=N&run=ID&events=1&client=NAME."""

    def __init__(self, hub: StreamHub) -> None:
        self._hub = hub

    async def stream(self, socket: WebSocket) -> None:
        """Serve one client until either side ends the connection."""
        identity: Identity = socket.scope["state"][IDENTITY]
        asked = socket.query_params
        client = socket.scope["state"][CLIENT]
        if "client" in asked:
            client = client_id(identity, asked["client"])
        await socket.accept()
        watcher = StreamClient(client, identity.credential, events=asked.get("events") == "1")
        self._hub.add(watcher, identity, asked.get("run", ""), _number(asked, "since"))
        loop = asyncio.get_running_loop()
        tasks = [
            loop.create_task(self._send(socket, watcher)),
            loop.create_task(self._receive(socket, watcher)),
        ]
        ended: list[asyncio.Future[object]] = [*tasks, watcher.ended]  # type: ignore[list-item]
        try:
            await asyncio.wait(ended, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._hub.remove(watcher)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if watcher.ended.done():
            await _drop(socket, *watcher.ended.result())

    async def _send(self, socket: WebSocket, watcher: StreamClient) -> None:
        try:
            while True:
                await socket.send_text(await watcher.next())
        except (WebSocketDisconnect, RuntimeError):
            return

    async def _receive(self, socket: WebSocket, watcher: StreamClient) -> None:
        try:
            while True:
                message = await socket.receive()
                if message["type"] != "websocket.receive":
                    return
                ping = _ping(message.get("text"))
                if ping is None:
                    watcher.end(BAD_MESSAGE, 'A client sends {"type": "ping", "id": N} only.')
                    return
                self._hub.pong(watcher, ping)
        except (WebSocketDisconnect, RuntimeError):
            return


async def _drop(socket: WebSocket, code: int, reason: str) -> None:
    """End the connection; the server's extension does not wait for a client that reads nothing."""
    drop: Drop | None = socket.scope.get("extensions", {}).get(DROP)
    if drop is not None:
        drop(code, reason)
    else:
        await socket.close(code, reason)


def _ping(text: str | None) -> int | None:
    """The number of a ping; None for any other message."""
    if text is None or len(text) > 100:
        return None
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    match message:
        case {"type": "ping", "id": int(number)} if len(message) == 2 and type(number) is int:
            return number if 0 <= number <= _HIGHEST else None
    return None


def _number(asked: Mapping[str, str], name: str) -> int | None:
    text = asked.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 15 else None
