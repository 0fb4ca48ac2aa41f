"""Attacks on the broker: without a certificate, with another table's, and with a revoked one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiomqtt
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from controller.floor.certificates import certificate, files
from controller.floor.certificates.authority import make_authority
from controller.floor.messages import Alive, State, StoredPosition, encoded, parsed
from controller.floor.store.floor_store import FloorStore
from controller.floor.store.table_changes import ChangedBy, retire_table
from tests.controller.floor.event_lines import BIRTH, batch_of, birth_of, lines_of, log_id
from tests.controller.floor.server.served_floor import floor_service
from tests.controller.floor.table.fake_source import IDLE
from tests.controller.floor.tls_floor import (
    ANSWER,
    BROKER,
    FLOOR,
    HOST,
    READER,
    SERVER,
    TlsFloor,
    received,
    table,
)
from tests.waiting import until

pytestmark = pytest.mark.slow
BELOW = f"wallwright/1/{FLOOR}"
T1, T2 = table("t1"), table("t2")
AT = "2026-11-24T20:00:00.000Z"
CONNECT = bytes.fromhex("100d 00044d515454 05 02 003c 00 0000")
"""The message CONNECT of MQTT 5, without an identifier."""
CONNECTED = b"\x20"
"""The first byte of the broker's answer CONNACK."""


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[TlsFloor]:
    broker = TlsFloor(tmp_path)
    broker.start()
    yield broker
    broker.kill()


@asynccontextmanager
async def closed_at_the_end(writer: asyncio.StreamWriter) -> AsyncIterator[None]:
    """Close a connection at the end of the block; the broker may have closed it before."""
    try:
        yield
    finally:
        writer.close()
        with suppress(OSError):
            async with asyncio.timeout(60):
                await writer.wait_closed()


async def is_refused(floor: TlsFloor, *, folder: Path | None) -> bool:
    """Whether the broker refuses a connection with the certificate in a folder, or without one."""
    try:
        reader, writer = await asyncio.open_connection(HOST, floor.port, ssl=floor.tls(folder))
        async with closed_at_the_end(writer):
            writer.write(CONNECT)
            async with asyncio.timeout(60):
                answer = await reader.read(1)
    except TimeoutError:
        raise  # no answer is not a refusal
    except OSError:
        return True
    return answer != CONNECTED


async def accepts(client: aiomqtt.Client, topic: str) -> bool:
    """Whether the broker accepts a message with this topic."""
    publisher = client._client
    acknowledged: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    usual = publisher.on_publish

    def acknowledge(*given: Any) -> None:
        acknowledged.set_result(given[3].value)
        assert usual is not None
        usual(*given)

    publisher.on_publish = acknowledge
    await client.publish(topic, b"{}", qos=1)
    publisher.on_publish = usual
    return acknowledged.result() < 0x80


def test_a_client_without_a_certificate_is_refused(floor: TlsFloor) -> None:
    assert asyncio.run(is_refused(floor, folder=None))
    assert not asyncio.run(is_refused(floor, folder=floor.folders[T1]))


def test_a_certificate_of_another_floors_authority_is_refused(
    floor: TlsFloor, tmp_path: Path
) -> None:
    other = make_authority(tmp_path / "other", FLOOR, datetime.now(UTC))
    issued = other.issue(T1, (), 398, datetime.now(UTC))
    assert asyncio.run(is_refused(floor, folder=issued))


def test_the_brokers_certificate_is_no_clients(floor: TlsFloor) -> None:
    assert asyncio.run(is_refused(floor, folder=floor.folders[BROKER]))


def test_a_stolen_tables_certificate_cannot_serve_as_the_broker(
    floor: TlsFloor, tmp_path: Path
) -> None:
    floor.kill()
    own = floor.folders[T1]
    pair = (own / "certificate.pem").read_bytes() + (own / "key.pem").read_bytes()
    (floor.folder / "mosquitto" / "broker.pem").write_bytes(pair)
    floor.start()
    assert asyncio.run(is_refused(floor, folder=floor.folders[T2]))


