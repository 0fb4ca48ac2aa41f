"""The stream: no change is lost or doubled, and a bad or slow client affects nobody else."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from controller.service.status.feed import Json, patched
from controller.service.user_roles import UserRole
from controller.web.api.endpoints import PREFIX as V1
from controller.web.api.server.serving import ServedApi
from controller.web.api.stream import (
    BAD_MESSAGE,
    LOGIN_ENDED,
    MOST_MESSAGES,
    TOO_SLOW,
    StreamClient,
)
from tests.controller.service.status.test_players_view import ONE, OTHER_SOURCES, HandAtATable
from tests.controller.web.api.fake_service import FakeService
from tests.controller.web.api.served import PASSWORD, a_server, first_login, run
from tests.quick import tries
from tests.waiting import until

FACES = ("wall", "seat 1", "seat 2", "up 5 dots")
OPENED = 60.0
"""Seconds in which a stream has to be open."""


@asynccontextmanager
async def watched(
    tmp_path: Path, service: FakeService, role: UserRole = UserRole.PLAYER
) -> AsyncIterator[tuple[ServedApi, str]]:
    """A served API, and the cookie of a user with this role."""
    async with a_server(service, tmp_path) as address:
        yield address, await first_login(address, role)


def _url(address: ServedApi, query: str = "") -> str:
    return address.url.replace("http", "ws") + f"api/v1/stream?{query}"


def _connect(address: ServedApi, cookie: str, query: str = "") -> Any:
    headers = {"Cookie": cookie}
    return connect(
        _url(address, query),
        additional_headers=headers,
        origin=address.url.rstrip("/"),
        proxy=None,
        open_timeout=OPENED,
    )


async def _next(stream: ClientConnection) -> Json:
    while True:
        message: Json = json.loads(await stream.recv())
        if message["type"] != "heartbeat":
            return message


async def _close_code(stream: ClientConnection) -> int | None:
    try:
        while True:
            await stream.recv()
    except ConnectionClosed:
        return stream.close_code


def test_a_watcher_gets_a_snapshot_then_every_change_and_event(tmp_path: Path) -> None:
    async def test() -> None:
        service = FakeService()
        async with (
            watched(tmp_path, service) as (address, cookie),
            _connect(address, cookie, "events=1") as stream,
            _connect(address, cookie) as other,
        ):
            first = await _next(stream)
            assert (first["type"], first["sequence"]) == ("snapshot", 0)
            assert first["status"]["table"]["name"] == "bench"
            await _next(other)
            service.emit({"t": 1.0, "event": "lid_opened"})
            service.show(w1="wall")
            event = await _next(stream)
            assert event == {"type": "event", "event": {"t": 1.0, "event": "lid_opened"}}
            for each in (stream, other):
                delta = await _next(each)
                assert (delta["type"], delta["sequence"]) == ("delta", 1)
                assert delta["patch"] == {"scene": {"places": {"w1": "wall"}}}

    run(test)


@pytest.mark.slow
@pytest.mark.evidence
def test_disconnected_clients_resume_without_a_lost_or_doubled_change(tmp_path: Path) -> None:
    async def test() -> None:
        chance = Random(20261123)
        service = FakeService()
        async with watched(tmp_path, service) as (address, cookie):
            kept: list[tuple[str, int, Json]] = [("", 0, {})] * 20
            resumed = 0

            async def visit(index: int) -> None:
                """Reconnect as one client, receive some changes, and vanish without a close."""
                nonlocal resumed
                run_id, sequence, status = kept[index]
                query = f"run={run_id}&since={sequence}" if run_id else ""
                stream = await _connect(address, cookie, query)
                goal = chance.randint(sequence, service.feed.sequence)
                while not run_id or sequence < goal:
                    message = await _next(stream)
                    if message["type"] == "snapshot":
                        run_id, status = message["run"], message["status"]
                    else:
                        assert message["type"] == "delta"
                        assert message["sequence"] == sequence + 1
                        status = patched(status, message["patch"])
                        resumed += 1
                    sequence = message["sequence"]
                stream.transport.abort()
                kept[index] = (run_id, sequence, status)

            rounds = tries(12, quick=12, evidence=50)
            for _ in range(rounds):
                visits = asyncio.gather(*(visit(index) for index in range(20)))
                while not visits.done():
                    if service.feed.sequence - min(each[1] for each in kept) < 150:
                        place = f"w{chance.randint(0, 5)}"
                        service.show(**{place: chance.choice(FACES)})
                    await asyncio.sleep(0.002)
                await visits
            assert resumed > 20 * rounds
            for index, (_, sequence, _) in enumerate(kept):
                while kept[index][1] < service.feed.sequence:
                    await visit(index)
                assert kept[index][1] >= sequence
                assert kept[index][2] == service.feed.snapshot().status

    run(test)


def test_a_client_of_an_earlier_start_or_far_behind_gets_a_snapshot(tmp_path: Path) -> None:
    async def test() -> None:
        service = FakeService()
        async with watched(tmp_path, service) as (address, cookie):
            async with _connect(address, cookie) as stream:
                this_run = (await _next(stream))["run"]
            for number in range(201):
                service.show(w1=str(number))
            behind = f"run={this_run}&since="
            for query, kind in (
                ("run=other&since=200", "snapshot"),
                ("since=200", "snapshot"),
                (behind + "0", "snapshot"),
                (behind + "999", "snapshot"),
                (behind + "x", "snapshot"),
                (behind + "1", "delta"),
            ):
                stream = await _connect(address, cookie, query)
                assert (await _next(stream))["type"] == kind, query
                stream.transport.abort()

    run(test)


def test_a_client_without_login_is_closed_and_a_page_of_another_site_is_refused(
    tmp_path: Path,
) -> None:
    async def test() -> None:
        async with watched(tmp_path, FakeService()) as (address, cookie):
            async with _connect(address, "") as stream:
                assert await _close_code(stream) == LOGIN_ENDED
            for origin in ("http://evil.example", None):
                with pytest.raises(InvalidStatus) as refused:
                    await connect(
                        _url(address),
                        additional_headers={"Cookie": cookie},
                        origin=origin,
                        proxy=None,
                        open_timeout=OPENED,
                    )
                assert refused.value.response.status_code == 403

    run(test)


@pytest.mark.slow
def test_a_machine_watches_with_its_token_and_no_origin(tmp_path: Path) -> None:
    async def test() -> None:
        async with (
            watched(tmp_path, FakeService(), UserRole.TECHNICIAN) as (address, cookie),
            httpx.AsyncClient(base_url=address.url, headers={"Cookie": cookie}, timeout=60) as eva,
        ):
            csrf = (await eva.get(f"{V1}/me")).json()["csrf"]
            body = {"name": "scoreboard", "role": "player"}
            made = await eva.post(f"{V1}/tokens", json=body, headers={"X-CSRF-Token": csrf})
            token = made.json()
            headers = {"Authorization": f"Bearer {token['token']}"}
            async with connect(
                _url(address), additional_headers=headers, proxy=None, open_timeout=OPENED
            ) as stream:
                assert (await _next(stream))["type"] == "snapshot"
                await eva.delete(f"{V1}/keys/{token['id']}", headers={"X-CSRF-Token": csrf})
                assert await _close_code(stream) == LOGIN_ENDED

    run(test)


@pytest.mark.slow
def test_a_heartbeat_with_the_tables_clock_comes_every_second(tmp_path: Path) -> None:
    async def test() -> None:
        async with (
            watched(tmp_path, FakeService()) as (address, cookie),
            _connect(address, cookie) as stream,
        ):
            await _next(stream)
            times = [json.loads(await stream.recv())["at"] for _ in range(6)]
            waits = [later - earlier for earlier, later in pairwise(times)]
            assert min(waits) > 0.5
            assert min(waits) < 1.9, "another program can delay one heartbeat, and not all"

    run(test)


def test_a_ping_is_answered_and_any_other_message_closes_the_connection(tmp_path: Path) -> None:
    async def test() -> None:
        async with (
            watched(tmp_path, FakeService()) as (address, cookie),
            _connect(address, cookie) as stream,
        ):
            await _next(stream)
            await stream.send('{"type": "ping", "id": 7}')
            pong = await _next(stream)
            assert (pong["type"], pong["id"]) == ("pong", 7)
            await stream.send('{"type": "ping", "id": 7, "more": 1}')
            assert await _close_code(stream) == BAD_MESSAGE

    run(test)


def _malformed(chance: Random) -> str | bytes:
    return chance.choice(
        (
            "",
            "null",
            "[" * 90,
            '{"type": "ping"}',
            '{"type": "ping", "id": true}',
            '{"type": "ping", "id": -1}',
            '{"type": "ping", "id": 1e400}',
            '{"type": "pause"}',
            "x" * chance.randint(1, 4000),
            chance.randbytes(chance.randint(0, 200)),
            json.dumps({"type": "answer", "prompt": "p1", "value": "\ud800"}),
        )
    )


@pytest.mark.slow
def test_10000_malformed_messages_close_their_connections_and_nothing_else(tmp_path: Path) -> None:
    async def test() -> None:
        chance = Random(5)
        service = FakeService()
        async with (
            watched(tmp_path, service) as (address, cookie),
            _connect(address, cookie) as witness,
        ):
            assert (await _next(witness))["type"] == "snapshot"
            # Read all the time: a client that does not take its heartbeats is too slow.
            watching = asyncio.create_task(_next(witness))

            async def attack(number: int) -> None:
                stream = await _connect(address, cookie)
                try:
                    for _ in range(number):
                        await stream.send(_malformed(chance))
                    assert await _close_code(stream) == BAD_MESSAGE
                except ConnectionClosed:
                    assert stream.close_code == BAD_MESSAGE

            for _ in range(50):
                await asyncio.gather(*(attack(20) for _ in range(10)))
            assert not watching.done()
            service.show(w1="wall")
            assert (await watching)["type"] == "delta"
            assert not service.given

    run(test)


@pytest.mark.slow
def test_raw_bytes_that_are_no_websocket_frame_end_their_connection_only(tmp_path: Path) -> None:
    async def test() -> None:
        chance = Random(7)
        service = FakeService()
        async with (
            watched(tmp_path, service) as (address, cookie),
            _connect(address, cookie) as witness,
        ):
            await _next(witness)
            for _ in range(30):
                stream = await _connect(address, cookie)
                stream.transport.write(chance.randbytes(chance.randint(2, 300)))
                stream.transport.abort()
            async with _connect(address, cookie) as stream:
                stream.transport.write(b"\x81\x83\x00\x00\x00\x00\xff\xff\xff")
                assert await _close_code(stream) in (1002, 1007)
            service.show(w1="wall")
            assert (await _next(witness))["type"] == "delta"

    run(test)


def _deaf_client(address: ServedApi, cookie: str) -> socket.socket:
    """A client that completes the handshake and then never reads."""
    host, port = address.url.removeprefix("http://").rstrip("/").split(":")
    client = socket.create_connection((host, int(port)))
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.sendall(
        (
            f"GET {V1}/stream HTTP/1.1\r\nHost: {host}:{port}\r\nOrigin: http://{host}:{port}\r\n"
            f"Cookie: {cookie}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ).encode()
    )
    return client


@pytest.mark.slow
def test_200_clients_that_read_nothing_are_dropped_and_delay_no_other(tmp_path: Path) -> None:
    async def test() -> None:
        service = FakeService()
        async with (
            watched(tmp_path, service) as (address, cookie),
            _connect(address, cookie) as witness,
        ):
            await _next(witness)
            loop = asyncio.get_running_loop()
            deaf = await asyncio.gather(
                *(loop.run_in_executor(None, _deaf_client, address, cookie) for _ in range(200))
            )
            long = "x" * 20_000
            for number in range(600):
                service.show(w1=f"{number} {long}")
                delta = await _next(witness)
                assert delta["sequence"] == number + 1
            async with httpx.AsyncClient(
                base_url=address.url, headers={"Cookie": cookie}, timeout=60
            ) as eva:
                await until(lambda: _connections(address) <= 3)
                assert (await eva.get(f"{V1}/status")).status_code == 200
            for each in deaf:
                each.close()

    run(test)


def _connections(address: ServedApi) -> int:
    """Established connections to the server's port, as the kernel counts them."""
    port = int(address.url.rstrip("/").rpartition(":")[2])
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[1].endswith(f":{port:04X}") and row[3] == "01" for row in rows)


