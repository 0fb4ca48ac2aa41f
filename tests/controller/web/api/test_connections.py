"""Connections of the API: their limits, and what they may cost the table's event loop."""

from __future__ import annotations

import asyncio
import resource
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from controller.web.api.accounts.identity import source_of
from controller.web.api.server import connections
from controller.web.api.server.connections import ConnectionLimits, connection_limits
from controller.web.api.server.serving import listening, serve_api
from tests.controller.web.api.fake_service import FakeService
from tests.controller.web.api.served import CHEAP, run
from tests.waiting import until

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]
PROXY = frozenset({"127.0.0.1"})
FEW = ConnectionLimits(total=8, per_address=8, for_this_computer=2)


async def page(scope: Scope, receive: Receive, send: Send) -> None:
    """Read the whole body, then answer."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"here"})


@asynccontextmanager
async def connected(url: str, count: int, sent: bytes = b"") -> AsyncIterator[list[Stream]]:
    """Connections that have sent these bytes and wait."""
    address = httpx.URL(url)
    opened: list[Stream] = []
    try:
        for _ in range(count):
            stream = await asyncio.open_connection(address.host, address.port)
            opened.append(stream)
            stream[1].write(sent)
        yield opened
    finally:
        for _, writer in opened:
            writer.transport.abort()


async def is_ended(stream: Stream) -> bool:
    """Whether the server has ended the connection."""
    try:
        async with asyncio.timeout(0.05):
            return await stream[0].read(1) == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True


async def answered(url: str) -> bool:
    """Whether a new connection gets an answer."""
    async with httpx.AsyncClient(timeout=20) as client:
        return (await client.get(url)).text == "here"


def test_the_loop_of_the_table_runs_on_while_the_api_computes_for_a_second(tmp_path: Path) -> None:
    async def busy(scope: Scope, receive: Receive, send: Send) -> None:
        time.sleep(1.0)  # noqa: ASYNC251 - a request that blocks the event loop of the API
        await page(scope, receive, send)

    async def test() -> None:
        turns = 0
        async with (
            serve_api(
                FakeService(), tmp_path, "127.0.0.1:0", panel=busy, passwords=CHEAP
            ) as address,
            httpx.AsyncClient(timeout=60) as client,
        ):
            asking = asyncio.ensure_future(client.get(address.url))
            while not asking.done():
                await asyncio.sleep(0.01)
                turns += 1
            assert asking.result().text == "here"
        assert turns >= 20, f"The loop of the table made {turns} turns in a second."

    run(test)


def test_a_person_is_answered_however_many_idle_connections_there_are() -> None:
    async def test() -> None:
        async with listening(page, "127.0.0.1:0", limits=FEW) as url, connected(url, 60) as idle:
            for _ in range(3):
                assert await answered(url)
            ended = [await is_ended(each) for each in idle]
            assert ended.count(False) <= FEW.total

    run(test)


def test_a_request_in_progress_is_not_ended_for_a_new_connection() -> None:
    async def test() -> None:
        come, go = asyncio.Semaphore(0), asyncio.Event()

        async def slow(scope: Scope, receive: Receive, send: Send) -> None:
            come.release()
            await go.wait()
            await page(scope, receive, send)

        head = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
        async with (
            listening(slow, "127.0.0.1:0", limits=FEW) as url,
            connected(url, FEW.total, head) as asking,
        ):
            for _ in asking:
                await come.acquire()
            async with connected(url, 20) as others:
                for each in others:
                    assert await each[0].read(1) == b""
            go.set()
            for each in asking:
                assert (await each[0].readline()).startswith(b"HTTP/1.1 200")

    run(test)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: localh",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf",
    ],
    ids=["nothing", "half a head", "half a body"],
)
def test_a_client_that_sends_no_whole_request_is_disconnected(
    sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "SWEEP", 0.05)
    monkeypatch.setattr(
        connections, "_LIMITS", {"handshake": 0.3, "head": 0.3, "body": 0.3, "closing": 0.3}
    )

    async def test() -> None:
        async with listening(page, "127.0.0.1:0") as url, connected(url, 1, sent) as (stream,):
            async with asyncio.timeout(20):
                while not await is_ended(stream):
                    # A trickle of bytes is not a whole request either.
                    stream[1].write(b"x")

    run(test)


def test_one_address_and_all_others_leave_connections_to_this_computer() -> None:
    source = source_of
    assert source("::ffff:127.0.0.1") == source("::1") == source("127.0.0.1")
    assert source("2001:db8:1:2::1") == source("2001:db8:1:2:ffff::9") != source("2001:db8:1:3::1")
    assert source("192.0.2.1") == source("::ffff:192.0.2.1") != source("192.0.2.2")


def test_the_address_that_a_client_states_counts_from_a_configured_proxy_only(
    tmp_path: Path,
) -> None:
    async def test() -> None:
        for proxies, address in ((frozenset[str](), "127.0.0.1"), (PROXY, "192.0.2.9")):
            service = FakeService()
            async with (
                serve_api(
                    service, tmp_path, "127.0.0.1:0", passwords=CHEAP, proxies=proxies
                ) as served,
                httpx.AsyncClient(base_url=served.url, timeout=60) as client,
            ):
                body = {"name": "eva", "password": "a guess of it"}
                headers = {"X-Forwarded-For": "192.0.2.9"}
                await client.post("api/v1/login", json=body, headers=headers)
                await until(lambda: bool(service.accesses))  # noqa: B023 - awaited here
            assert service.accesses[0][-1] == address

    run(test)


@pytest.mark.parametrize("soft", [256, 1024, resource.RLIM_INFINITY])
def test_the_api_leaves_file_descriptors_to_the_table(
    soft: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, soft))
    limits = connection_limits()
    if soft != resource.RLIM_INFINITY:
        assert limits.total <= soft - connections.RESERVED
    assert 0 < limits.for_this_computer < limits.total <= connections.CONNECTIONS


@pytest.mark.slow
def test_a_thousand_idle_connections_leave_the_table_its_descriptors(tmp_path: Path) -> None:
    """520 of them once stopped the table and every client."""

    async def test() -> None:
        async with AsyncExitStack() as stack:
            served = serve_api(FakeService(), tmp_path, "127.0.0.1:0", panel=page, passwords=CHEAP)
            address = await stack.enter_async_context(served)
            idle = await stack.enter_async_context(connected(address.url, 1000))
            assert await answered(address.url)
            assert sum([await is_ended(each) for each in idle[:700]]) == 700

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    try:
        run(test)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
