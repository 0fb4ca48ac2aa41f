"""The real service at a simulated table with its API and its panel, on a port, for browsers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from playwright.sync_api import Browser, BrowserContext, Page

from config.loader import load_table
from controller.events import Event
from controller.service.evening.evening_store import EveningStore
from controller.service.evening.store_thread import ImmediateStore
from controller.service.port import Actor, CommandReply, CommandRequest
from controller.service.runs.openers import SimulatedTable
from controller.service.settings import ServiceSettings
from controller.service.status import Status, TableFacts
from controller.service.table_service import ClientPort, TableService
from controller.service.user_roles import UserRole
from controller.web.api.accounts.accounts import open_accounts, utc_seconds
from controller.web.api.server.serving import serve_api
from controller.web.panel.pages import panel_app
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.faults.injected_fault import parse
from firmware_bridge.sim.host_computer import SlowDisk
from firmware_bridge.sim.plant.machine import Plant
from tests.controller.web.api.served import CHEAP, PASSWORD
from tests.controller.web.panel.browser import PATIENCE
from tests.waiting import wait_until

PEOPLE = tuple(role for role in UserRole if role not in (UserRole.TABLE, UserRole.METRICS))
"""The roles that have a user; the user's name is the role's."""


class ObservedTable(SimulatedTable):
    """Opens simulated tables, and keeps the plant of the last one for the test."""

    plant: Plant

    def __call__(self, *given: Any) -> Any:
        """Open a table for a run."""
        return self._keep(super().__call__(*given))

    def open_for_service(self, *given: Any) -> Any:
        """Open a table for service mode."""
        hardware, helper = super().open_for_service(*given)
        return self._keep(hardware), helper

    def _keep(self, hardware: Any) -> Any:
        self.plant = hardware.plant
        return hardware


class ObservedPort(ClientPort):
    """Records the name and the time of every command that is not refused, by the table's clock."""

    def __init__(self, service: TableService) -> None:
        super().__init__(service)
        self.commands: list[tuple[float, str]] = []

    async def submit(self, request: CommandRequest, actor: Actor) -> CommandReply:
        """Record and execute a command."""
        command = (asyncio.get_running_loop().time(), request.name)
        self.commands.append(command)
        reply = await super().submit(request, actor)
        if reply.state == "refused":  # such as a late renewal of a motion that has ended
            self.commands.remove(command)
        return reply


class RealTable:
    """A service with its panel while it is served; its methods are called from the test."""

    def __init__(
        self, service: TableService, opener: ObservedTable, loop: asyncio.AbstractEventLoop
    ) -> None:
        self.service = service
        self.port = ObservedPort(service)
        self.address = ""
        self.events: list[Event] = []
        """Every event since the start."""
        self._opener = opener
        self._loop = loop
        self._cookies: dict[UserRole, str] = {}
        self._given = 0
        service.listen(self.events.append)

    @property
    def plant(self) -> Plant:
        """The simulated mechanics of the present run, the truth of the table."""
        return self._opener.plant

    @property
    def status(self) -> Status:
        """The present status."""
        return self.service.feed.status

    def now(self) -> float:
        """Seconds of the table's clock."""
        return self._loop.time()

    def do(self, work: Callable[[], Any]) -> Any:
        """Run `work` on the table's loop and return its result."""

        async def run() -> Any:
            result = work()
            return await result if isinstance(result, Awaitable) else result

        return asyncio.run_coroutine_threadsafe(run(), self._loop).result(60)

    def give(self, name: str, **arguments: object) -> CommandReply:
        """Give a command as the technician; returns its reply."""
        self._given += 1
        request = CommandRequest(id=f"given-{self._given}", name=name, arguments=arguments)
        actor = Actor("technician", UserRole.TECHNICIAN, "test")
        reply: CommandReply = self.do(lambda: self.port.submit(request, actor))
        return reply

    def until(self, reached: Callable[[Any], object], limit: float = 120.0) -> None:
        """Wait until the status is so; raises AssertionError after `limit` real seconds."""
        wait_until(lambda: reached(self.status), lambda: self.status, limit=limit)

    def answer(self, kind: str, value: str) -> None:
        """Answer the first open prompt of a kind, if there is one."""
        for prompt in self.status.prompts:
            if prompt.kind == kind:
                self.give("answer", prompt=prompt.id, value=value)
                return

    def open(
        self, browser: Browser, role: UserRole, view: str = "", size: Any = (1280, 800), **how: Any
    ) -> Page:
        """A page of the user with this role, in a context of its own."""
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **how)
        context.set_default_timeout(PATIENCE)
        self.sign_in(context, role)
        page = context.new_page()
        page.goto(f"{self.address}#/{view}")
        return page

    def sign_in(self, context: BrowserContext, role: UserRole) -> None:
        """Give a browser the session cookie of the user with this role."""
        if role not in self._cookies:
            body = {"name": role.value, "password": PASSWORD}
            reply = httpx.post(f"{self.address}api/v1/login", json=body, timeout=60)
            self._cookies[role] = reply.raise_for_status().cookies["wallwright"]
        context.add_cookies(
            [{"name": "wallwright", "value": self._cookies[role], "url": self.address}]
        )


@contextmanager
def real_table(
    table: str = "robotic",
    pace: float = 1.0,
    *,
    automatic: bool = False,
    faults: tuple[str, ...] = (),
    seed: int = 0,
) -> Iterator[RealTable]:
    """Run the service of a simulated table in a thread, `pace` times as fast as real time."""
    ready = threading.Event()
    found: list[RealTable] = []
    wrong: list[BaseException] = []

    async def serve(folder: Path, stack: ExitStack) -> None:
        accounts = await open_accounts(folder, utc_seconds, CHEAP)
        for role in PEOPLE:
            await accounts.add_user(role.value, role, PASSWORD)
        await accounts.close()
        machine = load_table(table)
        opener = ObservedTable(machine, seed, tuple(map(parse, faults)))
        store = stack.enter_context(closing(EveningStore(folder / "evening.db")))
        service = TableService(
            machine,
            TableFacts(name=machine.name, seats=8, simulated=True, software="0.2.0"),
            opener,
            store,
            ImmediateStore(store),
            ServiceSettings(
                storage=SlowDisk,
                seed=seed,
                automatic=automatic,
            ),
        )
        running = RealTable(service, opener, asyncio.get_running_loop())
        serving = serve_api(
            running.port,
            folder,
            "127.0.0.1:0",
            panel=panel_app(),
            table=machine,
            pace=pace,
            passwords=CHEAP,
        )
        async with serving as served:
            running.address = served.url
            found.append(running)
            ready.set()
            await service.serve()
        service.close()

    def run() -> None:
        try:
            with (
                TemporaryDirectory() as folder,
                ExitStack() as stack,
                asyncio.Runner(loop_factory=partial(VirtualLoop, pace)) as runner,
            ):
                runner.run(serve(Path(folder), stack))
        except BaseException as error:  # noqa: BLE001 - raised again in the test's thread
            wrong.append(error)
        finally:
            ready.set()

    thread = threading.Thread(target=run)
    thread.start()
    ready.wait(60)
    try:
        if found:
            yield found[0]
    finally:
        if found and thread.is_alive():
            found[0].do(found[0].service.stop)
        thread.join(60)
        if wrong:
            raise wrong[0]
