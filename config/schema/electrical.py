"""Schema of an electrical profile: how a kind of motor or sensor is wired, its defaults, limits."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from config.schema.channels import Threshold
from config.schema.part import Part, Seconds, Unit


class SpanLimit(Part):
    """The smallest and the largest value of a key that a profile allows."""

    least: float | None = None
    """The smallest value."""
    most: float | None = None
    """The largest value."""


class MotorDefaults(Part):
    """Values of a motor's keys that its table does not give."""

    safe: Annotated[int, Field(ge=0, le=0)] = 0
    """The drive while no host holds the lease: off."""
    dead_time: Annotated[float, Field(ge=0, le=300), Unit("s")] | None = None
    """The time for which the board keeps the motor off before it reverses."""
    least_on: Annotated[float, Field(ge=0, le=60), Unit("s")] | None = None
    """The shortest time for which the motor is switched on."""
    max_on: Seconds | None = None
    """The longest time that the motor can run without a new command."""


class SensorDefaults(Part):
    """Values of a sensor's keys that its table does not give."""

    active: Literal["high", "low"]
    """The level at which the sensor is active."""
    debounce_ms: Annotated[float, Field(ge=0, le=250), Unit("ms")]
    """The time that a level has to last before it counts."""
    threshold: Threshold | None = None
    """The voltages at which the level changes."""


class MotorProfile(Part):
    """A kind of motor with its power switch."""

    name: str
    """The name that a motor's `driver:` gives."""
    title: str
    """A description of the motor and its power switch, for people."""
    kind: Literal["motor"]
    """The kind of channel that it is for."""
    wiring: str
    """How its inputs are wired to the board."""
    reverses: bool
    """Whether it runs both ways and so needs a `reverse_pin`; if not, it must not have one."""
    full_only: bool
    """Whether it only runs fully or not at all, as a relay cannot be modulated."""
    needs: tuple[Literal["forward_stop", "reverse_stop", "hold_while"], ...] = ()
    """Keys that a motor of this kind must have."""
    defaults: MotorDefaults
    """Values of the keys that the table does not give."""
    limits: dict[Literal["dead_time", "least_on", "max_on"], SpanLimit] = Field(
        default_factory=dict
    )
    """The permitted values of the keys."""


class SensorProfile(Part):
    """A kind of sensor."""

    name: str
    """The name that a sensor's `element:` gives."""
    title: str
    """A description of the sensor, for people."""
    kind: Literal["sensor"]
    """The kind of channel that it is for."""
    wiring: str
    """How its output is wired to the board."""
    needs: tuple[Literal["threshold"], ...] = ()
    """Keys that a sensor of this kind must have; a key that is not needed is not permitted."""
    defaults: SensorDefaults
    """Values of the keys that the table does not give."""
    limits: dict[Literal["debounce_ms"], SpanLimit] = Field(default_factory=dict)
    """The permitted values of the keys."""
    hysteresis_mv: Annotated[int, Field(ge=0, le=5000), Unit("mV")] = 0
    """The smallest permitted distance of the two thresholds."""


ElectricalProfile = Annotated[MotorProfile | SensorProfile, Field(discriminator="kind")]