def test_a_table_cannot_publish_as_another_table_nor_as_the_floor(floor: TlsFloor) -> None:
    async def attack() -> tuple[list[str], list[tuple[str, bytes]]]:
        async with (
            floor.client(SERVER, f"{BELOW}/#") as server,
            floor.client(T1, identifier="t2") as thief,
        ):
            topics = [
                f"{BELOW}/{name}/{kind}"
                for name in ("t1", "t2", "server.main")
                for kind in (
                    "alive",
                    "birth",
                    "state",
                    "events",
                    "reply",
                    "position",
                    "request",
                    "other",
                )
            ]
            topics += [f"homeassistant/sensor/{name}/x/config" for name in ("t1", "t2")]
            topics += ["homeassistant/status", "wallwright/1/other/t1/state", "$SYS/x", "x"]
            accepted = [topic for topic in topics if await accepts(thief, topic)]
            return accepted, await received(server, thief, f"{BELOW}/t1/state")

    accepted, arrived = asyncio.run(attack())
    own = [f"{BELOW}/t1/{kind}" for kind in ("alive", "birth", "state", "events", "reply")]
    assert [topic for topic in accepted if "/t1/" in topic] == [
        *own,
        "homeassistant/sensor/t1/x/config",
    ]
    assert [topic for topic, _ in arrived if "/t2/" in topic] == []
    assert not any("/t2/" in topic or topic.endswith(("x", "status")) for topic in accepted)


def test_a_table_reads_messages_to_itself_only(floor: TlsFloor) -> None:
    async def attack() -> list[tuple[str, bytes]]:
        async with floor.client(T2) as other, floor.client(SERVER) as server:
            await other.publish(f"{BELOW}/t2/state", b"secret", qos=1, retain=True)
            async with floor.client(T1, "#", f"{BELOW}/t2/#", "$SYS/#") as thief:
                for name in ("t1", "t2"):
                    await server.publish(f"{BELOW}/{name}/request", b"for " + name.encode(), qos=1)
                await other.publish(f"{BELOW}/t2/events", b"secret", qos=1)
                return await received(thief, server, f"{BELOW}/t1/request")

    assert asyncio.run(attack()) == [(f"{BELOW}/t1/request", b"for t1")]


def test_a_table_cannot_end_the_connection_of_another_with_its_identifier(
    floor: TlsFloor,
) -> None:
    async def attack() -> list[tuple[str, bytes]]:
        async with (
            floor.client(T2, f"{BELOW}/t2/request", identifier="t2") as victim,
            floor.client(T1, identifier="t2"),
            floor.client(SERVER) as server,
        ):
            await server.publish(f"{BELOW}/t2/request", b"still here", qos=1)
            return await received(victim, server, f"{BELOW}/t2/request")

    assert asyncio.run(attack()) == [(f"{BELOW}/t2/request", b"still here")]


def test_a_forged_will_in_the_name_of_another_table_is_not_published(floor: TlsFloor) -> None:
    async def attack() -> list[tuple[str, bytes]]:
        wills = [
            aiomqtt.Will(f"{BELOW}/{name}/alive", b"dead", 1, retain=True) for name in ("t2", "t1")
        ]
        async with floor.client(SERVER, f"{BELOW}/+/alive") as server:
            for will in wills:
                try:
                    async with floor.client(T1, will=will, identifier="t1") as thief:
                        thief._client._sock_close()  # as if the network were cut
                        await asyncio.sleep(0.2)
                except aiomqtt.MqttError:
                    pass
            async with asyncio.timeout(ANSWER):
                first = await anext(aiter(server.messages))
            async with floor.client(T1) as own:
                later = await received(server, own, f"{BELOW}/t1/alive")
            return [(first.topic.value, bytes(first.payload)), *later]

    assert asyncio.run(attack()) == [(f"{BELOW}/t1/alive", b"dead")]


def test_a_reader_reads_states_and_can_send_nothing_to_a_table(floor: TlsFloor) -> None:
    async def attack() -> tuple[list[bool], list[tuple[str, bytes]]]:
        async with floor.client(READER, f"{BELOW}/#") as reader, floor.client(T1) as own:
            await own.publish(f"{BELOW}/t1/events", b"private", qos=1)
            await own.publish(f"{BELOW}/t1/state", b"state", qos=1)
            sent = [await accepts(reader, f"{BELOW}/t1/{kind}") for kind in ("request", "position")]
            return sent, await received(reader, own, f"{BELOW}/t1/state")

    assert asyncio.run(attack()) == ([False, False], [(f"{BELOW}/t1/state", b"state")])


