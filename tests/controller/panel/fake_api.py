"""A small API for tests of the panel: it has the paths of the real one, and a table of values.

The status, the commands and the roles are those of `controller.service`. The test sets the status
and reads the commands that the page has given.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from config.loader import load_game, load_table
from controller.panel.geometry import geometry
from controller.panel.pages import panel_app
from controller.service.commands import BY_NAME, CommandReply, CommandRequest
from controller.service.status import GameChoice, Status, TableFacts
from controller.service.status_feed import Delta, StatusFeed

PASSWORD = "correct horse"  # noqa: S105 - of this fake only
USERS = {
    "mei": "player",
    "dan": "dealer",
    "ann": "attendant",
    "tom": "technician",
    "uma": "auditor",
}
TOKEN = "one-time-token"  # noqa: S105 - of this fake only

Answerer = Callable[[CommandRequest], CommandReply | None]


class FakeApi:
    """The table behind the API of the tests; all its methods run on the server's event loop."""

    def __init__(self) -> None:
        table = TableFacts(name="Table 7", seats=4, simulated=True, software="0.2.0")
        self.feed = StatusFeed(Status(table=table), lambda: self.loop.time() - self.began)
        self.given: list[CommandRequest] = []
        self.role: str | None = None
        self.name = ""
        self.games: list[dict[str, Any]] = []
        self.presets: dict[str, GameChoice] = {}
        self.pages: dict[str, Any] = {}
        """Replies to further paths, by `METHOD path`."""
        self.posted: list[tuple[str, Any]] = []
        self.answerer: Answerer = lambda request: None
        self.silent = False
        self.refuse_streams = False
        self.sockets: set[WebSocket] = set()
        self.opened: list[str] = []
        """The query of every stream that was opened."""
        self.loop: asyncio.AbstractEventLoop
        self.began = 0.0

    def app(self) -> Starlette:
        """The API with the panel at its root."""
        routes = [
            Route("/api/v1/health", self._health),
            Route("/api/v1/me", self._me),
            Route("/api/v1/login", self._login, methods=["POST"]),
            Route("/api/v1/logout", self._logout, methods=["POST"]),
            Route("/api/v1/first-start", self._first_start, methods=["POST"]),
            Route("/api/v1/pair", self._pair, methods=["POST"]),
            Route("/api/v1/games", lambda request: JSONResponse({"games": self.games})),
            Route("/api/v1/presets", self._presets),
            Route("/api/v1/geometry", self._geometry),
            Route("/api/v1/commands", self._command, methods=["POST"]),
            WebSocketRoute("/api/v1/stream", self._stream),
            Route("/api/v1/{path:path}", self._other, methods=["GET", "POST", "PATCH", "DELETE"]),
            Mount("/", panel_app()),
        ]
        return Starlette(routes=routes)

    async def _health(self, request: Request) -> Response:
        return JSONResponse({"status": "ok", "users": True})

    async def _me(self, request: Request) -> Response:
        if self.role is None:
            return problem(401, "Nobody is logged in.", "Log in with a name and a password.")
        return JSONResponse(
            {"name": self.name, "role": self.role, "client": "page-1", "csrf": "csrf-1"}
        )

    async def _login(self, request: Request) -> Response:
        given = await request.json()
        if given["password"] != PASSWORD or given["name"] not in USERS:
            return problem(401, "The name or the password is wrong.", "Type both again.")
        self.name, self.role = given["name"], USERS[given["name"]]
        return await self._me(request)

    async def _first_start(self, request: Request) -> Response:
        given = await request.json()
        if given["token"] != TOKEN:
            return problem(403, "The link was used already.", "Log in.")
        self.name, self.role = given["name"], "technician"
        return await self._me(request)

    async def _pair(self, request: Request) -> Response:
        given = await request.json()
        if given["code"] != "1234-5678":
            return problem(403, "This code is not valid.", "Ask a technician for a new code.")
        self.name, self.role = given["name"], "table"
        return await self._me(request)

    async def _logout(self, request: Request) -> Response:
        self.role = None
        return Response(status_code=204)

    async def _presets(self, request: Request) -> Response:
        return JSONResponse(
            {"presets": {name: each.model_dump(mode="json") for name, each in self.presets.items()}}
        )

    async def _geometry(self, request: Request) -> Response:
        now = self.feed.status.programme.now
        shown = geometry(load_table("robotic"), load_game(now.game) if now else None, now)
        return JSONResponse(shown.model_dump(mode="json"))

    async def _command(self, request: Request) -> Response:
        if request.headers.get("x-csrf-token") != "csrf-1":
            return problem(403, "The CSRF token is missing.", "Load the page again.")
        given = CommandRequest.model_validate(await request.json())
        BY_NAME[given.name].arguments.model_validate(given.arguments)
        self.given.append(given)
        reply = self.answerer(given) or CommandReply(id=given.id, state="done")
        status = 409 if reply.state == "refused" else 200
        return JSONResponse(reply.model_dump(mode="json"), status)

    async def _other(self, request: Request) -> Response:
        path = request.path_params["path"]
        if request.method != "GET":
            body = await request.body()
            self.posted.append((f"{request.method} {path}", json.loads(body) if body else None))
        found = self.pages.get(f"{request.method} {path}")
        if found is None:
            return problem(404, f"There is no {path}.", "Compare the request with openapi.json.")
        return JSONResponse(found(request) if callable(found) else found)

    async def _stream(self, socket: WebSocket) -> None:
        if self.role is None:
            await socket.close(4401)
            return
        await socket.accept()
        if self.refuse_streams:
            await socket.close(1013)
            return
        self.opened.append(str(socket.url.query))
        self.sockets.add(socket)
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        since = socket.query_params.get("since")
        missed = self.feed.since(int(since)) if since is not None else None
        for message in [self._snapshot()] if missed is None else map(delta_message, missed):
            queue.put_nowait(message)
        queue.put_nowait(self._heartbeat())
        end = self.feed.follow(lambda delta: queue.put_nowait(delta_message(delta)))
        try:
            while True:
                try:
                    message = await asyncio.wait_for(queue.get(), 1.0)
                except TimeoutError:
                    message = self._heartbeat()
                if not self.silent:
                    await socket.send_json(message)
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            end()
            self.sockets.discard(socket)

    def _snapshot(self) -> dict[str, Any]:
        now = self.feed.snapshot()
        return {"type": "snapshot", "sequence": now.sequence, "at": now.at, "status": now.status}

    def _heartbeat(self) -> dict[str, Any]:
        at = self.feed.snapshot().at
        return {"type": "heartbeat", "sequence": self.feed.sequence, "at": at}

    async def drop_streams(self) -> None:
        """Close every stream, as a restarted table does."""
        for socket in tuple(self.sockets):
            await socket.close(1012)

    def change(self, **values: Any) -> None:
        """Publish a status with changed values."""
        self.feed.publish(self.feed.status.model_copy(update=values))


