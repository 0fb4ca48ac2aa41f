"""GPIO pins: motors, outputs and sensors on a Raspberry Pi's own pins, through gpiozero.

This module converts between the electrical levels high and low and the levels active and inactive.
Every sensor has a pull-up, so a broken wire reads high: wire a safety sensor, such as the emergency
stop, normally closed to ground and configure it as `active: high`.

Closing turns outputs into inputs, which drive no level: every enable line needs a resistor that
pulls it to its safe value (down, for 0).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from tempfile import TemporaryDirectory

from gpiozero import (
    DigitalOutputDevice,
    Factory,
    GPIOZeroError,
    InputDevice,
    Motor,
    PWMOutputDevice,
)

from config.schema import BoardConfig, Channel, MotorChannel, OutputChannel, SensorChannel
from firmware_bridge.wire.errors import BoardError, BoardRefusedError

SYSTEM_PACKAGES = "/usr/lib/python3/dist-packages"
"""The folder in which Debian, Raspberry Pi OS and Ubuntu install Python packages."""
HEADER = range(2, 28)
"""The usable pins of a Raspberry Pi's header, by Broadcom's numbers."""

Changed = Callable[[str, bool, float], None]
"""Called with a sensor, its new level, and how many seconds ago its pin changed, in the thread in
which gpiozero noticed it."""

OLDEST = 10.0
"""Greatest age of a time stamp, seconds; older ones are from another clock (kernels before 5.7)."""


def pi_pins() -> Factory:
    """Returns the pin factory of this Raspberry Pi. Raises BoardError without GPIO pins."""
    try:
        with _writable_folder(), _system_packages():
            lgpio = import_module("lgpio")
        pins = import_module("gpiozero.pins.lgpio")
    except ImportError as missing:
        raise BoardError(
            f"GPIO needs the library lgpio, which cannot be imported here ({missing}). Install the"
            " package python3-lgpio of Raspberry Pi OS or Ubuntu, or, up to Python 3.12, the extra"
            " `pi` of Wallwright (docs/build/PI.md); or choose a table without a gpio board."
        ) from missing
    except OSError as refusal:
        raise BoardError(
            "lgpio, the library of the GPIO pins, makes a named pipe when it is imported, and that"
            f" failed ({refusal}). Let this user write to /tmp, or name another folder for"
            " temporary files in the environment variable TMPDIR."
        ) from refusal
    try:
        return pins.LGPIOFactory()
    except (GPIOZeroError, OSError, lgpio.error) as refusal:
        raise BoardError(
            f"the GPIO pins of this machine cannot be opened ({refusal}): run on a Raspberry Pi, as"
            " a user of the group gpio, or choose a table without a gpio board."
        ) from refusal


@contextmanager
def _writable_folder() -> Iterator[None]:
    """Make a new temporary folder the working folder, and restore the old one afterwards.

    At its import lgpio 0.2.2 makes a named pipe `.lgd-nfyN` in the working folder and opens it by
    this relative name, so the import fails where the user may not write, such as in `/`. With the
    environment variable LG_WD it changes the working folder of the whole program and leaves it
    changed, so the variable is hidden. lgpio keeps both ends of the pipe open and does not need
    the name again. Raises OSError if no temporary folder can be made.
    """
    with TemporaryDirectory(prefix="wallwright-pins-", ignore_cleanup_errors=True) as folder:
        before = os.open(".", os.O_PATH | os.O_DIRECTORY)
        chosen = os.environ.pop("LG_WD", None)
        try:
            os.chdir(folder)
            yield
        finally:
            os.fchdir(before)
            os.close(before)
            if chosen is not None:
                os.environ["LG_WD"] = chosen


@contextmanager
def _system_packages() -> Iterator[None]:
    """Let an import find the distribution's Python packages, behind those of the program.

    There are no wheels of lgpio for Python 3.13 and later, and the program's own environment does
    not contain the packages of the distribution.
    """
    sys.path.append(SYSTEM_PACKAGES)
    try:
        yield
    finally:
        sys.path.remove(SYSTEM_PACKAGES)


def check_pins(board: str, config: BoardConfig) -> None:
    """Raise BoardRefusedError for the first channel that needs more than plain pins."""
    for name, channel in config.channels.items():
        if not isinstance(channel, MotorChannel | OutputChannel | SensorChannel):
            raise BoardRefusedError(
                f"board {board}: channel {name} is of kind {channel.kind}; plain GPIO pins support"
                " only motor, output and sensor. Move the channel to a serial board."
            )
        reverse = channel.reverse_pin if isinstance(channel, MotorChannel) else None
        for pin in (channel.pin, reverse):
            if pin is not None and pin not in HEADER:
                raise BoardRefusedError(
                    f"board {board}: channel {name} is on pin {pin}, which a Raspberry Pi's header"
                    f" does not offer; choose one from {HEADER[0]} to {HEADER[-1]}."
                )
        if isinstance(channel, MotorChannel):
            check_direction(board, name, channel, channel.safe)


def check_direction(board: str, motor: str, channel: MotorChannel, value: int) -> None:
    """Raise BoardRefusedError if a motor with a single pin is to run in reverse."""
    if value < 0 and channel.reverse_pin is None:
        raise BoardRefusedError(
            f"board {board}: motor {motor} has no reverse_pin and cannot run at {value}; wire a"
            " reverse pin and name it in the table, or run the motor forward only."
        )


class GpioPins:
    """One board's channels as gpiozero devices.

    Outputs open at their safe values. Raises BoardRefusedError if a pin cannot be opened.
    """

    def __init__(self, board: str, config: BoardConfig, factory: Factory, changed: Changed) -> None:
        self._outputs: dict[str, _Motor | _Output] = {}
        self._sensors: dict[str, _Sensor] = {}
        for name, channel in config.channels.items():
            try:
                self._open(name, channel, factory, changed)
            except GPIOZeroError as refusal:
                self.close()
                raise BoardRefusedError(
                    f"board {board}: the pin of channel {name} cannot be opened: {refusal}; look"
                    " for another user of the pin."
                ) from refusal

    def levels(self) -> dict[str, bool]:
        """Whether each sensor is active now."""
        return {name: sensor.active for name, sensor in self._sensors.items()}

    def is_active(self, sensor: str) -> bool:
        """Whether a sensor is active now."""
        return self._sensors[sensor].active

    def output(self, channel: str, value: int) -> None:
        """Set a channel's pins: permille for a motor, 0 or 1 for an output."""
        self._outputs[channel].write(value)

    def close(self) -> None:
        """Stop the sensors' reports, set every output to its safe value, release the pins."""
        for sensor in self._sensors.values():
            sensor.close()
        for output in self._outputs.values():
            output.close()
        self._sensors.clear()
        self._outputs.clear()

    # Operations that plain pins do not support: `check_pins` refuses every channel that needs them.

    def axis_begins(self, axis: str, start: float, target: float, seconds: float) -> None:
        raise _not_a_pin(axis)

    def axis_ends(self, axis: str, position: float) -> None:
        raise _not_a_pin(axis)

    def dice(self, channel: str, count: int) -> tuple[int, ...]:
        raise _not_a_pin(channel)

    def tag(self, channel: str) -> int | None:
        raise _not_a_pin(channel)

    def analog(self, channel: str) -> int:
        raise _not_a_pin(channel)

    # Helpers

    def _open(self, name: str, channel: Channel, factory: Factory, changed: Changed) -> None:
        match channel:
            case MotorChannel():
                self._outputs[name] = _Motor(channel, factory)
            case OutputChannel():
                self._outputs[name] = _Output(channel, factory)
            case SensorChannel():
                self._sensors[name] = _Sensor(name, channel, factory, changed)


