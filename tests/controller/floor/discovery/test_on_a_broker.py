"""Home Assistant's part: what a reader gets from a table that announces itself, with TLS."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from controller.floor.discovery import ENTITIES, EXPIRY
from controller.floor.messages import TableAddress
from controller.floor.settings import FloorSettings
from controller.floor.table.publisher import TablePublisher
from tests.controller.floor.discovery.documented_fields import OF_COMPONENT
from tests.controller.floor.table.fake_source import FakeSource
from tests.controller.floor.tls_floor import FLOOR, READER, TlsFloor, table

pytestmark = pytest.mark.slow
T1 = table("t1")


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[TlsFloor]:
    broker = TlsFloor(tmp_path)
    broker.start()
    yield broker
    broker.kill()


def test_a_reader_that_starts_later_gets_every_entity_and_the_topics_that_they_name(
    floor: TlsFloor,
) -> None:
    settings = FloorSettings(TableAddress(FLOOR, "t1"), "Table 1", floor.broker(T1), discovery=True)

    async def home_assistant() -> tuple[dict[str, Any], dict[str, Any], set[str]]:
        publisher = asyncio.create_task(TablePublisher(settings, FakeSource(1)).run())
        await asyncio.sleep(2.0)
        entities: dict[str, Any] = {}
        expiries: dict[str, Any] = {}
        async with floor.client(READER, "homeassistant/#") as reader:
            async with asyncio.timeout(60):
                async for message in reader.messages:
                    topic = message.topic.value
                    entities[topic] = json.loads(bytes(message.payload))  # type: ignore[arg-type]
                    expiries[topic] = message.properties.MessageExpiryInterval  # type: ignore[union-attr]
                    if len(entities) == len(ENTITIES):
                        break
            named = {entity["state_topic"] for entity in entities.values()}
            for topic in named:
                await reader.subscribe(topic, qos=1)
            received: set[str] = set()
            async with asyncio.timeout(60):
                async for message in reader.messages:
                    received.add(message.topic.value)
                    if received >= named:
                        break
        publisher.cancel()
        with suppress(asyncio.CancelledError):
            await publisher
        return entities, expiries, received

    entities, expiries, received = asyncio.run(home_assistant())
    for topic, entity in entities.items():
        assert OF_COMPONENT[topic.split("/")[1]](entity), entity
        assert EXPIRY - 60 < expiries[topic] <= EXPIRY
    assert {topic.rsplit("/", 1)[1] for topic in received} == {"alive", "state"}