def delta_message(delta: Delta) -> dict[str, Any]:
    """A delta as the stream sends it."""
    return {"type": "delta", "sequence": delta.sequence, "at": delta.at, "patch": delta.patch}


def problem(status: int, detail: str, next_step: str) -> Response:
    """A problem document."""
    body = {"status": status, "detail": detail, "next_step": next_step, "code": "test"}
    return JSONResponse(body, status, media_type="application/problem+json")


class RunningApi:
    """The API on a port of this computer, on an event loop in a thread of its own."""

    def __init__(self, api: FakeApi, loop: asyncio.AbstractEventLoop, port: int) -> None:
        self.api = api
        self.loop = loop
        self.address = f"http://127.0.0.1:{port}/"

    def do(self, work: Callable[[], Any]) -> Any:
        """Run `work` on the server's loop and return its result."""

        async def run() -> Any:
            result = work()
            return await result if asyncio.iscoroutine(result) else result

        return asyncio.run_coroutine_threadsafe(run(), self.loop).result(10)

    def change(self, **values: Any) -> None:
        """Publish a status with changed values."""
        self.do(lambda: self.api.change(**values))

    def sign_in(self, role: str) -> None:
        """Sign somebody with this role in, without the page for that."""
        self.api.role, self.api.name = role, role.title()


@contextmanager
def running_api() -> Iterator[RunningApi]:
    """Serve a new `FakeApi` while the block runs."""
    api = FakeApi()
    config = uvicorn.Config(
        api.app(), port=0, log_level="warning", ws="websockets-sansio", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    ready = threading.Event()

    async def serve() -> None:
        api.loop = asyncio.get_running_loop()
        api.began = api.loop.time()
        task = asyncio.create_task(server.serve())
        while not server.started:  # noqa: ASYNC110 - uvicorn offers no event
            await asyncio.sleep(0.01)
        ready.set()
        await task

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(10)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield RunningApi(api, api.loop, port)
    finally:
        server.should_exit = True
        thread.join(10)
