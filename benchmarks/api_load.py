"""Measures how late the event loop becomes while clients use the API, and what watchers cost.

The API serves a status that changes ten times a second on an ordinary event loop. A callback every
10 ms stands for the renewal of a lease. The clients run in a process of their own:
`python -m benchmarks.api_load URL TOKEN WHAT`.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from websockets.asyncio.client import connect

from benchmarks import Row
from controller.service.port import Actor, CommandReply, CommandRequest, HandRecord, SessionSummary
from controller.service.status import GameChoice, HandResult, SceneStatus, Status, TableFacts
from controller.service.status.feed import StatusFeed
from controller.web.api.server.serving import serve_api

V1 = "api/v1"
SECONDS = 12.0
PERIOD = 0.01
"""Seconds between two callbacks of the loop that is observed."""
LATE_MS, SHARE = 20.0, 0.10
"""The goals: lateness of the latest callback, and the share of a core for 20 watchers."""
WATCHERS, LINES = 20, 10_000
USERS = 20
"""Users who log in in turn: one of them can log in 60 times at once."""
FACES = ("wall", "seat 0", "seat 1", "up 5 dots")
PASSWORD = "benchmark password"  # noqa: S105 - of a server that lives for a minute


class BusyTable:
    """A service whose status changes ten times a second, with a journal of 10,000 lines."""

    def __init__(self) -> None:
        facts = TableFacts(name="robotic", seats=4, simulated=True, software="benchmark")
        self._status = Status(table=facts)
        self._feed = StatusFeed(self._status, time.monotonic)
        self._places = {f"{wall}{place}.1u": "wall" for wall in "ESWN" for place in range(34)}
        self._journal = [
            f'{{"number":{n},"batch":{n},"kind":"note","content":"{"x" * 150}"}}'
            for n in range(1, LINES + 1)
        ]

    @property
    def feed(self) -> StatusFeed:
        return self._feed

    async def change(self) -> None:
        """Move three tiles, ten times a second."""
        chance = Random(1)
        while True:
            await asyncio.sleep(0.1)
            for _ in range(3):
                self._places[chance.choice(list(self._places))] = chance.choice(FACES)
            scene = SceneStatus(places=dict(self._places), drum=chance.randrange(144))
            self._feed.publish(self._status.model_copy(update={"scene": scene}))

    async def submit(self, request: CommandRequest, actor: Actor) -> CommandReply:
        return CommandReply(id=request.id, state="done")

    async def record_change(self, *given: object, **named: object) -> None:
        """No change is recorded."""

    def listen(self, listener: object) -> Callable[[], None]:
        return lambda: None

    def record_access(self, *given: object, **named: object) -> None:
        """No access is recorded."""

    def presence(self, client: str, connected: bool) -> None:
        """Clients make no difference."""

    async def presets(self) -> dict[str, GameChoice]:
        return {}

    async def sessions(self, before: str | None, limit: int) -> Sequence[SessionSummary]:
        return []

    async def results(self, session: str, after: int, limit: int) -> Sequence[HandResult]:
        return []

    async def record(self, session: str, hand: int) -> HandRecord | None:
        return None

    async def journal_lines(self, after: int, limit: int) -> Sequence[str]:
        return self._journal[after : after + limit]


def main() -> Iterator[Row]:
    """Serve the API without clients and with three kinds of clients; yield one row for each."""
    idle, own = asyncio.run(_measured(None))
    yield Row("latest callback of the loop, no clients", f"{idle:.1f} ms")
    late, share = asyncio.run(_measured("watch"))
    yield Row(
        f"{WATCHERS} watchers of 10 changes a second: share of one core",
        f"{100 * (share - own):.1f} %",
        f"at most {100 * SHARE:.0f} %",
        share - own <= SHARE,
    )
    yield _lateness(f"{WATCHERS} watchers", late)
    late, _ = asyncio.run(_measured("load"))
    yield _lateness(
        f"{WATCHERS} watchers, downloads of a journal of {LINES:,} lines, one that reads nothing",
        late,
    )
    late, _ = asyncio.run(_measured("work"))
    yield _lateness("logins and judgements without a pause, in worker threads", late)


def _lateness(clients: str, late: float) -> Row:
    return Row(
        f"latest callback of the loop: {clients}",
        f"{late:.1f} ms late",
        f"{LATE_MS:.0f} ms",
        late <= LATE_MS,
    )


async def _measured(clients: str | None) -> tuple[float, float]:
    """The latest callback, ms, and the share of one core, while clients are connected."""
    table = BusyTable()
    async with _served(table) as (address, cookie):
        changing = asyncio.create_task(table.change())
        process = None
        if clients is not None:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "benchmarks.api_load", address.url, cookie, clients),
                stdout=asyncio.subprocess.PIPE,
            )
            assert process.stdout is not None
            await process.stdout.readline()
        used, begun = time.process_time(), time.perf_counter()
        late = await _latest()
        share = (time.process_time() - used) / (time.perf_counter() - begun)
        if process is not None:
            assert process.returncode is None, "The clients have ended too early."
            process.kill()
            await process.wait()
        changing.cancel()
    return 1000 * late, share


async def _latest() -> float:
    """The lateness of the latest of periodic callbacks, seconds."""
    loop = asyncio.get_running_loop()
    late, due, end = 0.0, loop.time() + PERIOD, loop.time() + SECONDS
    while due < end:
        woken = loop.create_future()
        loop.call_at(due, woken.set_result, None)
        await woken
        late = max(late, loop.time() - due)
        due = max(due + PERIOD, loop.time())
    return late


@asynccontextmanager
async def _served(table: BusyTable) -> Any:
    with TemporaryDirectory() as folder:
        async with serve_api(table, Path(folder), "127.0.0.1:0") as address:
            assert address.first_start is not None
            body = {
                "token": address.first_start.partition("=")[2],
                "name": "benchmark",
                "password": PASSWORD,
            }
            async with httpx.AsyncClient(base_url=address.url) as client:
                made = await client.post(f"{V1}/first-start", json=body)
                client.headers["X-CSRF-Token"] = made.json()["csrf"]
                for number in range(USERS):
                    user = {"name": f"user{number}", "password": PASSWORD, "role": "player"}
                    await client.post(f"{V1}/users", json=user)
            yield address, f"wallwright={made.cookies['wallwright']}"


# The clients' process


async def _clients(url: str, cookie: str, what: str) -> None:
    """Connect; print a line when all are connected; go on until the process is killed."""
    jobs: list[Awaitable[None]] = []
    kept = []
    if what in ("watch", "load"):
        jobs += [_watch(url, cookie) for _ in range(WATCHERS)]
    if what == "load":
        jobs.append(_download(url, cookie))
        kept.append(_reads_nothing(url, cookie))
    if what == "work":
        jobs += [_log_in(url), _judge(url, cookie)]
    tasks = [asyncio.ensure_future(job) for job in jobs]
    await asyncio.sleep(1.5)
    print("connected", flush=True)
    await asyncio.gather(*tasks)


async def _watch(url: str, cookie: str) -> None:
    origin = url.rstrip("/")
    address = f"{url.replace('http', 'ws')}{V1}/stream"
    headers = {"Cookie": cookie}
    async with connect(address, additional_headers=headers, origin=origin, proxy=None) as stream:
        async for message in stream:
            json.loads(message)


async def _download(url: str, cookie: str) -> None:
    async with httpx.AsyncClient(base_url=url, headers={"Cookie": cookie}) as client:
        while True:
            journal = await client.get(f"{V1}/journal.ndjson")
            assert journal.text.count("\n") == LINES


async def _log_in(url: str) -> None:
    async with httpx.AsyncClient(base_url=url) as client:
        for number in count():
            body = {"name": f"user{number % USERS}", "password": PASSWORD}
            answer = await client.post(f"{V1}/login", json=body)
            headers = {"X-CSRF-Token": answer.json()["csrf"]}
            await client.post(f"{V1}/logout", headers=headers)


async def _judge(url: str, cookie: str) -> None:
    async with httpx.AsyncClient(base_url=url, headers={"Cookie": cookie}) as client:
        csrf = (await client.get(f"{V1}/me")).json()["csrf"]
        while True:
            headers = {"X-CSRF-Token": csrf}
            answer = await client.post(f"{V1}/judge/wenzhou", json=_case(), headers=headers)
            assert answer.status_code == 200, answer.text


def _case() -> Any:
    from config.judge_cases import example_case  # noqa: PLC0415 - for one kind of client
    from config.strict_yaml import parse  # noqa: PLC0415

    return parse(example_case("wenzhou"), "case").value


def _reads_nothing(url: str, cookie: str) -> socket.socket:
    host, port = url.removeprefix("http://").rstrip("/").split(":")
    client = socket.create_connection((host, int(port)))
    client.sendall(
        (
            f"GET /{V1}/journal.ndjson HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {cookie}\r\n\r\n"
        ).encode()
    )
    return client


if __name__ == "__main__":
    asyncio.run(_clients(*sys.argv[1:]))
