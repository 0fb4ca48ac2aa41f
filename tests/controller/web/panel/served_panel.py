"""The panel over the real API, with a service whose status a test sets, on a port."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.utils import ClientDisconnected

from config.loader import load_table
from controller.service.port import Actor, CommandReply, CommandRequest, SessionSummary
from controller.service.status import GameChoice, Status, TableFacts
from controller.service.status.feed import StatusFeed
from controller.service.user_roles import UserRole
from controller.web.api.accounts.accounts import Accounts, open_accounts, utc_seconds
from controller.web.api.app import create_app
from controller.web.api.server.serving import ApiServer, _config
from controller.web.api.stream import StreamHub
from controller.web.api.worker_thread import WorkerThread
from controller.web.metrics.table_metrics import TableMetrics
from controller.web.panel.pages import panel_app
from tests.controller.web.api.fake_service import FakeService
from tests.controller.web.api.served import CHEAP, PASSWORD
from tests.waiting import Shows, wait_until

FACTS = TableFacts(name="Table 7", seats=4, simulated=True, software="0.2.0")
PEOPLE = tuple(role for role in UserRole if role not in (UserRole.TABLE, UserRole.METRICS))


@dataclass
class EveningService(FakeService):
    """A service that gives commands no effect; a test publishes the status that would follow."""

    saved: dict[str, GameChoice] = field(default_factory=dict)
    refusals: dict[str, CommandReply] = field(default_factory=dict)
    """Replies to commands that are refused, by the command's name."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.began = 0.0
        self._feed = StatusFeed(Status(table=FACTS), self._now)

    def forget(self) -> None:
        """Show an idle table again, and forget what was recorded and what a test has set."""
        self._feed.publish(Status(table=FACTS))
        kept_values = (self.given, self.saved, self.refusals, self.past, self.hands, self.journal)
        for kept in (*kept_values, self.records, self.questions):
            kept.clear()

    def _now(self) -> float:
        return asyncio.get_running_loop().time() - self.began

    async def submit(self, request: CommandRequest, actor: Actor) -> CommandReply:
        self.given.append((request, actor))
        if request.name in self.refusals:
            return self.refusals[request.name].model_copy(update={"id": request.id})
        return CommandReply(id=request.id, state="done", sentence="Done.")

    async def presets(self) -> dict[str, GameChoice]:
        return self.saved


class Interruptions:
    """An ASGI application between the clients and the API that interrupts the streams."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.silent = False
        """Whether the streams stay open but carry no message."""
        self.refusing = False
        """Whether new streams are closed at once."""
        self.losing = False
        """Whether the next change of the status is lost on its way."""
        self.sent = 0
        """Messages that were sent to the clients."""
        self.queries: list[str] = []
        """The query of every stream that was admitted."""
        self._open: list[Send] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        if self.refusing:
            await receive()
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.close", "code": 1013})
            return
        self.queries.append(scope["query_string"].decode())
        self._open.append(send)

        async def pass_on(message: Message) -> None:
            if message["type"] == "websocket.send":
                if self.losing and '"delta"' in (message.get("text") or ""):
                    self.losing = False
                    return
                if self.silent:
                    return
                self.sent += 1
            await send(message)

        try:
            await self.app(scope, receive, pass_on)
        finally:
            self._open.remove(send)

    async def drop(self) -> None:
        """Close every stream, as a table does that is restarted."""
        for send in tuple(self._open):
            with suppress(ClientDisconnected):
                await send({"type": "websocket.close", "code": 1012})


class RunningPanel:
    """The panel and the API while they are served; the methods are called from the test."""

    def __init__(self, service: EveningService, loop: asyncio.AbstractEventLoop) -> None:
        self.service = service
        self.loop = loop
        self.streams: Interruptions
        self.accounts: Accounts
        self.address = ""
        self.pages = 0

    def do(self, work: Callable[[], Any]) -> Any:
        """Run `work` on the table's loop and return its result."""

        async def run() -> Any:
            result = work()
            return await result if asyncio.iscoroutine(result) else result

        return asyncio.run_coroutine_threadsafe(run(), self.loop).result(60)

    def until(self, holds: Callable[[], bool], shows: Shows = "") -> None:
        """Wait until the condition holds on the table's loop; raises AssertionError if not."""
        wait_until(lambda: self.do(holds), shows or holds.__qualname__)

    def change(self, **values: Any) -> None:
        """Publish a status with changed values."""
        feed = self.service.feed
        self.do(lambda: feed.publish(feed.status.model_copy(update=values)))

    def cookie(self, role: UserRole) -> str:
        """The cookie of the user with this role, whose name is the role's."""
        return str(self.do(lambda: self.accounts.login(role.value, PASSWORD, "10.0.0.1"))[0])

    def commands(self, count: int = 1) -> list[tuple[str, dict[str, object]]]:
        """Names and arguments of the commands that were given.

        A page that has sent a command may show its next view before the command has arrived: waits
        for `count` commands, at most two minutes.
        """
        self.until(lambda: len(self.service.given) >= count)
        return [(request.name, dict(request.arguments)) for request, _ in self.service.given]

    def reset(self) -> None:
        """An idle table without sessions, and streams that work."""
        self.streams.silent = self.streams.refusing = False
        self.do(self.streams.drop)
        self.do(self.service.forget)

    def sessions(self, past: Sequence[SessionSummary]) -> None:
        """The sessions that were played."""
        self.service.past[:] = past


@contextmanager
def running_panel(roles: Iterable[UserRole] = PEOPLE) -> Iterator[RunningPanel]:
    """Serve the panel with one user for each of these roles, until the block ends."""
    ready = threading.Event()
    found: list[RunningPanel] = []
    ends: list[Callable[[], None]] = []

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        service = EveningService(prompts=())
        service.began = loop.time()
        running = RunningPanel(service, loop)
        judge = WorkerThread("judge")
        with TemporaryDirectory() as folder:
            running.accounts = await open_accounts(Path(folder), utc_seconds, CHEAP)
            for role in roles:
                await running.accounts.add_user(role.value, role, PASSWORD)
            hub = StreamHub(service, running.accounts)
            hub.start()
            running.streams = Interruptions(
                create_app(
                    service,
                    running.accounts,
                    hub,
                    judge=judge,
                    metrics=TableMetrics(service),
                    table=load_table("robotic"),
                    panel=panel_app(),
                )
            )
            server = ApiServer(_config(running.streams, None))
            server.config.port = 0
            serving = loop.create_task(server.serve())
            while not server.started:  # noqa: ASYNC110 - uvicorn offers no event
                await asyncio.sleep(0.01)
            port = server.servers[0].sockets[0].getsockname()[1]
            running.address = f"http://127.0.0.1:{port}/"
            found.append(running)
            ends.append(lambda: loop.call_soon_threadsafe(server.ending.set))
            ready.set()
            await serving
            await hub.close()
            judge.close()
            await running.accounts.close()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(60)
        yield found[0]
    finally:
        for end in ends:
            end()
        thread.join(60)
