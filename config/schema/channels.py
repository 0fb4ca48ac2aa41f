"""Schema of boards and their channels: the device at each pin and its safe value."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from config.schema.part import Part, Pin, Seconds, SensorName, Unit

LONGEST_MOTION = 260.0
"""Seconds that a motion of an axis can take; a board would round longer times too coarsely."""
HOMING_SPEED = 0.25
"""Homing speed as a share of the axis's own speed (our value)."""

Amperes = Annotated[float, Field(gt=0, le=100), Unit("A")]
Millivolts = Annotated[int, Field(ge=0, le=5000), Unit("mV")]


class Threshold(Part):
    """The two voltages between which an analogue sensor keeps its level."""

    low_mv: Millivolts
    """The sensor is low from this voltage down."""
    high_mv: Millivolts
    """The sensor is high from this voltage up."""


class MotorChannel(Part):
    """A motor that is driven forward, and in reverse if it has a `reverse_pin`."""

    kind: Literal["motor"]
    """The kind of channel."""
    pin: Pin
    """The driver's input for forward."""
    reverse_pin: Pin | None = None
    """The driver's input for reverse; without it the motor only runs forward."""
    safe: Annotated[int, Field(ge=-1000, le=1000), Unit("permille")]
    """The drive while no host holds the lease: 0 is off, 1000 full forward, -1000 full reverse."""
    max_on: Seconds
    """The longest time that it can run without a new command; then the board latches a fault and
    all its outputs take their safe values."""
    forward_stop: SensorName | None = None
    """The switch at which the board stops the motor while it runs forward."""
    reverse_stop: SensorName | None = None
    """The switch at which the board stops the motor while it runs in reverse."""
    hold_while: SensorName | None = None
    """The sensor while whose signal is active the board pauses the motor (back-pressure)."""
    driver: str | None = None
    """The electrical profile of the motor and its power switch, such as `h_bridge` or `ssr_pair`
    (docs/build/RETROFIT.md). It gives this channel its defaults and its limits."""
    dead_time: Annotated[float, Field(ge=0, le=300), Unit("s")] = 0.0
    """The time for which the board keeps the motor off before it reverses, and in both directions
    after the board was configured."""
    least_on: Annotated[float, Field(ge=0, le=60), Unit("s")] = 0.0
    """The shortest time for which the motor is switched on; the host lengthens a shorter order to
    it. A limit switch stops the motor earlier."""
    current_limit: Amperes | None = None
    """The largest current of this motor after `inrush`, measured by the analogue input that a
    module names for the motor, 1 V for each ampere, and averaged over about 8 ms."""
    inrush: Annotated[float, Field(ge=0, le=5), Unit("s")] = 0.0
    """The time after each start in which the current may exceed `current_limit`."""
    full_only: bool = False
    """Whether the motor only runs fully or not at all, because its power switch cannot be
    modulated; the board then refuses any other drive."""


class OutputChannel(Part):
    """An output that is on or off, such as a lamp, a gate or the wide jaws."""

    kind: Literal["output"]
    """The kind of channel."""
    pin: Pin
    """The pin that switches it."""
    safe: Annotated[int, Field(ge=0, le=1)]
    """Its level while no host holds the lease: 0 is off, 1 is on."""
    max_on: Seconds | None = None
    """The longest time that it can differ from `safe` without a new command; then the board latches
    a fault and all its outputs take their safe values. Without it there is no limit."""


class StripChannel(Part):
    """A strip of addressable lamps along a wall, one lamp for each column."""

    kind: Literal["strip"]
    """The kind of channel."""
    pin: Pin
    """The data pin of the strip (WS2812)."""
    lamps: Annotated[int, Field(ge=1, le=31)]
    """The number of lamps of the strip."""
    safe: Annotated[int, Field(ge=0)]
    """The lamps that are lit while no host holds the lease: one bit each, the first lamp the lowest
    bit."""


class SensorChannel(Part):
    """A switch, a key or a photo sensor."""

    kind: Literal["sensor"]
    """The kind of channel."""
    pin: Pin
    """The input pin, which the board pulls up."""
    active: Literal["high", "low"]
    """The level at which the sensor is active. `low` is a contact that closes to ground; `high` is
    a contact that is normally closed, so that a broken wire reads as active."""
    debounce_ms: Annotated[float, Field(ge=0, le=250), Unit("ms")]
    """The time that a level has to last before it counts."""
    element: str | None = None
    """The electrical profile of the sensor, such as `hall` or `micro_switch`
    (docs/build/RETROFIT.md). It gives this channel its defaults and its limits."""
    threshold: Threshold | None = None
    """The voltages at which an analogue sensor changes its level; without it the sensor is
    digital."""


