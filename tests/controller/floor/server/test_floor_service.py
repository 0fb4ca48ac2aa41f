"""Tests the floor service with tables on a real broker: events, states, requests and failures."""

from __future__ import annotations

import asyncio

import aiomqtt
import pytest
from sqlalchemy import select

from controller.floor.messages import LARGEST_PAYLOAD, FaultState, TableAddress
from controller.floor.server import storing
from controller.floor.server.floor_service import FloorService
from controller.floor.server.requests import RequestNotSentError
from controller.floor.store.engine import StoreUnavailableError
from controller.floor.store.floor_store import FloorStore
from controller.floor.store.schema import REQUESTS
from controller.records.audit.notes import SigningKey
from tests.controller.floor.mosquitto_process import MosquittoProcess
from tests.controller.floor.postgres_process import PostgresProcess
from tests.controller.floor.server.served_floor import SOON, WITNESS, floor_service, table
from tests.controller.floor.store.conftest import stored_lines
from tests.controller.floor.table.fake_source import FakeSource
from tests.waiting import until

A1 = TableAddress("club", "a1")


def stored(service: FloorService, name: str = "a1") -> int:
    """Return how many events of a table the room shows as stored."""
    found = service.room.table(TableAddress("club", name))
    return found.stored if found is not None else 0


@pytest.mark.slow
def test_a_tables_events_and_state_reach_the_floor(
    mosquitto: MosquittoProcess, sqlite_url: str
) -> None:
    async def play() -> None:
        source = FakeSource(700)
        async with floor_service(sqlite_url, mosquitto.port) as service:
            async with table(mosquitto.port, "a1", source):
                await until(lambda: stored(service) == 700)
                fault = FaultState(
                    code="jam", part="head", evidence="", cure="", role="attendant", since=NOON
                )
                source.shown = source.shown.model_copy(update={"fault": fault})
                source.add()
                await until(lambda: stored(service) == 701)
                await until(lambda: len(source.cosigned) == 1)
                assert source.cosigned[0].signature_of(WITNESS.public) is not None
                shown = service.room.table(A1)
                await until(lambda: _has_fault(service))
                assert shown is not None and shown.is_connected and shown.title == "Table a1"
            await until(lambda: not _is_connected(service))
            text = service.metrics().decode()
            assert "wallwright_floor_events_stored_total 701.0" in text
            assert 'wallwright_floor_tables{connection="lost"} 1.0' in text
        store = FloorStore(sqlite_url)
        assert stored_lines(store) == source.lines
        store.close()

    asyncio.run(play())


NOON = "2026-11-24T12:00:00.000Z"


def _has_fault(service: FloorService) -> bool:
    shown = service.room.table(A1)
    return shown is not None and shown.state is not None and shown.state.fault is not None


def _is_connected(service: FloorService) -> bool:
    shown = service.room.table(A1)
    return shown is not None and shown.is_connected


@pytest.mark.slow
def test_two_services_share_the_events_and_both_show_the_tables(
    mosquitto: MosquittoProcess, postgres_url: str
) -> None:
    async def play() -> None:
        sources = {f"a{number}": FakeSource(3) for number in range(8)}
        port = mosquitto.port
        async with (
            floor_service(postgres_url, port, share="pit") as one,
            floor_service(postgres_url, port, share="pit") as two,
        ):
            await until(lambda: one.room.is_broker_connected and two.room.is_broker_connected)
            async with asyncio.TaskGroup() as group:
                for name, source in sources.items():
                    group.create_task(_play(port, name, source, one, two))
            assert one.counts.events + two.counts.events == 8 * 6
            assert one.counts.events and two.counts.events
        store = FloorStore(postgres_url)
        for name, source in sources.items():
            assert stored_lines(store, name) == source.lines
        store.close()

    async def _play(
        port: int, name: str, source: FakeSource, one: FloorService, two: FloorService
    ) -> None:
        async with table(port, name, source):
            for count in (3, 4, 5, 6):
                await until(lambda: stored(one, name) == stored(two, name) == count)  # noqa: B023
                if count < 6:
                    source.add()

    asyncio.run(play())


@pytest.mark.slow
def test_a_person_on_the_floor_takes_a_table_out_of_play(
    mosquitto: MosquittoProcess, sqlite_url: str
) -> None:
    async def play() -> None:
        source = FakeSource(3)
        async with floor_service(sqlite_url, mosquitto.port) as service:
            with pytest.raises(RequestNotSentError, match="a1 is not connected"):
                await service.request(A1, "take_out_of_play", {}, "Mei", "attendant")
            async with table(mosquitto.port, "a1", source):
                await until(lambda: stored(service) == 3)
                done = await service.request(A1, "take_out_of_play", {}, "Mei", "attendant")
                assert (done.accepted, done.sentence) == (True, "The table is out of play.")
                refused = await service.request(A1, "choose_next", {}, "Mei", "attendant")
                assert refused.accepted is False
                assert "may not request 'choose_next'" in refused.sentence
                assert refused.number > done.number
                assert source.requests == [("take_out_of_play", "Mei", "attendant")]
                rows = await service.read(lambda c: c.execute(select(REQUESTS)).all())
                async with asyncio.timeout(SOON):
                    while rows[-1].replied is None:
                        await asyncio.sleep(0.02)
                        rows = await service.read(lambda c: c.execute(select(REQUESTS)).all())
                assert [(row.who, row.accepted) for row in rows] == [("Mei", True), ("Mei", False)]

    asyncio.run(play())


