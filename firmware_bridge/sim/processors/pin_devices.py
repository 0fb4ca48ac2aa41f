"""Devices on a processor's pins: motors, outputs, strips, axes, and modules on serial ports.

Each device converts the levels of its pins to changes of the plant: a motor turns, an axis starts
and stops. Time is the processor's cycle. A device does not change the plant itself: it schedules
the change for a cycle, and the bench applies the change when its clock reaches that cycle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from config.schema import AxisChannel
from firmware_bridge.executor.channels import Wiring
from firmware_bridge.sim.processors.processor import FREQUENCY, PinLevel

Schedule = Callable[[int, str, Callable[[], None]], None]
"""Schedules an action for a channel at a cycle; actions of one cycle run in the order scheduled."""
Settle = Callable[[int], None]
"""Called at the cycle of another motion's start: axes that are at rest report their position."""
MILLISECOND = FREQUENCY // 1000
MODULATION = 15 * MILLISECOND
"""Longest period of the firmware's pulses: 10 ms, and some more while the main loop is busy."""
_TOLERANCE = MILLISECOND
"""The permitted deviation of a pulse from its time."""
FULL = 1000
"""Full drive, permille."""


class PinDevice(Protocol):
    """A device on one or more pins."""

    @property
    def pins(self) -> tuple[int, ...]: ...

    def changed(self, cycle: int, pin: int, level: PinLevel) -> None:
        """Process a change of one of its pins at this cycle."""


class OutputPin:
    """An output that is on or off; while its pin is released it has its safe value."""

    def __init__(
        self, name: str, pin: int, safe: int, plant: Wiring, schedule: Schedule, settle: Settle
    ) -> None:
        self.pins = (pin,)
        self._name = name
        self._safe = self._value = safe
        self._plant = plant
        self._schedule = schedule
        self._settle = settle

    def changed(self, cycle: int, pin: int, level: PinLevel) -> None:
        value = self._safe if level is PinLevel.RELEASED else int(level)
        if value != self._value:
            self._value = value
            self._settle(cycle)
            self._schedule(cycle, self._name, lambda: self._plant.output(self._name, value))


class MotorPins:
    """A motor on one pin, or on a pin for each direction.

    The motor turns from the first pulse on. A motor that was on for longer than a whole period runs
    at full drive and stops when its pin falls. A motor whose pulse is shorter than the pulse before
    stops too. Any other gap counts as a gap between pulses, unless no next pulse follows in time.
    The plant gets full drive in the direction of the motor: the permille are known only after the
    first period, and no part of the plant depends on them.
    """

    def __init__(
        self,
        name: str,
        forward: int,
        reverse: int | None,
        safe: int,
        plant: Wiring,
        schedule: Schedule,
        settle: Settle,
    ) -> None:
        self.pins = (forward,) if reverse is None else (forward, reverse)
        self._name = name
        self._plant = plant
        self._schedule = schedule
        self._settle = settle
        self._rest = {forward: safe > 0}
        if reverse is not None:
            self._rest[reverse] = safe < 0
        self._levels = dict(self._rest)
        self._direction = self._reported = (safe > 0) - (safe < 0)
        """The direction of the pins now, and the direction that was reported to the plant."""
        self._rose = 0
        self._first = True
        """Whether this is the first pulse of a run, which may be shorter than the others."""
        self._pulse: int | None = None
        self._gap: int | None = None
        """The length of the pulses and of the gaps between them, once known."""
        self._fell = 0
        self._gaps = 0

    def changed(self, cycle: int, pin: int, level: PinLevel) -> None:
        self._levels[pin] = (
            self._rest[pin] if level is PinLevel.RELEASED else level is PinLevel.HIGH
        )
        before, self._direction = self._direction, self._pin_direction()
        if self._direction == before:
            return
        if self._direction == 0:
            self._end_pulse(cycle)
        elif self._direction == self._reported:
            self._first, self._rose, self._gap = False, cycle, cycle - self._fell
            self._gaps += 1
        else:
            self._first, self._rose, self._pulse, self._gap = True, cycle, None, None
            self._report(cycle, self._direction)

    def _pin_direction(self) -> int:
        forward, *reverse = (self._levels[pin] for pin in self.pins)
        return forward - sum(reverse)

    def _end_pulse(self, cycle: int) -> None:
        lasted = cycle - self._rose
        cut_short = self._pulse is not None and lasted < self._pulse - _TOLERANCE
        if lasted > MODULATION or cut_short:
            self._report(cycle, 0)
            return
        if not self._first:
            self._pulse = lasted
        self._gaps += 1
        number, self._fell = self._gaps, cycle
        over = cycle + (MODULATION if self._gap is None else self._gap + _TOLERANCE)
        self._schedule(over, self._name, lambda: self._end_if_no_pulse(over, number))

    def _end_if_no_pulse(self, cycle: int, number: int) -> None:
        if number == self._gaps and self._direction == 0 and self._reported != 0:
            self._report(cycle, 0)

    def _report(self, cycle: int, direction: int) -> None:
        self._gaps += 1
        self._reported = direction
        self._settle(cycle)
        self._schedule(cycle, self._name, lambda: self._plant.output(self._name, FULL * direction))


