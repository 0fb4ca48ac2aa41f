"""The API over a fake service: in this process for requests, on a socket for WebSockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
from argon2 import PasswordHasher
from starlette.types import ASGIApp

from config.schema import Table
from controller.service.user_roles import UserRole
from controller.web.api.accounts.accounts import Accounts, open_accounts, utc_seconds
from controller.web.api.accounts.login_secrets import Passwords
from controller.web.api.app import create_app
from controller.web.api.server.serving import ServedApi, serve_api
from controller.web.api.stream import StreamHub
from controller.web.api.worker_thread import WorkerThread
from controller.web.metrics.table_metrics import TableMetrics
from tests.controller.web.api.fake_service import FakeService, an_evening

PASSWORD = "correct horse"  # noqa: S105 - of a test
CHEAP = Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
"""Hashes that take no time, for tests that do not measure them."""
BASE = "http://table"


@dataclass
class Api:
    """The API in this process, with one API token for each role but the touchscreen's."""

    service: FakeService
    accounts: Accounts
    app: ASGIApp
    hub: StreamHub
    tokens: dict[UserRole, str]
    folder: Path

    def client(self, role: UserRole | None = None, address: str = "10.0.0.9") -> httpx.AsyncClient:
        """A client without login, or with the API token of a role."""
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False, client=(address, 1))
        headers = {} if role is None else {"Authorization": f"Bearer {self.tokens[role]}"}
        return httpx.AsyncClient(transport=transport, base_url=BASE, headers=headers)

    async def logged_in(self, role: UserRole, name: str = "ana") -> httpx.AsyncClient:
        """A browser that is logged in by cookie, with the CSRF token in its headers."""
        await self.accounts.add_user(name, role, PASSWORD)
        async with self.client() as entrance:
            body = {"name": name, "password": PASSWORD}
            answer = await entrance.post("/api/v1/login", json=body)
            assert answer.status_code == 200, answer.text
        client = self.client()
        client.cookies = entrance.cookies
        client.headers["X-CSRF-Token"] = answer.json()["csrf"]
        return client


@asynccontextmanager
async def an_api(
    service: FakeService | None = None,
    table: Table | None = None,
    now: Callable[[], float] = utc_seconds,
    panel: ASGIApp | None = None,
) -> AsyncIterator[Api]:
    """The API in this process, on the ordinary event loop."""
    service = service or an_evening()
    judge = WorkerThread("judge")
    with TemporaryDirectory() as folder:
        elapsed = None if now is utc_seconds else now
        accounts = await open_accounts(Path(folder), now, CHEAP, elapsed)
        hub = StreamHub(service, accounts)
        hub.start()
        metrics = TableMetrics(service, Path(folder))
        metrics.start()
        try:
            tokens = {
                role: (await accounts.add_token(role.value, role, None))[0] for role in UserRole
            }
            app = create_app(
                service, accounts, hub, judge=judge, metrics=metrics, table=table, panel=panel
            )
            yield Api(service, accounts, app, hub, tokens, Path(folder))
        finally:
            await metrics.close()
            await hub.close()
            judge.close()
            await accounts.close()


@asynccontextmanager
async def a_server(
    service: FakeService,
    folder: Path,
    panel: ASGIApp | None = None,
    pace: float = 1.0,
    proxies: frozenset[str] = frozenset(),
) -> AsyncIterator[ServedApi]:
    """The API on a free port of this computer."""
    async with serve_api(
        service,
        folder,
        "127.0.0.1:0",
        panel=panel,
        passwords=CHEAP,
        pace=pace,
        proxies=proxies,
    ) as address:
        yield address


async def first_login(address: ServedApi, role: UserRole = UserRole.TECHNICIAN) -> str:
    """The cookie of the first technician, or of a further user with a role."""
    assert address.first_start is not None
    token = address.first_start.partition("=")[2]
    async with httpx.AsyncClient(base_url=address.url, timeout=60) as client:
        answer = await client.post(
            "/api/v1/first-start", json={"token": token, "name": "first", "password": PASSWORD}
        )
        assert answer.status_code == 200, answer.text
        if role is not UserRole.TECHNICIAN:
            client.headers["X-CSRF-Token"] = answer.json()["csrf"]
            user = {"name": "other", "password": PASSWORD, "role": role.value}
            assert (await client.post("/api/v1/users", json=user)).status_code == 201
            answer = await client.post(
                "/api/v1/login", json={"name": "other", "password": PASSWORD}
            )
        return f"wallwright={answer.cookies['wallwright']}"


def run(test: Callable[[], Awaitable[None]]) -> None:
    """Run a test on the ordinary event loop: sockets and threads need real time."""

    async def main() -> None:
        async with asyncio.timeout(240):
            await test()

    asyncio.run(main())
