"""Mock GPIO pins: connect gpiozero to the simulated plant, without a Raspberry Pi.

Output changes move the plant, and the plant's sensors drive input pins. The plant uses this class
like a virtual board; the one difference is that a motor with two pins reverses without a pause. A
`GpioBoard` on these pins runs the same code as on a Pi.

A sensor may be driven from any thread. If it is driven from the event loop's thread, a run on the
virtual clock is reproducible.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Protocol

from gpiozero.pins.mock import MockFactory, MockPin, MockPWMPin

from config.schema import BoardConfig, MotorChannel, OutputChannel, SensorChannel
from firmware_bridge.executor.channels import ImpossibleOrderError

PI_3B = "a02082"
"""The Raspberry Pi that the pins belong to, by its revision code."""


class OutputWiring(Protocol):
    """The part of the plant's wiring that plain pins need."""

    def output(self, channel: str, value: int) -> None:
        """Called when a motor (permille) or output (0/1) changes. Raises ImpossibleOrderError."""


class MockPins:
    """The pins of one GPIO board, wired to a plant; `factory` is what the `GpioBoard` takes.

    Every sensor is initially inactive.
    """

    def __init__(self, config: BoardConfig, wiring: OutputWiring) -> None:
        self.factory = _Factory(revision=PI_3B, pin_class=_WiredPin)
        self._wiring = wiring
        self._values: dict[str, int] = {}
        self._sensors: dict[str, tuple[_WiredPin, bool]] = {}
        self._refusals: list[str] = []
        for name, channel in config.channels.items():
            match channel:
                case MotorChannel():
                    self._wire(name, channel.safe, 1000, channel.pin, channel.reverse_pin)
                case OutputChannel():
                    self._wire(name, channel.safe, 1, channel.pin)
                case SensorChannel():
                    self._sensors[name] = (self.factory.pin(channel.pin), channel.active == "high")
                    self.sensor(name, False)

    # The plant's side

    def sensor(self, channel: str, active: bool) -> None:
        """Set a sensor's level. Raises KeyError for an unknown sensor."""
        pin, active_high = self._sensors[channel]
        pin.hold(active is active_high)

    def order_failed(self, channel: str, why: str) -> None:
        """Record that the mechanism of a channel cannot complete an earlier order.

        Pins cannot report this, so the next change of an output is refused with this reason.
        """
        self._refusals.append(f"{channel}: {why}")

    def current(self, motor: str, milliamps: int) -> None:
        """Do nothing: pins do not measure current."""

    # The board's side

    def _wire(self, channel: str, safe: int, full: int, *numbers: int | None) -> None:
        """Watch the pins of an output, forward and reverse; `full` is its value with forward on."""
        pins = [self.factory.pin(number) for number in numbers if number is not None]
        self._values[channel] = safe
        for pin in pins:
            pin.on_change = partial(self._changed, channel, full, pins)

    def _changed(self, channel: str, full: int, pins: list[_WiredPin]) -> None:
        forward, *reverse = (pin.state for pin in pins)
        value = round(full * (forward - sum(reverse)))
        if value == self._values[channel]:
            return
        self._values[channel] = value
        self._wiring.output(channel, value)
        if self._refusals:
            refusals, self._refusals = self._refusals, []
            raise ImpossibleOrderError(" ".join(refusals))


class _Factory(MockFactory):  # type: ignore[misc]  # gpiozero has no type hints
    """A mock pin factory that uses the clock of the running event loop, which can be virtual."""

    @staticmethod
    def ticks() -> float:
        try:
            return asyncio.get_running_loop().time()
        except RuntimeError:
            return float(MockFactory.ticks())


class _WiredPin(MockPWMPin):  # type: ignore[misc]  # gpiozero has no type hints
    """A mock pin that reports its output, and whose wire overrides its pull resistor."""

    on_change: Callable[[], None] | None = None
    held: bool | None = None
    """The level to which the plant drives the wire; None if it does not drive the wire."""

    def hold(self, high: bool) -> None:
        self.held = high
        if high:
            self.drive_high()
        else:
            self.drive_low()

    def _call_when_changed(self) -> None:
        super(MockPin, self)._call_when_changed(self.factory.ticks(), self._state)

    def _set_pull(self, value: str) -> None:
        if self.held is None:
            super()._set_pull(value)
        else:
            self._pull = value

    def _set_frequency(self, value: float | None) -> None:
        """Set the pulse frequency; closing a pin that never pulsed keeps its level, as on a Pi."""
        if value is not None or self._frequency is not None:
            super()._set_frequency(value)

    def _change_state(self, value: float) -> bool:
        changed = bool(super()._change_state(value))
        if changed and self.on_change is not None:
            self.on_change()
        return changed