class Strip:
    """WS2812 lamps on one pin: 24 bits for each lamp, latched after a pause."""

    _BITS = 24
    _ONE = 10
    """Minimum cycles of a pulse for a one: between 0.375 and 0.8125 microseconds."""
    _PAUSE = 3 * MILLISECOND // 10

    def __init__(self, name: str, pin: int, safe: int, plant: Wiring, schedule: Schedule) -> None:
        self.pins = (pin,)
        self._name = name
        self._value = safe
        self._plant = plant
        self._schedule = schedule
        self._rose: int | None = None
        self._bits: list[bool] = []

    def changed(self, cycle: int, pin: int, level: PinLevel) -> None:
        if level is PinLevel.HIGH:
            self._rose = cycle
        elif level is PinLevel.LOW and self._rose is not None:
            self._bits.append(cycle - self._rose >= self._ONE)
            self._rose = None
            count, due = len(self._bits), cycle + self._PAUSE
            if count % self._BITS == 0:
                self._schedule(due, self._name, lambda: self._latch(count))

    def _latch(self, count: int) -> None:
        if count != len(self._bits):
            return
        lamps = range(0, count, self._BITS)
        value = sum(any(self._bits[at : at + self._BITS]) << at // self._BITS for at in lamps)
        self._bits.clear()
        if value != self._value:
            self._value = value
            self._plant.output(self._name, value)


class AxisPins:
    """A stepper axis on step and direction pins; its position is the count of its steps.

    The rail ends at the home switch, and further steps have no effect. A start is reported to the
    plant with the end of the rail as its target, because the pins do not carry the target position.
    A stop is reported when no step has come for `STILL`, at the home switch, and by `settle` when
    another motion begins.
    """

    STILL = 12 * MILLISECOND
    """Longer than the time between two steps of any axis, even at the end of its ramp."""
    QUIET = 3 * MILLISECOND // 2
    """The pause after which an axis counts as at rest if another motion begins: the host's next
    order takes longer to arrive."""

    def __init__(
        self,
        name: str,
        channel: AxisChannel,
        plant: Wiring,
        schedule: Schedule,
        settle: Settle,
        refuse: Callable[[str, str], None],
    ) -> None:
        self.pins = (channel.pin, channel.direction_pin)
        self._name = name
        self._channel = channel
        self._plant = plant
        self._schedule = schedule
        self._settle_all = settle
        self._refuse = refuse
        self._step = channel.step_mm / 1000
        self._zero = min(max(0.0, channel.low), channel.high)
        """The position at step 0: at power-on, or at the home switch after it was reached."""
        self._steps = 0
        self._forward = False
        self._reported_direction = 0
        """The direction that was reported to the plant; 0 at rest."""
        self._last = 0
        self._watched = False
        home_is_low = channel.home == channel.low
        self._homeward = -1 if home_is_low else 1
        self._far = channel.high if home_is_low else channel.low

    @property
    def position(self) -> float:
        """The axis's position, metres."""
        return self._zero + self._steps * self._step

    def changed(self, cycle: int, pin: int, level: PinLevel) -> None:
        step, _ = self.pins
        if pin != step:
            self._forward = level is PinLevel.HIGH
        elif level is PinLevel.HIGH:
            self._count_step(cycle, 1 if self._forward else -1)

    def settle(self, cycle: int) -> None:
        """Report a stop before another motion begins, if the last step is longer ago than QUIET."""
        if self._reported_direction and cycle - self._last > self.QUIET:
            self._stop(cycle)

    def _count_step(self, cycle: int, direction: int) -> None:
        self._last = cycle
        if direction == self._homeward and self._is_home(self.position):
            return
        if self._reported_direction and direction != self._reported_direction:
            self._stop(cycle)
        if not self._reported_direction:
            self._start(cycle, direction)
        self._steps += direction
        if direction == self._homeward:
            if self._is_home(self.position):
                self._zero, self._steps = self._channel.home, 0
                self._stop(cycle)
        elif direction * (self.position - self._far) > self._step:
            self._stop(cycle)
            why = f"{self._name} was driven beyond the end of its rail at {self.position:.4f} m."
            self._schedule(cycle, self._name, lambda: self._refuse(self._name, why))

    def _is_home(self, position: float) -> bool:
        return self._homeward * (self._channel.home - position) < self._step / 2

    def _start(self, cycle: int, direction: int) -> None:
        self._settle_all(cycle)
        self._reported_direction = direction
        start, target = self.position, self._channel.high if direction > 0 else self._channel.low
        seconds = abs(target - start) / self._channel.speed
        self._schedule(
            cycle,
            self._name,
            lambda: self._plant.axis_begins(self._name, start, target, seconds),
        )
        if not self._watched:
            self._watched = True
            self._schedule(cycle + self.STILL, self._name, lambda: self._watch(cycle + self.STILL))

    def _watch(self, cycle: int) -> None:
        """Check whether the axis has stopped; one check is scheduled at a time."""
        due = self._last + self.STILL
        if self._reported_direction and due > cycle:
            self._schedule(due, self._name, lambda: self._watch(due))
            return
        self._watched = False
        if self._reported_direction:
            self._stop(cycle)

    def _stop(self, cycle: int) -> None:
        self._reported_direction = 0
        position = self.position
        self._schedule(cycle, self._name, lambda: self._plant.axis_ends(self._name, position))


class SerialModule:
    """A dice or tag reader on a serial port: answers each received line with a line."""

    def __init__(
        self,
        name: str,
        port: int,
        plant: Wiring,
        schedule: Schedule,
        answer: Callable[[int, bytes], None],
    ) -> None:
        self._name = name
        self._port = port
        self._plant = plant
        self._schedule = schedule
        self._answer = answer
        self._line = bytearray()

    def receive(self, cycle: int, byte: int) -> None:
        """Receive a byte, which is complete at this cycle."""
        if byte != ord("\n"):
            self._line.append(byte)
            return
        line = self._line.decode("ascii", "replace")
        self._line.clear()
        self._schedule(cycle, self._name, lambda: self._answer(self._port, self._reply(line)))

    def _reply(self, line: str) -> bytes:
        """The reply to a line: to `D<n>` the faces of n dice, to `T` a hexadecimal tag, or `-`."""
        if line == "T":
            tag = self._plant.tag(self._name)
            return b"-\n" if tag is None else f"{tag:016X}\n".encode()
        if line[:1] == "D" and line[1:].isdigit():
            faces = self._plant.dice(self._name, int(line[1:]))
            return " ".join(map(str, faces)).encode() + b"\n"
        return b""
