"""Devices on a processor's pins: motors, outputs, strips, axes, and modules on serial ports.

Each part watches its own pins and tells the plant what has become of them: a motor turns, an axis
sets off and comes to rest. Time is the processor's cycle. A part never acts at once: it says what
is to happen at which cycle, and the bench lets it happen when the clock is there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from config.schema import AxisChannel
from firmware_bridge.executor.channels import Wiring
from firmware_bridge.sim.processors.processor import FREQUENCY, PinLevel

Emit = Callable[[int, str, Callable[[], None]], None]
"""At this cycle this happens to a channel; what is said first comes first at the same cycle."""
Settle = Callable[[int], None]
"""Something begins at this cycle: every axis that may be at rest says where it stands."""
MILLISECOND = FREQUENCY // 1000
MODULATION = 15 * MILLISECOND
"""No pulses of the firmware are further apart: a hundred a second, unless the main loop is busy."""
_PUNCTUAL = MILLISECOND
"""How far a pulse may be off its time."""
FULL = 1000


class PinPart(Protocol):
    """Something on one or more pins."""

    @property
    def pins(self) -> tuple[int, ...]: ...

    def changed(self, cycle: int, pin: int, level: PinLevel) -> None:
        """One of its pins is driven otherwise from this cycle on."""


class OutputPin:
    """Whatever is on or off; while its pin is released it is as at rest."""

    def __init__(
        self, name: str, pin: int, safe: int, plant: Wiring, emit: Emit, settle: Settle
    ) -> None:
        self.pins = (pin,)
        self._name = name
        self._safe = self._value = safe
        self._plant = plant
        self._emit = emit
        self._settle = settle

    def changed(self, cycle: int, pin: int, level: PinLevel) -> None:
        value = self._safe if level is PinLevel.RELEASED else int(level)
        if value != self._value:
            self._value = value
            self._settle(cycle)
            self._emit(cycle, self._name, lambda: self._plant.output(self._name, value))


class MotorPins:
    """A motor behind one pin, or two of which one turns it backwards.

    It turns from its first pulse on. A motor that has been on for longer than a whole period runs
    at full drive, and stops the moment its pin falls; as does one whose pulse is cut short. Any
    other gap is one between pulses, until the next pulse stays away. The plant is told which way
    it turns, at full drive: how strongly is known only after the first period, and no part of the
    plant asks.
    """

    def __init__(
        self,
        name: str,
        forward: int,
        reverse: int | None,
        safe: int,
        plant: Wiring,
        emit: Emit,
        settle: Settle,
    ) -> None:
        self.pins = (forward,) if reverse is None else (forward, reverse)
        self._name = name
        self._plant = plant
        self._emit = emit
        self._settle = settle
        self._rest = {forward: safe > 0}
        if reverse is not None:
            self._rest[reverse] = safe < 0
        self._levels = dict(self._rest)
        self._way = self._told = (safe > 0) - (safe < 0)
        """Which way its pins drive it now, and which way it turns."""
        self._rose = 0
        self._first = True
        """Whether this is the first pulse of a run, which may be shorter than the others."""
        self._pulse: int | None = None
        self._gap: int | None = None
        """How long its pulses are, and the gaps between, once a whole one was seen."""
        self._fell = 0
        self._gaps = 0

    def changed(self, cycle: int, pin: int, level: PinLevel) -> None:
        self._levels[pin] = (
            self._rest[pin] if level is PinLevel.RELEASED else level is PinLevel.HIGH
        )
        before, self._way = self._way, self._drives()
        if self._way == before:
            return
        if self._way == 0:
            self._falls(cycle)
        elif self._way == self._told:
            self._first, self._rose, self._gap = False, cycle, cycle - self._fell
            self._gaps += 1
        else:
            self._first, self._rose, self._pulse, self._gap = True, cycle, None, None
            self._turns(cycle, self._way)

    def _drives(self) -> int:
        forward, *reverse = (self._levels[pin] for pin in self.pins)
        return forward - sum(reverse)

    def _falls(self, cycle: int) -> None:
        lasted = cycle - self._rose
        cut_short = self._pulse is not None and lasted < self._pulse - _PUNCTUAL
        if lasted > MODULATION or cut_short:
            self._turns(cycle, 0)
            return
        if not self._first:
            self._pulse = lasted
        self._gaps += 1
        number, self._fell = self._gaps, cycle
        over = cycle + (MODULATION if self._gap is None else self._gap + _PUNCTUAL)
        self._emit(over, self._name, lambda: self._ends(over, number))

    def _ends(self, cycle: int, number: int) -> None:
        if number == self._gaps and self._way == 0 and self._told != 0:
            self._turns(cycle, 0)

    def _turns(self, cycle: int, way: int) -> None:
        self._gaps += 1
        self._told = way
        self._settle(cycle)
        self._emit(cycle, self._name, lambda: self._plant.output(self._name, FULL * way))


class Strip:
    """Lamps of the kind WS2812 on one pin: 24 bits each, taken over after a pause."""

    _BITS = 24
    _ONE = 10
    """Cycles from which on a pulse is a one: half way from 0.375 to 0.8125 microseconds."""
    _PAUSE = 3 * MILLISECOND // 10

    def __init__(self, name: str, pin: int, safe: int, plant: Wiring, emit: Emit) -> None:
        self.pins = (pin,)
        self._name = name
        self._value = safe
        self._plant = plant
        self._emit = emit
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
                self._emit(due, self._name, lambda: self._take_over(count))

    def _take_over(self, count: int) -> None:
        if count != len(self._bits):
            return
        lamps = range(0, count, self._BITS)
        value = sum(any(self._bits[at : at + self._BITS]) << at // self._BITS for at in lamps)
        self._bits.clear()
        if value != self._value:
            self._value = value
            self._plant.output(self._name, value)


class AxisPins:
    """A stepper on its rail, driven by step and direction; its place is the count of its steps.

    The rail ends at the home switch: a step further slips. The plant hears of its setting off,
    with the end of the rail as the target, since copper knows of no other; and where it stands,
    once no step came for a while, at the switch, and `settle`d when something else begins.
    """

    STILL = 12 * MILLISECOND
    """No axis of ours takes so long from step to step, not even at the end of its ramp."""
    QUIET = 3 * MILLISECOND // 2
    """After such a pause it may be at rest: the host's next order takes longer to come."""

    def __init__(
        self,
        name: str,
        channel: AxisChannel,
        plant: Wiring,
        emit: Emit,
        settle: Settle,
        refuse: Callable[[str, str], None],
    ) -> None:
        self.pins = (channel.pin, channel.direction_pin)
        self._name = name
        self._channel = channel
        self._plant = plant
        self._emit = emit
        self._settle_all = settle
        self._refuse = refuse
        self._step = channel.step_mm / 1000
        self._zero = min(max(0.0, channel.low), channel.high)
        """Where it stood at step 0: at power-on, or at the home switch since it was there."""
        self._steps = 0
        self._forward = False
        self._goes = 0
        """Which way it goes, as the plant knows it; 0 while it rests."""
        self._last = 0
        self._watched = False
        home_is_low = channel.home == channel.low
        self._homeward = -1 if home_is_low else 1
        self._far = channel.high if home_is_low else channel.low

    @property
    def position(self) -> float:
        """Where it stands, metres."""
        return self._zero + self._steps * self._step

    def changed(self, cycle: int, pin: int, level: PinLevel) -> None:
        step, _ = self.pins
        if pin != step:
            self._forward = level is PinLevel.HIGH
        elif level is PinLevel.HIGH:
            self._steps_on(cycle, 1 if self._forward else -1)

    def settle(self, cycle: int) -> None:
        """Something else is about to begin: say where it stands, if no step came just now."""
        if self._goes and cycle - self._last > self.QUIET:
            self._rests(cycle)

    def _steps_on(self, cycle: int, way: int) -> None:
        self._last = cycle
        if way == self._homeward and self._is_home(self.position):
            return
        if self._goes and way != self._goes:
            self._rests(cycle)
        if not self._goes:
            self._sets_off(cycle, way)
        self._steps += way
        if way == self._homeward:
            if self._is_home(self.position):
                self._zero, self._steps = self._channel.home, 0
                self._rests(cycle)
        elif way * (self.position - self._far) > self._step:
            self._rests(cycle)
            why = f"{self._name} ran into the end of its rail at {self.position:.4f} m."
            self._emit(cycle, self._name, lambda: self._refuse(self._name, why))

    def _is_home(self, position: float) -> bool:
        return self._homeward * (self._channel.home - position) < self._step / 2

    def _sets_off(self, cycle: int, way: int) -> None:
        self._settle_all(cycle)
        self._goes = way
        start, target = self.position, self._channel.high if way > 0 else self._channel.low
        seconds = abs(target - start) / self._channel.speed
        self._emit(
            cycle,
            self._name,
            lambda: self._plant.axis_begins(self._name, start, target, seconds),
        )
        if not self._watched:
            self._watched = True
            self._emit(cycle + self.STILL, self._name, lambda: self._watch(cycle + self.STILL))

    def _watch(self, cycle: int) -> None:
        """One watch at a time, not one for every step."""
        due = self._last + self.STILL
        if self._goes and due > cycle:
            self._emit(due, self._name, lambda: self._watch(due))
            return
        self._watched = False
        if self._goes:
            self._rests(cycle)

    def _rests(self, cycle: int) -> None:
        self._goes = 0
        position = self.position
        self._emit(cycle, self._name, lambda: self._plant.axis_ends(self._name, position))


class Module:
    """A dice or tag reader on a serial port: a line comes, a line goes back."""

    def __init__(
        self, name: str, port: int, plant: Wiring, emit: Emit, answer: Callable[[int, bytes], None]
    ) -> None:
        self._name = name
        self._port = port
        self._plant = plant
        self._emit = emit
        self._answer = answer
        self._line = bytearray()

    def hear(self, cycle: int, byte: int) -> None:
        """A byte has come, whole, by this cycle."""
        if byte != ord("\n"):
            self._line.append(byte)
            return
        line = self._line.decode("ascii", "replace")
        self._line.clear()
        self._emit(cycle, self._name, lambda: self._answer(self._port, self._reply(line)))

    def _reply(self, line: str) -> bytes:
        """Dice `D<n>`: a figure each. Tags `T`: 16 hexadecimal digits, or `-` for none."""
        if line == "T":
            tag = self._plant.tag(self._name)
            return b"-\n" if tag is None else f"{tag:016X}\n".encode()
        if line[:1] == "D" and line[1:].isdigit():
            faces = self._plant.dice(self._name, int(line[1:]))
            return " ".join(map(str, faces)).encode() + b"\n"
        return b""