class AxisChannel(Part):
    """A stepper axis; positions are metres from the field's centre, or from the felt for z."""

    kind: Literal["axis"]
    """The kind of channel."""
    pin: Pin
    """The step input of the axis's driver."""
    direction_pin: Pin
    """The direction input of the driver."""
    home_switch: SensorName
    """The sensor that is active at one end of the axis."""
    home_end: Literal["low", "high"] = "low"
    """The limit at which the home switch is; a gripper's z axis has it at the top, away from the
    tiles."""
    low: Annotated[float, Field(ge=-2, le=2), Unit("m")]
    """The lower limit of the axis's travel, from the field's centre or the felt."""
    high: Annotated[float, Field(ge=-2, le=2), Unit("m")]
    """The upper limit of the axis's travel."""
    speed: Annotated[float, Field(gt=0, le=5), Unit("m/s")]
    """The highest speed of the axis."""
    acceleration: Annotated[float, Field(gt=0, le=100), Unit("m/s²")]
    """The acceleration and the deceleration of the axis."""
    step_mm: Annotated[float, Field(gt=0, le=10), Unit("mm")] = 0.15
    """The distance of one step."""

    @property
    def home(self) -> float:
        """The position of the axis when its home switch is active."""
        return self.low if self.home_end == "low" else self.high

    @property
    def homing_seconds(self) -> float:
        """The time of the way over the whole length at homing speed, which is the longest one."""
        speed, way = self.speed * HOMING_SPEED, self.high - self.low
        if way * self.acceleration < speed**2:
            return 2 * float((way / self.acceleration) ** 0.5)
        return way / speed + speed / self.acceleration


class DiceChannel(Part):
    """A dice unit: a shaker, and a dice reader on a serial port of the board."""

    kind: Literal["dice"]
    """The kind of channel."""
    pin: Pin
    """The pin of the shaker's driver."""
    port: Annotated[int, Field(ge=1, le=3)]
    """The serial port of the board to which the dice reader is connected."""
    safe: Annotated[int, Field(ge=0, le=0)]
    """The shaker's level while no host holds the lease: always 0."""
    shake: Seconds
    """The time that it shakes for a throw."""


class ReaderChannel(Part):
    """An ISO 15693 tile reader on a serial port of the board."""

    kind: Literal["reader"]
    """The kind of channel."""
    port: Annotated[int, Field(ge=1, le=3)]
    """The serial port of the board to which the reader is connected."""


class AnalogChannel(Part):
    """An analogue input that measures a current or a distance as a voltage."""

    kind: Literal["analog"]
    """The kind of channel."""
    pin: Pin
    """The analogue input pin."""


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
    """One board: its connection and its channels."""

    kind: Literal["serial", "gpio"]
    """`serial` is a board on a serial port; `gpio` is the pins of this computer."""
    chip: str | None = None
    """The board's profile, which lists its pins; docs/build/BOARDS.md has all profiles. Without it,
    a `serial` board is a `mega2560` and a `gpio` board a `raspberry_pi`."""
    address: Annotated[int, Field(ge=0, le=7)] = 0
    """The board's address on the serial line, which several boards can share."""
    lease: Seconds = 0.5
    """The time after the last renewal of the lease for which outputs stay active; then every output
    takes its safe value. 0.1 to 2 seconds."""
    serial: Annotated[str, Field(min_length=1, max_length=8)] | None = None
    """The serial number of the only board that is driven under this name. Without it, the board has
    to have the serial number that it had in the last run of the table's journal, if there is one.
    While the table runs, another board is not driven in its place."""
    current_limit: Amperes | None = None
    """The largest current of all motors of the board together, after `inrush`. It is measured
    at a pin of its own and averaged over about 8 ms, so a shorter peak stops nothing. Without this
    key the limit is at 4 V on that pin, and at 2.97 V on a Pico."""
    inrush: Annotated[float, Field(ge=0, le=5), Unit("s")] = 0.0
    """The time after the start of a motor in which the current may exceed `current_limit`."""
    amperes_per_volt: Annotated[float, Field(gt=0, le=50), Unit("A/V")] = 1.0
    """The scale of the sensor for the current of all motors: 1 A/V is 1 mV for each mA."""
    channels: dict[str, Channel]
    """The channels by name. A name can occur only once in the whole table."""
