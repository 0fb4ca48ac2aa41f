"""The harness: a table whose outputs are wired to its own sensors.

    motor     "motor" -> sensor "forward"     its reverse pin -> sensor "reverse"
    second    motor "second" -> sensor "turning"
    lamp      output "lamp" -> sensor "lit"
    axis      step pin -> sensor "steps"      direction pin -> sensor "way"
    (free)    output "switch" -> sensor "home": it closes the axis's home switch

Nothing else is connected. Sensors are active high. The emergency stop and the light curtain are
closed to ground, and the pin for the motors' current is on ground. The pins depend on the chip.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, TypeAdapter

from config.board_profiles import board_profile
from config.loader import read
from config.schema import BoardConfig, Part
from firmware_bridge.boards import encoding as words
from firmware_bridge.wire.codes import Flag
from firmware_bridge.wire.messages import Configure

STEP_NM = 150_000
SPEED_UM_S, ACCELERATION_UM_S2 = 150_000, 1_500_000
HIGH_UM = 60_000
LEASE = 0.5
LONGEST_LEASE = 2.0
"""The longest lease of a table, for a board that is a program: a busy computer may run it late."""
FLAGS = {"emergency": Flag.EMERGENCY, "curtain": Flag.CURTAIN}

_SENSOR = {"kind": "sensor", "active": "high", "debounce_ms": 0}
_OUTPUTS = (
    "motor",
    "motor reverse",
    "second",
    "lamp",
    "axis step",
    "axis direction",
    "switch",
)
_SENSORS = ("forward", "reverse", "turning", "lit", "steps", "way", "home")


class Wire(Part):
    """A wire of the harness, from an output pin to a sensor's pin."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    output: str
    """The output."""
    pin: int = Field(alias="from")
    """The pin of the output."""
    sensor: str
    """The sensor."""
    to: int
    """The pin of the sensor."""
    through: str
    """The parts in the wire, for people."""

    @property
    def channel(self) -> str:
        """The output's channel in the table of the self-check."""
        return f"output{self.pin}"

    def __str__(self) -> str:
        return f"{self.output}, pin {self.pin} to pin {self.to}, through {self.through}"


class HarnessFile(Part):
    """A harness as its YAML file has it."""

    chip: str
    """The board's profile."""
    wires: tuple[Wire, ...]
    """The wires."""


@dataclass(frozen=True)
class Harness:
    """The harness on a kind of board.

    `outputs` are the pins of the motor, its reverse, the second motor, the lamp, the axis's steps,
    its direction and the switch; `inputs` are the pins to which they are wired, in this order.
    """

    chip: str
    outputs: tuple[int, int, int, int, int, int, int]
    inputs: tuple[int, int, int, int, int, int, int]
    through: tuple[str, ...] = ("1 kΩ",) * 7
    lease: float = LEASE
    """The lease of the board's table, seconds."""

    @property
    def wires(self) -> tuple[Wire, ...]:
        """The wires of the harness."""
        rows = zip(_OUTPUTS, self.outputs, _SENSORS, self.inputs, self.through, strict=True)
        return tuple(
            Wire(output=output, pin=pin, sensor=sensor, to=to, through=through)
            for output, pin, sensor, to, through in rows
        )

    @cached_property
    def check_config(self) -> BoardConfig:
        """The table of the self-check, in which every output of the harness is a plain output."""
        channels = {
            wire.channel: {"kind": "output", "pin": wire.pin, "safe": 0, "max_on": 5.0}
            for wire in self.wires
        }
        sensors = {wire.sensor: {**_SENSOR, "pin": wire.to} for wire in self.wires}
        safety = {
            name: {**_SENSOR, "pin": pin, "debounce_ms": 2} for name, pin in self.safety.items()
        }
        return TypeAdapter(BoardConfig).validate_python(
            {
                "kind": "serial",
                "chip": self.chip,
                "address": 0,
                "lease": self.lease,
                "channels": {**channels, **sensors, **safety},
            }
        )

    @property
    def step_pin(self) -> int:
        """The pin of the axis's steps."""
        return self.outputs[4]

    @property
    def loops(self) -> dict[int, int]:
        """The sensor pin to which each output pin is wired."""
        return dict(zip(self.outputs, self.inputs, strict=True))

    @property
    def safety(self) -> dict[str, int]:
        """The pins of the emergency stop and of the light curtain."""
        profile = board_profile(self.chip)
        emergency, curtain = profile.reserved("emergency"), profile.reserved("curtain")
        assert emergency is not None and curtain is not None
        return {"emergency": emergency, "curtain": curtain}

    @cached_property
    def config(self) -> BoardConfig:
        """The board's table."""
        motor, reverse, second, lamp, step, direction, switch = self.outputs
        channels: dict[str, dict[str, Any]] = {
            "motor": {
                "kind": "motor",
                "pin": motor,
                "reverse_pin": reverse,
                "safe": 0,
                "max_on": 2.0,
            },
            "second": {
                "kind": "motor",
                "pin": second,
                "safe": 0,
                "max_on": 2.0,
                "forward_stop": "lit",
            },
            "lamp": {"kind": "output", "pin": lamp, "safe": 0},
            "switch": {"kind": "output", "pin": switch, "safe": 0},
            "axis": {
                "kind": "axis",
                "pin": step,
                "direction_pin": direction,
                "home_switch": "home",
                "low": 0.0,
                "high": HIGH_UM / 1e6,
                "speed": SPEED_UM_S / 1e6,
                "acceleration": ACCELERATION_UM_S2 / 1e6,
                "step_mm": STEP_NM / 1e6,
            },
            **{
                name: {**_SENSOR, "pin": pin}
                for name, pin in zip(_SENSORS, self.inputs, strict=True)
            },
            **{
                name: {**_SENSOR, "pin": pin, "debounce_ms": 2} for name, pin in self.safety.items()
            },
        }
        return TypeAdapter(BoardConfig).validate_python(
            {
                "kind": "serial",
                "chip": self.chip,
                "address": 0,
                "lease": self.lease,
                "channels": channels,
            }
        )

    @cached_property
    def records(self) -> tuple[Configure, ...]:
        """The table as it is sent to the board."""
        return words.records(self.config, FLAGS)

    @property
    def sensor_on_pin(self) -> dict[int, str]:
        """The sensor on each input pin."""
        return {
            channel.pin: name
            for name, channel in self.config.channels.items()
            if channel.kind == "sensor"
        }


def harness_in(file: Path) -> Harness:
    """Reads a harness from its YAML file. Raises ConfigErrors, or ValueError for a missing wire."""
    values = HarnessFile.model_validate(read(file).value, strict=False)
    by_output = {wire.output: wire for wire in values.wires}
    missing = [
        name for name in (*_OUTPUTS, *by_output) if name not in by_output.keys() & {*_OUTPUTS}
    ]
    if missing:
        raise ValueError(f"{file}: the wires have to be {', '.join(_OUTPUTS)}; see {missing[0]}.")
    wires = tuple(by_output[name] for name in _OUTPUTS)
    pins = tuple(wire.pin for wire in wires), tuple(wire.to for wire in wires)
    return Harness(values.chip, *pins, tuple(wire.through for wire in wires))  # type: ignore[arg-type]


_FOLDER = Path(__file__).parent / "harnesses"
MEGA, PICO = harness_in(_FOLDER / "mega2560.yaml"), harness_in(_FOLDER / "rp2040.yaml")
HARNESSES = {harness.chip: harness for harness in (MEGA, PICO)}
