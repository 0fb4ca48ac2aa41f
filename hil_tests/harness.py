"""The harness: a table whose outputs are wired to its own sensors.

    motor     pin 2 -> sensor "forward", pin 22     reverse pin 3 -> sensor "reverse", pin 23
    second    pin 4 -> sensor "turning", pin 24
    lamp      pin 5 -> sensor "lit", pin 25
    axis      step pin 6 -> sensor "steps", pin 26   direction pin 7 -> sensor "way", pin 27
    (free)    pin 8 -> sensor "home", pin 28: output "switch" closes the axis's home switch

Nothing else is connected. Sensors are active high. Pin 20 is the emergency stop, pin 21 the light
curtain, both closed to ground; pin 69 is on ground.
"""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from config.schema import BoardConfig
from firmware_bridge.boards import encoding as words
from firmware_bridge.wire.messages import Configure, Flag

LOOPS = {2: 22, 3: 23, 4: 24, 5: 25, 6: 26, 7: 27, 8: 28}
"""The sensor pin to which each output pin is wired."""
EMERGENCY, CURTAIN = 20, 21
STEP_NM = 150_000
SPEED_UM_S, ACCELERATION_UM_S2 = 150_000, 1_500_000
HIGH_UM = 60_000
LEASE = 0.5

_SENSOR = {"kind": "sensor", "active": "high", "debounce_ms": 0}
_CHANNELS: dict[str, dict[str, Any]] = {
    "motor": {"kind": "motor", "pin": 2, "reverse_pin": 3, "safe": 0, "max_on": 2.0},
    "second": {
        "kind": "motor",
        "pin": 4,
        "safe": 0,
        "max_on": 2.0,
        "forward_stop": "lit",
    },
    "lamp": {"kind": "output", "pin": 5, "safe": 0},
    "switch": {"kind": "output", "pin": 8, "safe": 0},
    "axis": {
        "kind": "axis",
        "pin": 6,
        "direction_pin": 7,
        "home_switch": "home",
        "low": 0.0,
        "high": HIGH_UM / 1e6,
        "speed": SPEED_UM_S / 1e6,
        "acceleration": ACCELERATION_UM_S2 / 1e6,
        "step_mm": STEP_NM / 1e6,
    },
    "forward": {**_SENSOR, "pin": 22},
    "reverse": {**_SENSOR, "pin": 23},
    "turning": {**_SENSOR, "pin": 24},
    "lit": {**_SENSOR, "pin": 25},
    "steps": {**_SENSOR, "pin": 26},
    "way": {**_SENSOR, "pin": 27},
    "home": {**_SENSOR, "pin": 28},
    "emergency": {**_SENSOR, "pin": EMERGENCY, "debounce_ms": 2},
    "curtain": {**_SENSOR, "pin": CURTAIN, "debounce_ms": 2},
}
CONFIG = TypeAdapter(BoardConfig).validate_python(
    {"kind": "serial", "address": 0, "lease": LEASE, "channels": _CHANNELS}
)
FLAGS = {"emergency": Flag.EMERGENCY, "curtain": Flag.CURTAIN}
NAMES = tuple(CONFIG.channels)
RECORDS: tuple[Configure, ...] = words.records(CONFIG, FLAGS)
SENSOR_ON_PIN = {
    channel.pin: name for name, channel in CONFIG.channels.items() if channel.kind == "sensor"
}


def number(channel: str) -> int:
    """Return a channel's number in the messages of the protocol."""
    return NAMES.index(channel)