def test_a_full_queue_ends_a_client_with_the_code_for_slow_clients() -> None:
    async def test() -> None:
        many = StreamClient("a", "b", events=False)
        for _ in range(MOST_MESSAGES):
            many.put("x")
        assert not many.ended.done()
        many.put("x")
        assert many.ended.result()[0] == TOO_SLOW
        large = StreamClient("a", "b", events=False)
        large.put("x" * 10**6)
        assert not large.ended.done()
        large.put("y")
        assert large.ended.result()[0] == TOO_SLOW

    run(test)


@pytest.mark.slow
def test_the_service_learns_when_a_client_comes_and_when_its_last_stream_ends(
    tmp_path: Path,
) -> None:
    async def test() -> None:
        service = FakeService()
        async with watched(tmp_path, service) as (address, cookie):
            async with _connect(address, cookie, "client=tab1") as one:
                await _next(one)
                (client,) = service.present
                assert client.endswith(".tab1")
                async with _connect(address, cookie, "client=tab1") as two:
                    await _next(two)
                await asyncio.sleep(0.05)
                assert service.present == {client: True}
            await until(lambda: not service.present[client])

    run(test)


def test_a_changed_role_ends_the_streams_of_the_user(tmp_path: Path) -> None:
    async def test() -> None:
        service = FakeService()
        async with (
            watched(tmp_path, service, UserRole.TECHNICIAN) as (address, cookie),
            httpx.AsyncClient(base_url=address.url, headers={"Cookie": cookie}, timeout=60) as eva,
        ):
            eva.headers["X-CSRF-Token"] = (await eva.get(f"{V1}/me")).json()["csrf"]
            async with _connect(address, cookie) as stream:
                await _next(stream)
                assert (await eva.post(f"{V1}/logout")).status_code == 204
                assert await _close_code(stream) == LOGIN_ENDED

    run(test)


