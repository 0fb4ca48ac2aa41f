"""The discovery messages of a table, as values: `homeassistant/COMPONENT/TABLE/OBJECT/config`.

The second level of the topic is the table's name alone, so that a broker can permit each table its
own entities only.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from controller.floor.discovery.entities import ENTITIES, ONLINE, HomeEntity
from controller.floor.messages.payloads import Birth
from controller.floor.messages.topics import TableAddress

PREFIX = "homeassistant"
"""The first level of the topics, as Home Assistant has it unless it is configured otherwise."""
EXPIRY = 7 * 24 * 3600
"""Seconds after which the broker deletes a message, so that a removed table disappears."""
REPEAT = 24 * 3600
"""Seconds after which a table that stays connected publishes its messages again."""
MISSED = 3
"""States that may be missing before the values expire (our choice)."""


@dataclass(frozen=True)
class DiscoveryMessage:
    """A message to publish retained, with `EXPIRY`. An empty payload removes the entity."""

    topic: str
    payload: bytes


def discovery_messages(birth: Birth, address: TableAddress) -> tuple[DiscoveryMessage, ...]:
    """The messages that announce every entity of a table."""
    return tuple(
        DiscoveryMessage(
            _topic(entity, address),
            json.dumps(_configuration(entity, birth, address), ensure_ascii=False).encode(),
        )
        for entity in ENTITIES
    )


def removal_messages(address: TableAddress) -> tuple[DiscoveryMessage, ...]:
    """The messages that remove every entity of a table."""
    return tuple(DiscoveryMessage(_topic(entity, address), b"") for entity in ENTITIES)


def _topic(entity: HomeEntity, address: TableAddress) -> str:
    place = f"{address.table}/{address.floor}_{entity.key}"
    return f"{PREFIX}/{entity.component}/{place}/config"


def _configuration(entity: HomeEntity, birth: Birth, address: TableAddress) -> dict[str, Any]:
    """The fields that Home Assistant documents for MQTT sensors and binary sensors."""
    # Names of floors and tables have no dot, so that two tables never have the same identifier.
    device = f"wallwright.{address.floor}.{address.table}"
    topic = address.topic(entity.of)
    fields: dict[str, Any] = {
        "name": entity.name,
        "unique_id": f"{device}.{entity.key}",
        "state_topic": topic,
        "value_template": entity.value,
        "qos": 1,
        **entity.options,
        "device": {
            "identifiers": [device],
            "name": birth.title or address.table,
            "manufacturer": "Wallwright",
            "model": _model(birth),
            "sw_version": birth.software,
            "suggested_area": address.floor,
        },
        "origin": {"name": "Wallwright", "sw_version": birth.software},
    }
    if entity.attributes is not None:
        fields |= {"json_attributes_topic": topic, "json_attributes_template": entity.attributes}
    if entity.of == "state":
        fields["expire_after"] = math.ceil(MISSED * birth.state_every)
        fields["availability"] = [{"topic": address.topic("alive"), "value_template": ONLINE}]
    return fields


def _model(birth: Birth) -> str:
    return f"{'simulated ' if birth.simulated else ''}table with {birth.seats} seats"