def test_a_revoked_certificate_is_refused_after_a_reload(floor: TlsFloor) -> None:
    """The broker ends a live connection only when it restarts or the table connects anew."""

    async def attack() -> tuple[bool, bool]:
        async with floor.client(T1) as thief:
            floor.authority.revoke(T1, None, datetime.now(UTC))
            floor.write_files()
            floor.reload()
            live = await accepts(thief, f"{BELOW}/t1/state")
            fresh = floor.authority.issue(T1, (), 398, datetime.now(UTC))
            async with floor.client(T1, folder=fresh) as table_with_new_certificate:
                assert await accepts(table_with_new_certificate, f"{BELOW}/t1/state")
                with pytest.raises(aiomqtt.MqttError):
                    async with asyncio.timeout(ANSWER):
                        await anext(aiter(thief.messages))
            return live, await is_refused(floor, folder=floor.folders[T1])

    assert asyncio.run(attack()) == (True, True)
    assert not asyncio.run(is_refused(floor, folder=floor.folders[T2]))


def test_old_and_new_certificate_connect_after_a_renewal(floor: TlsFloor) -> None:
    renewed = floor.authority.renew(T1, 398, datetime.now(UTC))
    assert not asyncio.run(is_refused(floor, folder=floor.folders[T1]))
    assert not asyncio.run(is_refused(floor, folder=renewed))


def test_an_ended_certificate_is_refused(floor: TlsFloor) -> None:
    ended = floor.authority.renew(T1, 1, datetime(2026, 1, 1, tzinfo=UTC))
    assert asyncio.run(is_refused(floor, folder=ended))


def test_the_brokers_renewed_certificate_is_served_after_a_reload(floor: TlsFloor) -> None:
    newer = floor.authority.renew(BROKER, 398, datetime.now(UTC))
    floor.write_files()
    floor.reload()

    async def served() -> bytes | None:
        _, writer = await asyncio.open_connection(
            HOST, floor.port, ssl=floor.tls(floor.folders[T1])
        )
        async with closed_at_the_end(writer):
            served_certificate: bytes | None = writer.get_extra_info("ssl_object").getpeercert(True)
        return served_certificate

    made = x509.load_pem_x509_certificate((newer / "certificate.pem").read_bytes())
    assert asyncio.run(served()) == made.public_bytes(Encoding.DER)


def test_an_ended_revocation_list_refuses_every_client(floor: TlsFloor) -> None:
    """Why the list ends no earlier than any certificate, and why its end is a finding."""
    past = datetime(2024, 1, 1, tzinfo=UTC)
    signer = floor.authority._signer
    ended = certificate.revocation_list({}, 99, signer, past, datetime(2025, 1, 1, tzinfo=UTC))
    (floor.folder / "mosquitto" / "crl.pem").write_bytes(files.pem(ended))
    floor.reload()
    assert asyncio.run(is_refused(floor, folder=floor.folders[T1]))


def test_a_retired_table_that_is_still_connected_changes_nothing_on_the_floor(
    floor: TlsFloor, sqlite_url: str
) -> None:
    """The broker refuses its certificate from the next connection on; the service at once."""
    lines = lines_of(9, "t1")

    async def attack() -> tuple[int, list[StoredPosition]]:
        async with (
            floor_service(sqlite_url, floor.broker(SERVER)) as service,
            floor.client(T1, f"{BELOW}/t1/position") as thief,
        ):
            await until(lambda: service.room.is_broker_connected)
            await thief.publish(f"{BELOW}/t1/events", encoded(batch_of(lines, 0, 5, "t1").events))
            await until(lambda: service.counts.events == 5)
            manager = FloorStore(sqlite_url)  # as `wallwright floor retire` in another process
            by, now = ChangedBy("manager"), datetime.now(UTC)
            manager.write(lambda connection: retire_table(connection, FLOOR, "t1", by, now))
            manager.close()
            later = encoded(batch_of(lines, 5, 9, "t1").events)
            await thief.publish(f"{BELOW}/t1/events", later)
            await until(lambda: len(service.room) == 0)
            for kind, payload in (
                ("birth", birth_of(BIRTH, log_id(lines), "Mine again")),
                ("alive", Alive(online=True, birth=BIRTH)),
                ("state", State(**IDLE.model_dump(), birth=BIRTH, sequence=0, at=AT)),
            ):
                await thief.publish(f"{BELOW}/t1/{kind}", encoded(payload), retain=True)
            await thief.publish(f"{BELOW}/t1/events", later)
            await until(lambda: service.counts.dropped["retired"] == 5)
            assert len(service.room) == 0
            answers = list[StoredPosition]()
            async with asyncio.timeout(ANSWER):
                async for message in thief.messages:
                    answers.append(parsed(StoredPosition, bytes(message.payload)))  # type: ignore[arg-type] # bytes
                    if answers[-1].retired:
                        break
            return service.counts.events, answers

    stored, answers = asyncio.run(attack())
    assert stored == 5
    assert [(each.next, each.retired) for each in answers] == [(5, False), (0, True)]