def test_the_end_of_the_service_closes_every_stream_soon(tmp_path: Path) -> None:
    """Another program can delay the end, so a time that is too long is measured again."""

    async def end(folder: Path) -> float:
        """The seconds that the service takes to end."""
        loop = asyncio.get_running_loop()
        async with watched(folder, FakeService()) as (address, cookie):
            stream = await _connect(address, cookie)
            await _next(stream)
            deaf = await loop.run_in_executor(None, _deaf_client, address, cookie)
            begins = loop.time()
        took = loop.time() - begins
        assert await _close_code(stream) in (1001, 1012)
        deaf.close()
        return took

    async def test() -> None:
        seconds: list[float] = []
        while len(seconds) < 5 and min(seconds, default=4.0) >= 4.0:
            folder = tmp_path / str(len(seconds))
            folder.mkdir()
            seconds.append(await end(folder))
        assert min(seconds) < 4.0, seconds

    run(test)


def test_W18_players_receive_no_discard_of_a_mixed_hand_and_no_change_of_an_earlier_moment(
    tmp_path: Path,
) -> None:
    """The dealer receives all; the player's snapshot, changes, events and resumed stream do not."""

    async def test() -> None:
        service = FakeService()
        ones, others = HandAtATable.begin("wenzhou", 3), HandAtATable.begin("wenzhou", 3)
        async with a_server(service, tmp_path) as address:
            dealers = await first_login(address, UserRole.DEALER)
            headers = {"Cookie": await _of_role(address, UserRole.PLAYER)}
            service.feed.publish(ones.follow(ONE[:4]).status)
            async with (
                _connect(address, dealers, "events=1") as dealer,
                _connect(address, headers["Cookie"], "events=1") as player,
                httpx.AsyncClient(base_url=address.url, headers=headers, timeout=60) as guest,
            ):
                first = [await _next(each) for each in (dealer, player)]
                for name in ("action_taken", "delivered", "settled"):
                    service.emit({"t": 1.0, "event": name, "seat": 1, "do": "discard 9s"})
                service.feed.publish(others.follow(OTHER_SOURCES).status)
                heard = [await _next(dealer) for _ in range(4)]
                seen = [await _next(player) for _ in range(2)]
                assert [each["type"] for each in heard] == ["event"] * 3 + ["delta"]
                assert [each["type"] for each in seen] == ["event", "delta"]
                assert seen[0]["event"]["event"] == "settled"
                text = json.dumps([first[1]["status"]["round"], seen[1]])
                assert '"source": 1' not in text and '"played": [{' not in text
                assert '"source": 1' in json.dumps(heard[3])
                now = (await guest.get(f"{V1}/status")).json()
                tiles = now["status"]["round"]["open_tiles"]
                assert tiles["pool"] == ["1m", "2m", "3m", "4m", "9s"] and not tiles["played"]
                assert now["run"] == first[1]["run"] != first[0]["run"]
            since = f"since={first[1]['sequence']}&run={first[1]['run']}"
            async with _connect(address, headers["Cookie"], since) as stream:
                assert (await _next(stream))["type"] == "snapshot"
            missed = f"since={first[0]['sequence']}&run={first[0]['run']}"
            async with _connect(address, headers["Cookie"], missed) as stream:
                assert (await _next(stream))["type"] == "snapshot"
            async with _connect(address, dealers, missed) as stream:
                assert (await _next(stream))["type"] == "delta"

    run(test)


async def _of_role(address: ServedApi, role: UserRole) -> str:
    """The cookie of a further user, made by the first technician."""
    async with httpx.AsyncClient(base_url=address.url, timeout=60) as client:
        first = {"name": "first", "password": PASSWORD}
        answer = await client.post(f"{V1}/login", json=first)
        client.headers["X-CSRF-Token"] = answer.json()["csrf"]
        user = {"name": role.value, "password": PASSWORD, "role": role.value}
        assert (await client.post(f"{V1}/users", json=user)).status_code == 201
        login = {"name": role.value, "password": PASSWORD}
        answer = await client.post(f"{V1}/login", json=login)
        return f"wallwright={answer.cookies['wallwright']}"
