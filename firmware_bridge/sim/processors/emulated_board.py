"""One board of the emulated bench: the processor that runs the firmware, its pins and its line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from config.schema import (
    AnalogChannel,
    AxisChannel,
    BoardConfig,
    DiceChannel,
    MotorChannel,
    OutputChannel,
    ReaderChannel,
    SensorChannel,
    StripChannel,
)
from firmware_bridge.executor.channels import Wiring
from firmware_bridge.sim.line import BITS_A_BYTE
from firmware_bridge.sim.processors.pins import (
    AxisPins,
    Emit,
    Module,
    MotorPins,
    OutputPin,
    PinPart,
    Strip,
)
from firmware_bridge.sim.processors.processor import ELF, FREQUENCY, PinLevel, PinOutputs, Processor
from firmware_bridge.wire.transport import BAUD

LINK = 0
"""The serial port of the link."""
LINK_BYTE = BITS_A_BYTE * FREQUENCY // BAUD
MODULE_BYTE = BITS_A_BYTE * FREQUENCY // 115_200
"""Cycles that a byte takes."""
EMERGENCY, CURTAIN, MOTOR_CURRENT = 20, 21, 69
"""Pins with one meaning on every board."""
MOST_MV = 5000
FALLING_MV, HELD_UP = 4300, FREQUENCY // 2
"""What a processor sees as its supply falls, and the cycles that are left to it to save (ours)."""


class EmulatedBoard:
    """A board, switched on at cycle 0; to the plant it looks like a virtual one.

    `now()` is the bench's cycle, `tell` what happens when, `refuse` who hears of what no mechanism
    can do, `send` gets whole frames and the cycle at which each has left.
    """

    def __init__(
        self,
        config: BoardConfig,
        plant: Wiring,
        eeprom: bytes,
        *,
        now: Callable[[], int],
        emit: Emit,
        refuse: Callable[[str, str], None],
        send: Callable[[int, bytes], None],
        elf: Path = ELF,
    ) -> None:
        self._elf = elf
        self._now = now
        self._plant = plant
        self._refuse = refuse
        self._send = send
        self._emit = emit
        self._processor = Processor(elf, eeprom=eeprom)
        self._closed = False
        self._before = 0
        """The bench's cycle at which this processor was switched on."""
        self._frame = bytearray()
        self._line_free = 0
        self._draws: dict[str, int] = {}
        self._analog: dict[str, int] = {}
        self._sensors: dict[str, tuple[int, bool]] = {}
        self._levels: dict[int, int] = {EMERGENCY: 0, CURTAIN: 0}
        """What the copper holds each input at; unused safety loops are closed by a jumper."""
        self._parts: dict[int, PinPart] = {}
        self._axes: list[AxisPins] = []
        self._modules: dict[int, Module] = {}
        for name, channel in config.channels.items():
            match channel:
                case MotorChannel(pin=pin, reverse_pin=reverse, safe=safe):
                    self._wire(MotorPins(name, pin, reverse, safe, plant, emit, self._settle))
                case OutputChannel(pin=pin, safe=safe):
                    self._wire(OutputPin(name, pin, safe, plant, emit, self._settle))
                case StripChannel(pin=pin, safe=safe):
                    self._wire(Strip(name, pin, safe, plant, emit))
                case AxisChannel():
                    axis = AxisPins(name, channel, plant, emit, self._settle, refuse)
                    self._axes.append(axis)
                    self._wire(axis)
                case SensorChannel(pin=pin, active=active):
                    self._sensors[name] = (pin, active == "high")
                    self._levels[pin] = int(active != "high")
                case DiceChannel(pin=pin, safe=safe, port=port):
                    self._wire(OutputPin(name, pin, safe, plant, emit, self._settle))
                    self._modules[port] = Module(name, port, plant, emit, self._answer)
                case ReaderChannel(port=port):
                    self._modules[port] = Module(name, port, plant, emit, self._answer)
                case AnalogChannel(pin=pin):
                    self._analog[name] = pin
        self._connect()

    # The bench's side

    @property
    def cycle(self) -> int:
        """How far it has run, by the bench's count."""
        return self._before + self._processor.cycle

    def run(self, until: int) -> None:
        """Run to this cycle; whatever went out meanwhile is told."""
        self._processor.run(until - self._before)
        out = self._processor.take()
        if out.pins or out.sent:
            self._heed(out)

    def receive(self, data: bytes) -> None:
        """Bytes of the link, the first of which begins to come now."""
        begin = max(self._now(), self._line_free)
        self._line_free = begin + len(data) * LINK_BYTE
        self._processor.send(LINK, data, begin - self._before, apart=LINK_BYTE)

    def measure(self) -> None:
        """What its analogue inputs have before them now."""
        for name, pin in self._analog.items():
            self._apply(pin, self._plant.analog(name))

    @property
    def measures(self) -> bool:
        """Whether it has any analogue inputs of the plant's."""
        return bool(self._analog)

    def reset(self) -> None:
        """Its reset button."""
        self._processor.reset()

    def power_cycle(self) -> None:
        """Its supply is cut and comes back; the EEPROM keeps what it has, and what is saved then.

        For the table that is one moment: what the processor still does in it goes nowhere.
        """
        self._processor.supply(FALLING_MV, self._processor.cycle)
        self._processor.run(self._processor.cycle + HELD_UP)
        eeprom = self._processor.eeprom()
        self._processor.close()
        self._before = self._now()
        for pin, part in self._parts.items():
            part.changed(self._before, pin, PinLevel.RELEASED)
        self._processor = Processor(self._elf, eeprom=eeprom)
        self._frame.clear()
        self._connect()

    def close(self) -> None:
        """It runs no more, and whatever still moves around it goes unnoticed."""
        self._closed = True
        self._processor.close()

    # The plant's side

    def sensor(self, channel: str, active: bool) -> None:
        """A sensor is at this level from now on."""
        pin, active_high = self._sensors[channel]
        level = int(active is active_high)
        self._levels[pin] = level
        if not self._closed:
            self._processor.drive([(self._now() - self._before, pin, level)])

    def order_failed(self, channel: str, why: str) -> None:
        """The mechanism cannot do what it was told some time ago; no pin can say so."""
        self._refuse(channel, why)

    def current(self, motor: str, milliamps: int) -> None:
        """All motors of a board share one shunt, a millivolt for each milliampere."""
        self._draws[motor] = milliamps
        if not self._closed:
            self._apply(MOTOR_CURRENT, sum(self._draws.values()))

    # Helpers

    def _wire(self, part: PinPart) -> None:
        self._parts.update(dict.fromkeys(part.pins, part))

    def _connect(self) -> None:
        """Everything outside holds its level before the processor takes its first step."""
        self._processor.drive([(0, pin, level) for pin, level in self._levels.items()])
        self._processor.apply(MOTOR_CURRENT, sum(self._draws.values()))

    def _apply(self, pin: int, millivolts: int) -> None:
        held = min(max(millivolts, 0), MOST_MV)
        self._processor.apply(pin, held, self._now() - self._before)

    def _heed(self, out: PinOutputs) -> None:
        before, parts = self._before, self._parts
        for cycle, pin, level in out.pins:
            part = parts.get(pin)
            if part is not None:
                part.changed(before + cycle, pin, level)
        for cycle, port, byte in out.sent:
            if port == LINK:
                self._frame.append(byte)
                if not byte:
                    self._send(before + cycle + LINK_BYTE, bytes(self._frame))
                    self._frame.clear()
            elif port in self._modules:
                self._modules[port].hear(before + cycle + MODULE_BYTE, byte)

    def _answer(self, port: int, line: bytes) -> None:
        self._processor.send(port, line, self._now() - self._before, apart=MODULE_BYTE)

    def _settle(self, cycle: int) -> None:
        for axis in self._axes:
            axis.settle(cycle)
