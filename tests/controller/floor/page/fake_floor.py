"""A floor without a broker: a room that a test sets, and a database with stored events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import httpx
from sqlalchemy import Connection, Engine, create_engine
from starlette.types import ASGIApp

from controller.floor.messages import Birth, State, TableAddress
from controller.floor.page.app import floor_app
from controller.floor.page.room_feed import RoomPlan
from controller.floor.server.port import RequestOutcome
from controller.floor.server.room import Room, RoomTable
from controller.floor.store.schema import METADATA
from controller.floor.store.table_changes import read_roster
from controller.records.audit.log.event_line import time_text
from controller.service.user_roles import UserRole
from controller.web.api.accounts.accounts import Accounts, open_accounts, utc_seconds
from controller.web.api.audited_requests import AuditedRequest
from controller.web.api.worker_thread import WorkerThread
from tests.controller.floor.figures.stored_logs import NOON, Happened, add_log, store
from tests.controller.web.api.served import CHEAP, PASSWORD

Result = TypeVar("Result")
BIRTH = "0" * 32
NOW = NOON + timedelta(hours=2)
"""The floor's time in tests that do not use the computer's."""
HOSTILE = "<img src=x onerror=alert(1)>'; DROP TABLE events; --"
"""A title that is HTML and SQL."""


def minutes_ago(minutes: float, now: datetime = NOW) -> str:
    """A time before now, as tables send it."""
    return time_text(now - timedelta(minutes=minutes))


def birth(title: str, now: datetime = NOW) -> Birth:
    """The birth of a table with this title."""
    return Birth(
        birth=BIRTH,
        at=time_text(now),
        title=title,
        software="0.2.0",
        identity="abc",
        simulated=True,
        seats=4,
        log="0" * 64,
        size=0,
        state_every=30.0,
    )


def a_state(now: datetime = NOW, **changes: Any) -> State:
    """The state of a table in play, with changes."""
    values: dict[str, Any] = {
        "birth": BIRTH,
        "sequence": 0,
        "at": time_text(now),
        "service": "session",
        "sentence": "Wenzhou mahjong is played.",
        "under": "staged",
        "top": "playing",
        "mode": "going",
        "game": "Wenzhou mahjong",
        "rounds": 12,
        "tiles_expected": 272,
        "tiles_accounted": 272,
        "out_of_play": False,
        "fault": None,
        "needs": (),
        "drift": (),
    }
    return State.model_validate({**values, **changes}, strict=False)


@dataclass
class FakeFloor:
    """A floor's port. `replies` are the replies to the next requests; `requests` were sent."""

    engine: Engine
    room: Room = field(default_factory=lambda: Room("main"))
    worker: WorkerThread = field(default_factory=lambda: WorkerThread("floor database"))
    replies: list[RequestOutcome] = field(default_factory=list)
    requests: list[tuple[str, str, Mapping[str, Any], str, str]] = field(default_factory=list)

    async def read(self, query: Callable[[Connection], Result]) -> Result:
        """Run a query in a thread, in a transaction."""

        def work() -> Result:
            with self.engine.begin() as connection:
                return query(connection)

        return await self.worker.run(work)

    async def write(self, change: Callable[[Connection], Result]) -> Result:
        """Run a change as `read` runs a query."""
        return await self.read(change)

    async def refresh_tables(self) -> None:
        """Apply what `write` has stored to the room."""
        floor = self.room.floor
        self.room.apply(await self.read(lambda connection: read_roster(connection, floor)), NOW)

    async def request(
        self, address: TableAddress, name: str, arguments: Mapping[str, Any], who: str, role: str
    ) -> RequestOutcome:
        """Note a request; its reply is the next of `replies`."""
        self.requests.append((address.table, name, arguments, who, role))
        return self.replies.pop(0)

    def metrics(self) -> bytes:
        """A metric."""
        return b"wallwright_floor_tables 12\n"

    def show(self, name: str, **fields: Any) -> RoomTable:
        """Change a table of the room, which is connected."""
        values = {"is_connected": True, **fields}
        table = self.room.update(TableAddress("main", name), **values)
        assert table is not None
        return table

    def store(self, name: str, events: list[Happened], title: str = "") -> None:
        """Store a table's log with these events."""
        with self.engine.begin() as connection:
            store(connection, add_log(connection, name, title=title), events)


def fake_floor(folder: Path) -> FakeFloor:
    """A floor with an empty room and an empty database."""
    engine = create_engine(f"sqlite:///{folder / 'floor.db'}", connect_args={"timeout": 60})
    METADATA.create_all(engine)
    floor = FakeFloor(engine)
    floor.room.change(broker=True, database=True)
    return floor


@dataclass
class ServedFloor:
    """The floor's application in this process."""

    floor: FakeFloor
    app: ASGIApp
    accounts: Accounts

    def client(self) -> httpx.AsyncClient:
        """A client without login."""
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False, client=("::1", 1))
        return httpx.AsyncClient(transport=transport, base_url="http://floor")

    async def logged_in(self, role: UserRole) -> httpx.AsyncClient:
        """A browser of a person with this role, whose name is the role's."""
        await self.accounts.add_user(role.value, role, PASSWORD)
        client = self.client()
        body = {"name": role.value, "password": PASSWORD}
        answer = await client.post("/api/v1/login", json=body)
        assert answer.status_code == 200, answer.text
        client.headers["X-CSRF-Token"] = answer.json()["csrf"]
        return client


@asynccontextmanager
async def served_floor(
    folder: Path,
    plan: RoomPlan | None = None,
    now: Callable[[], datetime] = lambda: NOW,
    record: Callable[[AuditedRequest], None] = lambda request: None,
) -> AsyncIterator[ServedFloor]:
    """Serve a floor in this process until the block ends."""
    floor = fake_floor(folder)
    accounts = await open_accounts(folder, utc_seconds, CHEAP)
    try:
        async with floor_app(floor, accounts, plan, now, record) as app:
            yield ServedFloor(floor, app, accounts)
    finally:
        await accounts.close()
        floor.worker.close()
        floor.engine.dispose()
