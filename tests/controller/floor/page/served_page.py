"""The floor's page on a port, with a room of twelve tables, for tests with a browser."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.floor.page.room_feed import RoomPlan, utc_now
from controller.service.user_roles import UserRole
from controller.web.api.accounts.accounts import Accounts
from controller.web.api.server.serving import ApiServer, _config
from tests.controller.floor.figures.stored_logs import NOON, Happened, happened
from tests.controller.floor.page.fake_floor import (
    HOSTILE,
    FakeFloor,
    a_state,
    birth,
    minutes_ago,
    served_floor,
)
from tests.controller.web.api.served import PASSWORD

PLAN = RoomPlan(tables={f"t{n:02}": ((n - 1) % 4, (n - 1) // 4) for n in range(1, 13)})


class Interruptions:
    """The application behind a network that a test can cut: `silent` drops what it sends."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.silent = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; while the network is cut it gets an error at once."""
        if self.silent:
            await Response(status_code=502)(scope, receive, send)
            return

        async def pass_on(message: Message) -> None:
            if not self.silent:
                await send(message)

        await self.app(scope, receive, pass_on)


class RunningFloor:
    """The floor while it is served; the methods are called from the test."""

    def __init__(self, floor: FakeFloor, accounts: Accounts) -> None:
        self.floor = floor
        self.accounts = accounts
        self.loop = asyncio.get_running_loop()
        self.network: Interruptions
        self.address = ""
        self.stop: Callable[[], None] = lambda: None

    def do(self, work: Callable[[], Any]) -> Any:
        """Run `work` on the floor's loop and return its result."""

        async def run() -> Any:
            result = work()
            return await result if asyncio.iscoroutine(result) else result

        return asyncio.run_coroutine_threadsafe(run(), self.loop).result(60)

    def cookie(self, role: UserRole) -> str:
        """The cookie of the user with this role, whose name is the role's."""
        return str(self.do(lambda: self.accounts.login(role.value, PASSWORD, "10.0.0.1"))[0])


@contextmanager
def running_floor(folder: Path) -> Iterator[RunningFloor]:
    """Serve a floor with twelve tables and one user for each role, until the block ends."""
    ready = threading.Event()
    found: list[RunningFloor] = []

    async def serve() -> None:
        async with served_floor(folder, PLAN, utc_now) as served:
            running = RunningFloor(served.floor, served.accounts)
            for role in (UserRole.PLAYER, *_STAFF):
                await served.accounts.add_user(role.value, role, PASSWORD)
            fill(served.floor)
            running.network = Interruptions(served.app)
            server = ApiServer(_config(running.network, None))
            server.config.port = 0
            serving = running.loop.create_task(server.serve())
            async with asyncio.timeout(60):
                while not server.started:  # noqa: ASYNC110 - uvicorn offers no event
                    await asyncio.sleep(0.01)
            port = server.servers[0].sockets[0].getsockname()[1]
            running.address = f"http://127.0.0.1:{port}/"
            running.stop = lambda: running.loop.call_soon_threadsafe(server.ending.set)
            found.append(running)
            ready.set()
            await serving

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    try:
        assert ready.wait(60)
        yield found[0]
    finally:
        for each in found:
            each.stop()
        thread.join(60)


_STAFF = (UserRole.DEALER, UserRole.ATTENDANT, UserRole.TECHNICIAN, UserRole.AUDITOR)


def fill(floor: FakeFloor) -> None:
    """Twelve tables: one with a fault, one with a jam, one that is not connected, and others."""
    now = utc_now()

    def ago(minutes: float) -> str:
        return minutes_ago(minutes, now)

    for number in range(1, 13):
        name, title = f"t{number:02}", f"Table {number}"
        floor.show(
            name,
            birth=birth(title, now),
            state=a_state(now),
            state_received=now - timedelta(seconds=4),
            changed_connection=now - timedelta(hours=5),
            stored_at=now - timedelta(seconds=30),
            stored=100 * number,
        )
        floor.store(name, _evening(now - timedelta(hours=3), number), title)
    fault = {
        "code": "LIFT",
        "part": "lift 2",
        "evidence": "the lift has not reached its upper switch in 4.0 s",
        "cure": "Look under lift 2, remove what blocks it, then start the table again.",
        "role": "technician",
        "since": ago(6.02),
    }
    stopped = "LIFT at lift 2: the lift has not reached its upper switch."
    floor.show(
        "t03", state=a_state(now, service="fault", mode="fault", sentence=stopped, fault=fault)
    )
    jam = {
        "who": "attendant",
        "sentence": "Take the tile that is stuck at head 2 out and put it back into the drum.",
        "since": ago(2.2),
    }
    floor.show("t08", state=a_state(now, mode="servicing", needs=[jam]))
    floor.show("t11", is_connected=False, changed_connection=now - timedelta(minutes=12))
    floor.show("t05", state=a_state(now, service="idle", game="", out_of_play=True))
    floor.show("t06", state=a_state(now, service="idle", game="", sentence="The table is free."))
    worn = {"part": "head 1", "sentence": "head 1: tiles take 14 % longer than at first."}
    floor.show("t07", state=a_state(now, drift=[worn], game="Pai gow"))
    floor.show("t12", birth=birth(HOSTILE[:80], now))
    cut = {"who": "player", "sentence": "Seat 2: choose the cut.", "since": ago(0.4)}
    floor.show("t09", state=a_state(now, needs=[cut], game="Pai gow"))


def _evening(begin: Any, number: int) -> list[Happened]:
    """Three hours of a table: rounds, sets, a jam with its assist, and an open alarm at some."""
    start = (begin - NOON).total_seconds()
    events = [happened(start, "power_up"), happened(start + 1, "run_started")]
    jam = {
        "code": "JAM",
        "part": "head 2",
        "evidence": "head2_counter counted 0 of 1 tiles in 3.7 s and is blocked",
        "request": "Take the tile that is stuck at head 2 out and put it back into the drum.",
        "role": "attendant",
        "attempt": 3,
        "answer": "done",
    }
    for hand in range(59 - number // 3):
        at = start + 60 + hand * 180
        events.append(happened(at, "set_built", counted=136))
        events.append(happened(at + 60, "ready", dealer=0, set=hand % 2))
        if hand % 20 == number:
            events.append(happened(at + 70, "operator_prompted", **jam))
            events.append(happened(at + 70 + 5 * number, "prompt_answered", **jam))
            events.append(happened(at + 80 + 5 * number, "recovered", **jam))
        receipt = {"kind": "round", "began": f"round {hand}"}
        events.append(happened(at + 170, "receipt", **receipt))
    if number == 3:
        lift = {**jam, "code": "LIFT", "part": "lift 2"}
        lift["evidence"] = "the lift has not reached its upper switch in 4.0 s"
        events.append(happened(start + 10800 - 384, "fault", **lift))
    if number == 8:
        events.append(happened(start + 10800 - 132, "operator_prompted", **jam))
    events.sort(key=lambda event: event.after)
    return [replace(event, table_s=event.after - start) for event in events]
