"""No answer to any role names a tile that the players cannot see, while a hand is played (R17)."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest

from config.loader import load_table
from controller.service.evening.evening_store import EveningStore
from controller.service.evening.store_thread import ImmediateStore
from controller.service.settings import ServiceSettings
from controller.service.status import Status, TableFacts
from controller.service.table_service import TableService
from controller.service.user_roles import UserRole
from controller.web.api.accounts.accounts import Accounts, open_accounts
from controller.web.api.app import create_app
from controller.web.api.endpoints import ENDPOINTS, Endpoint
from controller.web.api.stream import StreamHub
from controller.web.api.worker_thread import WorkerThread
from controller.web.metrics.table_metrics import TableMetrics
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.host_computer import SlowDisk
from tests.controller.service.service_at_a_table import Guests
from tests.controller.service.test_hidden_tiles import FACE, OpenTable, secrets_of
from tests.controller.web.api.served import CHEAP

pytestmark = pytest.mark.slow

PACE = 100.0
READ = [each for each in ENDPOINTS if each.method == "GET"]
"""The endpoints that are searched; a path with another parameter fails in `_path`."""
Read = dict[tuple[UserRole, str], str]


@asynccontextmanager
async def a_table(
    data: Path,
) -> AsyncIterator[tuple[Guests, OpenTable, Callable[[], Awaitable[Read]]]]:
    """A simulated table with the API in this process, and a function that reads every endpoint."""
    machine = load_table("robotic")
    opener = OpenTable(machine, 7)
    kept = EveningStore(data / "evening.db")
    service = TableService(
        machine,
        TableFacts(name="robotic", seats=4, simulated=True, software="test"),
        opener,
        kept,
        ImmediateStore(kept),
        ServiceSettings(
            storage=SlowDisk,
            journal=data / "table.journal",
            automatic=False,
        ),
    )
    guests = Guests(service)
    serving = asyncio.ensure_future(service.serve())
    # The loop takes a wait for a thread without any timer for a deadlock.
    ticking = asyncio.ensure_future(_tick())
    accounts = await open_accounts(data, passwords=CHEAP)
    hub = StreamHub(guests.port, accounts, PACE)
    judge = WorkerThread("judge")
    app = create_app(
        guests.port,
        accounts,
        hub,
        judge=judge,
        metrics=TableMetrics(guests.port),
        table=machine,
    )
    try:
        yield guests, opener, partial(_read_all, app, accounts)
    finally:
        service.stop()
        await serving
        service.close()
        ticking.cancel()
        judge.close()
        await accounts.close()
        kept.close()


async def _tick() -> None:
    while True:  # noqa: ASYNC110 - it waits for nothing
        await asyncio.sleep(1.0)


async def _read_all(app: object, accounts: Accounts) -> Read:
    """What every GET endpoint answers to every role that may use it."""
    answers: Read = {}
    for role in UserRole:
        token, _ = await accounts.add_token(role.value, role, None)
        transport = httpx.ASGITransport(app, client=("127.0.0.1", 1))  # type: ignore[arg-type]
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://table", headers=headers
        ) as client:
            for endpoint in READ:
                answer = await client.get(_path(endpoint))
                assert answer.status_code < 500, answer.text
                answers[role, endpoint.name] = _text(answer)
    return answers


def _path(endpoint: Endpoint) -> str:
    return endpoint.full_path.format(session="s1", hand=1, game="wenzhou")


def _text(answer: httpx.Response) -> str:
    """The text of an answer; of a zip file, the texts of all its files."""
    if answer.headers.get("content-type") != "application/zip":
        return answer.text
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return "\n".join(archive.read(name).decode() for name in archive.namelist())


def _faces(read: Read) -> dict[tuple[UserRole, str], set[str]]:
    return {key: set(FACE.findall(text)) for key, text in read.items()}


def test_R17_no_answer_to_any_role_names_a_hidden_tile(tmp_path: Path) -> None:
    async def evening() -> None:
        async with a_table(tmp_path) as (guests, table, read):
            # Descriptions of the rules and examples of the judge name tiles at any time.
            before = _faces(await read())
            shown: set[str] = set()

            def hear(event: dict[str, object]) -> None:
                if event["event"] == "tile_turned_up":
                    shown.add(str(event["tile"]))

            guests.service.listen(hear)
            await guests.give("start_session", choice={"game": "wenzhou"})
            await guests.until(_is_played)
            hidden = {tile.face for hand in table.plant.hands().values() for tile in hand} - shown
            assert len(hidden) > 10
            during = await read()
            for answer in during.values():
                assert not [secret for secret in secrets_of(guests) if secret in answer]
            assert _commitment(guests) in during[UserRole.PLAYER, "status"]
            assert shown <= set(FACE.findall(during[UserRole.PLAYER, "status"]))
            assert len(during[UserRole.AUDITOR, "journal_file"].splitlines()) > 50
            assert "journal" in during[UserRole.TECHNICIAN, "diagnostics"]
            found = {key: faces - before[key] - shown for key, faces in _faces(during).items()}
            assert {key: faces for key, faces in found.items() if faces} == {}

    with asyncio.Runner(loop_factory=partial(VirtualLoop, PACE)) as runner:
        runner.run(evening())


def _commitment(guests: Guests) -> str:
    playing = guests.status.chance.playing
    assert playing is not None
    return playing.commitment


def _is_played(status: Status) -> bool:
    return status.machine.top == "playing"
