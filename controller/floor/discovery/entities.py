"""The entities of a table in Home Assistant, and how their values follow from the messages.

The templates are constant texts: nothing that a table sends becomes part of a template.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from controller.floor.messages.topics import Kind

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
