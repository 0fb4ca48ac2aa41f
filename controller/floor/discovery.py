"""Announces a table to Home Assistant: MQTT discovery, one retained message for each entity.

The topics are `homeassistant/COMPONENT/TABLE/OBJECT/config`. The second level is the table's name
alone, so that a broker can permit each table its own entities only. The templates are constant
texts: nothing that a table sends becomes part of a template.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from controller.floor.broker import BrokerConnection
from controller.floor.messages import Birth, Kind, TableAddress

Component = Literal["binary_sensor", "sensor"]
LONGEST_STATE = 250
"""Characters of a sensor's value; Home Assistant refuses more than 255."""


@dataclass(frozen=True)
class HomeEntity:
    """One entity: its component, its name, the template of its value, and further options.

    `of` is the kind of message with the value. `attributes` is a template of a JSON object.
    """

    component: Component
    key: str
    name: str
    value: str
    of: Kind = "state"
    attributes: str | None = None
    options: Mapping[str, str | bool | int] = field(default_factory=dict)


def _on_if(condition: str) -> str:
    return "{{ 'ON' if " + condition + " else 'OFF' }}"


ONLINE = "{{ 'online' if value_json.online else 'offline' }}"
"""The template of the availability, from the message `alive`."""
ENTITIES = (
    HomeEntity(
        "binary_sensor",
        "connected",
        "Connected",
        _on_if("value_json.online"),
        of="alive",
        options={"device_class": "connectivity", "entity_category": "diagnostic"},
    ),
    HomeEntity(
        "binary_sensor",
        "problem",
        "Problem",
        _on_if("value_json.fault"),
        attributes="{{ (value_json.fault or {}) | tojson }}",
        options={"device_class": "problem"},
    ),
    HomeEntity(
        "binary_sensor",
        "in_play",
        "In play",
        _on_if("value_json.service == 'session'"),
        options={"device_class": "occupancy"},
    ),
    HomeEntity(
        "binary_sensor",
        "needs_person",
        "Needs a person",
        _on_if("value_json.needs"),
        attributes="{{ (value_json.needs[0] if value_json.needs else {}) | tojson }}",
        options={"icon": "mdi:account-alert"},
    ),
    HomeEntity(
        "sensor",
        "waiting_since",
        "Waiting since",
        "{{ value_json.needs[0].since if value_json.needs else 'None' }}",
        options={"device_class": "timestamp"},
    ),
    HomeEntity(
        "sensor",
        "rounds",
        "Rounds",
        "{{ value_json.rounds }}",
        options={"state_class": "total_increasing", "icon": "mdi:counter"},
    ),
    HomeEntity(
        "sensor",
        "game",
        "Game",
        "{{ value_json.game or 'None' }}",
        options={"icon": "mdi:cards"},
    ),
    HomeEntity(
        "sensor",
        "status",
        "Status",
        "{{ value_json.sentence[:" + str(LONGEST_STATE) + "] or 'None' }}",
        options={"icon": "mdi:information-outline"},
    ),
    HomeEntity(
        "binary_sensor",
        "out_of_play",
        "Out of play",
        _on_if("value_json.out_of_play"),
        options={"icon": "mdi:table-cancel"},
    ),
    HomeEntity(
        "sensor",
        "missing_tiles",
        "Missing tiles",
        "{{ value_json.tiles_expected - value_json.tiles_accounted }}",
        options={"state_class": "measurement", "entity_category": "diagnostic"},
    ),
)
"""Every entity of a table."""


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


class HomeAssistant:
    """Announces one table over its connection, and removes it from Home Assistant."""

    def __init__(self, address: TableAddress) -> None:
        self._address = address
        self._announced_at: float | None = None
        """When the table was announced, on the event loop's clock; None while it is not."""

    async def announce(self, connection: BrokerConnection, birth: Birth) -> None:
        """Publish the table's entities for Home Assistant; the broker deletes them later."""
        self._announced_at = asyncio.get_running_loop().time()
        for message in discovery_messages(birth, self._address):
            await connection.publish(message.topic, message.payload, retain=True, expiry=EXPIRY)

    async def withdraw(self, connection: BrokerConnection) -> None:
        """Remove the table, if it is announced."""
        if self._announced_at is None:
            return
        self._announced_at = None
        for message in removal_messages(self._address):
            await connection.publish(message.topic, message.payload, retain=True)

    def is_due(self) -> bool:
        """Whether the table was announced so long ago that it has to be announced again."""
        now, announced = asyncio.get_running_loop().time(), self._announced_at
        return announced is not None and now >= announced + REPEAT


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