def test_a_request_without_a_reply_says_so(
    mosquitto: MosquittoProcess, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        monkeypatch.setattr("controller.floor.server.requests.ANSWER", 0.3)
        stranger = SigningKey("pit", b"s" * 32)
        async with (
            floor_service(sqlite_url, mosquitto.port, key=stranger) as service,
            table(mosquitto.port, "a1", FakeSource(1)),
        ):
            await until(lambda: stored(service) == 1)
            done = await service.request(A1, "take_out_of_play", {}, "Mei", "attendant")
            assert done.accepted is None
            assert "has not replied" in done.sentence

    asyncio.run(play())


@pytest.mark.slow
def test_events_of_a_failure_of_the_broker_are_stored_after_it(
    mosquitto: MosquittoProcess, sqlite_url: str
) -> None:
    async def play() -> None:
        source = FakeSource(5)
        async with (
            floor_service(sqlite_url, mosquitto.port) as service,
            table(mosquitto.port, "a1", source),
        ):
            await until(lambda: stored(service) == 5)
            mosquitto.kill()
            await until(lambda: not service.room.is_broker_connected)
            source.add(5)
            mosquitto.start()
            await until(lambda: stored(service) == 10)
            assert service.counts.broker_losses == 1
            assert service.room.is_broker_connected

    asyncio.run(play())


@pytest.mark.slow
def test_a_killed_postgresql_loses_no_event(
    mosquitto: MosquittoProcess, postgres: PostgresProcess
) -> None:
    async def play() -> None:
        source, url = FakeSource(5), postgres.new_database()
        async with (
            floor_service(url, mosquitto.port) as service,
            table(mosquitto.port, "a1", source),
        ):
            for count in (10, 15, 20):
                await until(lambda: stored(service) == len(source.lines))
                await asyncio.to_thread(postgres.kill)
                source.add(count - len(source.lines))
                await until(lambda: not service.room.is_database_available)
                await asyncio.to_thread(postgres.start)
            await until(lambda: stored(service) == 20)
            assert service.room.is_database_available
        store = FloorStore(url)
        assert stored_lines(store) == source.lines
        store.close()

    asyncio.run(play())


@pytest.mark.slow
def test_events_of_a_failure_of_the_database_are_stored_after_it(
    mosquitto: MosquittoProcess, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "RETRY", 0.05)

    async def play() -> None:
        source = FakeSource(5)
        async with (
            floor_service(sqlite_url, mosquitto.port) as service,
            table(mosquitto.port, "a1", source),
        ):
            await until(lambda: stored(service) == 5)
            with monkeypatch.context() as patched:

                def fail(*_: object) -> None:
                    raise StoreUnavailableError("The database does not work.")

                patched.setattr(FloorStore, "write", fail)
                source.add(5)
                await until(lambda: service.counts.database_failures > 1)
                assert not service.room.is_database_available
                assert stored(service) == 5
            await until(lambda: stored(service) == 10)
            assert service.room.is_database_available

    asyncio.run(play())


def test_malformed_messages_of_one_client_are_dropped_and_counted(
    mosquitto: MosquittoProcess, sqlite_url: str
) -> None:
    async def play() -> None:
        source = FakeSource(5)
        async with (
            floor_service(sqlite_url, mosquitto.port) as service,
            aiomqtt.Client("127.0.0.1", mosquitto.port, timeout=SOON) as client,
        ):
            await until(lambda: service.room.is_broker_connected)
            for kind in ("alive", "birth", "state", "events", "reply"):
                for payload in (b"", b"\xff\xfe", b"{}", b"[" * 100_000, b'"' + b"x" * 1000):
                    await client.publish(f"wallwright/1/club/bad{len(payload)}/{kind}", payload, 1)
            await client.publish("wallwright/1/club/big/state", b"x" * (LARGEST_PAYLOAD + 1), 1)
            await client.publish("wallwright/1/club/big/state", b"x" * 10_000_000, 1)
            await client.publish("wallwright/1/club/UPPER/state", b"{}", 1)
            await until(lambda: service.counts.dropped["malformed"] == 26)
            assert service.counts.dropped["topic"] == 1
            async with table(mosquitto.port, "a1", source):
                await until(lambda: stored(service) == 5)
            await client.publish("wallwright/1/club/a2/events", b"{}", 1, retain=True)
        async with floor_service(sqlite_url, mosquitto.port) as service:
            await until(lambda: service.counts.dropped["retained"] == 1)

    asyncio.run(play())
