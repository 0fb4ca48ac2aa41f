"""A small server that speaks the stream of the API, in a thread of its own."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from types import TracebackType
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from controller.floor.demo.preparation import free_port
from controller.service.status.feed import merge_patch, patched

T = TypeVar("T")
TOKEN = "wwt_monitor"  # noqa: S105 - made up
HEARTBEAT = 0.3


class FakeStream:
    """Serves one status. `requests` has the query of every connection that was accepted.

    `losses` is a list for the tests: why the reader lost each connection.
    """

    def __init__(self, status: dict[str, Any]) -> None:
        self.status = status
        self.sequence = 7
        self.run = "run1"
        self.requests: list[dict[str, list[str]]] = []
        self.losses: list[str] = []
        self.is_silent = False
        self.port = free_port()  # no connection gets it while this server is stopped
        self._at = 100.0
        self._clients: set[ServerConnection] = set()
        self._loop = asyncio.new_event_loop()
        self._server: Server | None = None
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> FakeStream:
        self._thread.start()
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)
        self._loop.close()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        """Listen, each time at the same port."""
        self._run(self._start)

    def stop(self) -> None:
        """End all connections and listen no longer."""
        self._run(self._stop)

    def drop(self) -> None:
        """End all connections; new ones are accepted."""
        self._run(self._drop)

    def publish(self, **changes: Any) -> None:
        """Change the status and send the change to every client."""

        async def send() -> None:
            patch = merge_patch(self.status, {**self.status, **changes})
            self.status = patched(self.status, patch)
            self.sequence += 1
            await self._send({"type": "delta", "sequence": self.sequence, "patch": patch})

        self._run(send)

    def send(self, message: dict[str, Any]) -> None:
        """Send any message to every client."""
        self._run(lambda: self._send(message))

    # Helpers

    def _run(self, work: Callable[[], Any]) -> None:
        async def call() -> None:
            await work()

        asyncio.run_coroutine_threadsafe(call(), self._loop).result(60)

    async def _start(self) -> None:
        self._server = await serve(
            self._serve,
            "127.0.0.1",
            self.port,
            process_request=self._check,
            ping_interval=None,
            close_timeout=0.5,
        )

    async def _stop(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            self._server = None

    async def _drop(self) -> None:
        for client in tuple(self._clients):
            await client.close(1012)

    def _check(self, socket: ServerConnection, request: Request) -> Response | None:
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return socket.respond(HTTPStatus.UNAUTHORIZED, "log in\n")
        if urlsplit(request.path).path != "/api/v1/stream":
            return socket.respond(HTTPStatus.NOT_FOUND, "no\n")
        return None

    async def _serve(self, socket: ServerConnection) -> None:
        assert socket.request is not None
        asked = parse_qs(urlsplit(socket.request.path).query)
        self.requests.append(asked)
        self._clients.add(socket)
        resumes = asked.get("run") == [self.run] and asked.get("since") == [str(self.sequence)]
        if not resumes:
            first = {"type": "snapshot", "run": self.run, "sequence": self.sequence}
            await socket.send(json.dumps({**first, "at": self._now(), "status": self.status}))
        beating = asyncio.ensure_future(self._beat(socket))
        try:
            await socket.wait_closed()
        finally:
            beating.cancel()
            self._clients.discard(socket)

    async def _beat(self, socket: ServerConnection) -> None:
        while True:
            if not self.is_silent:
                message = {"type": "heartbeat", "sequence": self.sequence, "at": self._now()}
                with suppress(ConnectionClosed):
                    await socket.send(json.dumps(message))
            await asyncio.sleep(HEARTBEAT)

    async def _send(self, message: dict[str, Any]) -> None:
        for client in tuple(self._clients):
            with suppress(ConnectionClosed):
                await client.send(json.dumps({"at": self._now(), **message}))

    def _now(self) -> float:
        self._at += 0.05
        return round(self._at, 3)
