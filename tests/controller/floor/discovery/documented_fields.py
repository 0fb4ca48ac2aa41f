"""The fields that Home Assistant documents for MQTT discovery of sensors and binary sensors.

Taken on 2026-11-24 from the documentation and from the validators of Home Assistant 2024.3.3
(`homeassistant.components.mqtt`), which accepted every payload of this package. The package itself
is not a dependency: it pins more than forty others to exact versions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any], bool]
TOPIC = re.compile(r"homeassistant/(binary_sensor|sensor)/[a-zA-Z0-9_-]+/[a-zA-Z0-9_-]+/config")
BINARY_CLASSES = {"connectivity", "occupancy", "problem", "running", "safety", "update"}
SENSOR_CLASSES = {"duration", "enum", "timestamp"}


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_topic(value: Any) -> bool:
    """A topic that can be subscribed to, without wildcards."""
    return is_text(value) and 0 < len(value.encode()) < 65536 and not set(value) & {"+", "#", "\0"}


def is_positive(value: Any) -> bool:
    return type(value) is int and value > 0


def is_one_of(*values: str) -> Check:
    return lambda value: value in values


def has_only(fields: Mapping[str, Check], required: set[str]) -> Check:
    """Whether a value is an object with these fields, and with the required ones."""

    def check(value: Any) -> bool:
        return (
            isinstance(value, dict)
            and required <= value.keys() <= fields.keys()
            and all(fields[name](each) for name, each in value.items())
        )

    return check


def is_list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


COMMON: Mapping[str, Check] = {
    "availability": is_list_of(
        has_only({"topic": is_topic, "value_template": is_text}, {"topic", "value_template"})
    ),
    "device": has_only(
        {
            "identifiers": is_list_of(is_text),
            "manufacturer": is_text,
            "model": is_text,
            "name": is_text,
            "suggested_area": is_text,
            "sw_version": is_text,
        },
        {"identifiers"},
    ),
    "entity_category": is_one_of("diagnostic"),
    "expire_after": is_positive,
    "icon": lambda value: re.fullmatch(r"mdi:[a-z-]+", value) is not None,
    "json_attributes_template": is_text,
    "json_attributes_topic": is_topic,
    "name": is_text,
    "origin": has_only({"name": is_text, "sw_version": is_text}, {"name"}),
    "qos": lambda value: value in (0, 1, 2),
    "state_topic": is_topic,
    "unique_id": is_text,
    "value_template": is_text,
}
REQUIRED = {"state_topic", "unique_id", "device", "origin"}
OF_COMPONENT: Mapping[str, Check] = {
    "binary_sensor": has_only(
        {**COMMON, "device_class": is_one_of(*BINARY_CLASSES)}, required=REQUIRED
    ),
    "sensor": has_only(
        {
            **COMMON,
            "device_class": is_one_of(*SENSOR_CLASSES),
            "state_class": is_one_of("measurement", "total", "total_increasing"),
            "unit_of_measurement": is_text,
        },
        required=REQUIRED,
    ),
}
"""The check of a payload, by its component."""
