"""Schema of boards and their channels: the device at each pin, and its safe value."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from config.schema.part import Millimetres, Part, Pin, Positive, Seconds, Unit


class MotorChannel(Part):
    """A motor driven both ways by permille of full drive."""

    kind: Literal["motor"]
    """Which kind of channel this is."""
    pin: Pin
    """The driver's input for forward."""
    reverse_pin: Pin | None = None
    """The driver's input for reverse; without it the motor runs one way."""
    safe: Annotated[int, Field(ge=-1000, le=1000), Unit("permille")]
    """The drive while no host holds the lease: 0 is off, 1000 full forward, -1000 full reverse."""
    max_on: Seconds
    """The longest it may run without a new command; the board stops it then by itself."""
    forward_stop: str | None = None
    """The switch that stops it while it runs forward."""
    reverse_stop: str | None = None
    """The switch that stops it while it runs in reverse."""
    hold_while: str | None = None
    """Back-pressure: the motor pauses while this sensor is active."""


class OutputChannel(Part):
    """Something that is on or off: a lamp, a gate, a wide jaw."""

    kind: Literal["output"]
    """Which kind of channel this is."""
    pin: Pin
    """The pin that switches it."""
    safe: Annotated[int, Field(ge=0, le=1)]
    """Its level while no host holds the lease: 0 is off, 1 is on."""
    max_on: Seconds | None = None
    """The longest it may stay on without a new command; without it there is no limit."""


class StripChannel(Part):
    """A strip of addressable lamps along a wall, one a column."""

    kind: Literal["strip"]
    """Which kind of channel this is."""
    pin: Pin
    """The data pin of the strip (WS2812)."""
    lamps: Annotated[int, Field(ge=1, le=31)]
    """How many lamps the strip has."""
    safe: Annotated[int, Field(ge=0)]
    """The lamps lit, one bit each, the first lamp the lowest."""


class SensorChannel(Part):
    """A switch, key or photo sensor."""

    kind: Literal["sensor"]
    """Which kind of channel this is."""
    pin: Pin
    """The input, which the board pulls up."""
    active: Literal["high", "low"]
    """The level that means yes. `low` closes to ground; `high` is normally closed, so that a broken
    wire reads as yes."""
    debounce_ms: Annotated[float, Field(ge=0, le=250), Unit("ms")]
    """How long a level has to last before it counts."""


class AxisChannel(Part):
    """A stepper axis with its limits; positions in metres from the field's centre or the felt."""

    kind: Literal["axis"]
    """Which kind of channel this is."""
    pin: Pin
    """The step input of the axis' driver."""
    direction_pin: Pin
    """The direction input of the driver."""
    home_switch: str
    """The sensor that is active at one end of the axis."""
    home_end: Literal["low", "high"] = "low"
    """At which limit the home switch sits; a gripper's is at the top, away from every tile."""
    low: Annotated[float, Unit("m")]
    """The lower limit of its travel, from the field's centre or the felt."""
    high: Annotated[float, Unit("m")]
    """The upper limit of its travel."""
    speed: Annotated[Positive, Unit("m/s")]
    """Its highest speed."""
    acceleration: Annotated[Positive, Unit("m/s²")]
    """Its acceleration, and its deceleration."""
    step_mm: Millimetres = 0.15
    """How far one step carries it."""

    @property
    def home(self) -> float:
        """Where the axis stands when its home switch is active."""
        return self.low if self.home_end == "low" else self.high


class DiceChannel(Part):
    """A dice unit: its shaker, and a reader on a serial port of the board."""

    kind: Literal["dice"]
    """Which kind of channel this is."""
    pin: Pin
    """The shaker's driver."""
    port: Annotated[int, Field(ge=1, le=3)]
    """The serial port of the board to which its reader is connected."""
    safe: Annotated[int, Field(ge=0, le=0)]
    """The shaker's level while no host holds the lease: always 0."""
    shake: Seconds
    """How long it shakes for a throw."""


class ReaderChannel(Part):
    """An ISO 15693 tile reader on a serial port of the board."""

    kind: Literal["reader"]
    """Which kind of channel this is."""
    port: Annotated[int, Field(ge=1, le=3)]
    """The serial port of the board to which it is connected."""


class AnalogChannel(Part):
    """A voltage that stands for a current or a distance."""

    kind: Literal["analog"]
    """Which kind of channel this is."""
    pin: Pin
    """The analogue input."""


Channel = Annotated[
    MotorChannel
    | OutputChannel
    | StripChannel
    | SensorChannel
    | AxisChannel
    | DiceChannel
    | ReaderChannel
    | AnalogChannel,
    Field(discriminator="kind"),
]


class BoardConfig(Part):
    """One board: how it is reached and what hangs on it."""

    kind: Literal["serial", "gpio"]
    """`serial` is a board on a serial port; `gpio` is the pins of this computer."""
    address: Annotated[int, Field(ge=0, le=7)] = 0
    """Its address on the line: several boards may share one."""
    lease: Seconds = 0.5
    """How long the board obeys after the last renewal; then every output takes its safe
    value. 0.1 to 2 seconds."""
    serial: Annotated[str, Field(min_length=1, max_length=8)] | None = None
    """The serial number of the one board that is driven under this name. Without it, the board must
    have the serial number that it had in the last run of the table's journal, if there is one.
    While the table runs, no other board is driven in its place."""
    channels: dict[str, Channel]
    """The channels by name. A name may occur once in the whole table."""
