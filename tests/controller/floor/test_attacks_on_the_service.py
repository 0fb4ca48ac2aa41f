"""Attacks on the floor service and on a table, with TLS, a real broker and real connections."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.floor.certificates.certificate import CertificateIdentity, CertificateKind
from controller.floor.messages import Alive, Birth, Events, TableAddress, encoded
from controller.floor.server.floor_service import FloorService
from controller.floor.store.floor_store import FloorStore
from tests.controller.floor.event_lines import lines_of, log_id
from tests.controller.floor.server.served_floor import floor_service
from tests.controller.floor.server.served_floor import table as publishing
from tests.controller.floor.store.conftest import stored_lines
from tests.controller.floor.table.fake_source import FakeSource
from tests.controller.floor.tls_floor import ANSWER, FLOOR, SERVER, TlsFloor, table
from tests.waiting import until

pytestmark = pytest.mark.slow
T1, T2 = table("t1"), table("t2")
A1, A2 = TableAddress(FLOOR, "t1"), TableAddress(FLOOR, "t2")
HOSTILE = "<script>alert(1)</script>'; DROP TABLE events; --"


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[TlsFloor]:
    broker = TlsFloor(tmp_path)
    broker.start()
    yield broker
    broker.kill()


def stored(service: FloorService, address: TableAddress) -> int:
    """Return how many events of a table the room shows as stored."""
    found = service.room.table(address)
    return found.stored if found is not None else 0


def test_a_recorded_request_is_executed_once_also_after_a_reconnect(
    floor: TlsFloor, sqlite_url: str
) -> None:
    """The attacker has a floor service's certificate, but not the key that signs requests."""
    thief = CertificateIdentity(CertificateKind.SERVER, "thief")
    floor.add(thief)
    source = FakeSource(3)
    request = A1.topic("request")

    async def attack() -> None:
        async with (
            floor_service(sqlite_url, floor.broker(SERVER)) as service,
            floor.client(thief, request) as attacker,
        ):
            async with publishing(floor.broker(T1), "t1", source):
                await until(lambda: stored(service, A1) == 3)
                done = await service.request(A1, "take_out_of_play", {}, "Mei", "attendant")
                assert done.accepted
                async with asyncio.timeout(ANSWER):
                    recorded = bytes((await anext(aiter(attacker.messages))).payload)
                for _ in range(5):
                    await attacker.publish(request, recorded, qos=1)
                await attacker.publish(request, recorded, qos=1, retain=True)
                source.add()
                await until(lambda: stored(service, A1) == 4)
            async with publishing(floor.broker(T1), "t1", source):
                await attacker.publish(request, recorded, qos=1)
                source.add()
                await until(lambda: stored(service, A1) == 5)
                await attacker.publish(request, recorded, qos=1)
                source.add()
                await until(lambda: stored(service, A1) == 6)

    asyncio.run(attack())
    assert source.requests == [("take_out_of_play", "Mei", "attendant")]


def test_retained_messages_that_a_table_forges_change_nothing_of_another(
    floor: TlsFloor, sqlite_url: str
) -> None:
    """The attacker claims the log of the table t2, and has filled its own topics before."""
    source, forged = FakeSource(), lines_of(4)
    source.lines = lines_of(3)

    async def attack() -> None:
        async with floor.client(T1) as thief:
            for address in (A1, A2):
                for kind, payload in forgeries(forged):
                    topic = address.topic(kind)
                    await thief.publish(topic, payload, qos=1, retain=True)
        async with (
            floor_service(sqlite_url, floor.broker(SERVER)) as service,
            publishing(floor.broker(T2), "t2", source),
        ):
            await until(lambda: stored(service, A2) == 3)
            shown = service.room.table(A1)
            assert shown is not None and shown.title == HOSTILE
            assert shown.state is None
            assert service.counts.dropped["retained"] == 2
            honest = service.room.table(A2)
            assert honest is not None and honest.title == "Table t2" and honest.is_connected
            async with floor.client(T1) as thief:
                await thief.publish(A1.topic("events"), dict(forgeries(forged))["events"], qos=1)
            source.lines = lines_of(5)
            source.change()
            await until(lambda: stored(service, A2) == 5)
            await until(lambda: stored(service, A1) == 4)

    asyncio.run(attack())
    store = FloorStore(sqlite_url)
    assert stored_lines(store, "t2") == lines_of(5)
    store.close()


def forgeries(lines: list[str]) -> list[tuple[str, bytes]]:
    """Return a birth with a hostile title, events of another table's log, and broken messages."""
    birth = "0" * 32
    of_log = log_id(lines)
    return [
        ("alive", encoded(Alive(online=True, birth=birth))),
        (
            "birth",
            encoded(
                Birth(
                    birth=birth,
                    at="2026-11-24T20:00:00.000Z",
                    title=HOSTILE,
                    software=HOSTILE,
                    identity=HOSTILE,
                    simulated=False,
                    seats=4,
                    log=of_log,
                    size=4,
                    state_every=60.0,
                )
            ),
        ),
        ("state", b'{"birth":' + b"[" * 50_000),
        (
            "events",
            encoded(Events(birth=birth, log=of_log, first=0, before="", lines=tuple(lines))),
        ),
        ("reply", b"\xff\xfe not JSON"),
    ]