class _Motor:
    """A motor on two pins, one for each direction, or on one pin; speed is the pulse width."""

    def __init__(self, channel: MotorChannel, factory: Factory) -> None:
        self._safe = channel.safe
        if channel.reverse_pin is None:
            self._device = PWMOutputDevice(channel.pin, pin_factory=factory)
        else:
            self._device = Motor(channel.pin, channel.reverse_pin, pin_factory=factory)
        self.write(self._safe)

    def write(self, value: int) -> None:
        self._device.value = value / 1000

    def close(self) -> None:
        self.write(self._safe)
        self._device.close()


class _Output:
    """An output on one pin."""

    def __init__(self, channel: OutputChannel, factory: Factory) -> None:
        self._safe = channel.safe
        self._device = DigitalOutputDevice(
            channel.pin, initial_value=bool(channel.safe), pin_factory=factory
        )

    def write(self, value: int) -> None:
        self._device.value = value

    def close(self) -> None:
        self.write(self._safe)
        self._device.close()


class _Sensor:
    """An input with a pull-up; reports every change, without debouncing."""

    def __init__(
        self, name: str, channel: SensorChannel, factory: Factory, changed: Changed
    ) -> None:
        self._name = name
        self._active_high = channel.active == "high"
        self._changed = changed
        self._factory = factory
        self._device = InputDevice(channel.pin, pull_up=True, pin_factory=factory)
        self._device.pin.edges = "both"
        self._device.pin.when_changed = self._seen

    @property
    def active(self) -> bool:
        return bool(self._device.pin.state) is self._active_high

    def close(self) -> None:
        self._device.pin.when_changed = None
        self._device.close()

    def _seen(self, ticks: float, high: float) -> None:
        """Called by gpiozero, in a thread of its own; `ticks` is when the pin changed."""
        age = self._factory.ticks_diff(self._factory.ticks(), ticks)
        age = age if 0.0 <= age < OLDEST else 0.0
        self._changed(self._name, bool(high) is self._active_high, age)


def _not_a_pin(channel: str) -> BoardError:
    return BoardError(
        f"a plain GPIO pin cannot operate channel {channel}; move the channel to a serial board."
    )
