"""One board of the emulated bench: the processor that runs the firmware, its pins and its line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from config.board_profiles import profile_of
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
from firmware_bridge.sim.processors.pin_devices import (
    AxisPins,
    MotorPins,
    OutputPin,
    PinDevice,
    Schedule,
    SerialModule,
    Strip,
)
from firmware_bridge.sim.processors.processor import (
    ELF,
    FREQUENCY,
    FlashImage,
    PinLevel,
    PinOutputs,
    Processor,
    Reset,
)
from firmware_bridge.sim.processors.rp2040 import Rp2040
from firmware_bridge.wire.codes import ResetCause
from firmware_bridge.wire.transport import BAUD

LINK = 0
"""The serial port of the link."""
LINK_BYTE = BITS_A_BYTE * FREQUENCY // BAUD
MODULE_BYTE = BITS_A_BYTE * FREQUENCY // 115_200
"""Cycles that a byte of a module takes; `LINK_BYTE` is that of the link."""
SLICE, QUIET = 200 * FREQUENCY // 1_000_000, 2000 * FREQUENCY // 1_000_000
"""Cycles of a board's turn, and at most while it has no output; an effect of one board reaches
another at most this late."""
SUPPLY_MV = 5000
_SEEDS = 1 << 32
_POWER_ON = 1
"""The flag of a power-on in MCUSR."""
FALLING_MV, HELD_UP, DETECTED = 4000, FREQUENCY // 2, FREQUENCY // 250
"""Supply voltage of a failing supply, the cycles until the processor stops, and the cycles until
its brown-out detector resets it, if the supply recovers before (our values).

The voltage is the one of a board with the capacitor of docs/build/BENCH.md: low, and permitted for
writing (3.92 to 4.01 V on a Mega). Below it a board saves nothing; `test_power_cuts.py` has the
other voltages."""

UNWATCHED = FREQUENCY // 10
"""Cycles between two checks whether the bootloader has started the firmware."""


class EmulatedBoard:
    """A board whose firmware runs on an emulated processor, switched on at cycle 0.

    The plant uses it like a virtual board. `now()` is the bench's cycle. `schedule` runs a change
    of the plant at a cycle. `refuse` receives orders that the mechanism cannot execute. `send` gets
    complete frames, each with the cycle of its last byte.
    """

    def __init__(
        self,
        config: BoardConfig,
        plant: Wiring,
        eeprom: bytes,
        *,
        now: Callable[[], int],
        schedule: Schedule,
        refuse: Callable[[str, str], None],
        send: Callable[[int, bytes], None],
        elf: Path = ELF,
        bootloader: FlashImage | None = None,
    ) -> None:
        self.observe: Callable[[int, PinOutputs], None] = _ignore
        """Called with the outputs, and with the bench's cycle at which the processor began."""
        self._elf = elf
        self._bootloader = bootloader
        self._now = now
        self._plant = plant
        self._refuse = refuse
        self._send = send
        self._schedule = schedule
        self._profile = profile_of(config)
        self._amperes_per_volt = config.amperes_per_volt
        self._processor = self._switch_on(eeprom)
        self._closed = False
        self._before = 0
        """The bench's cycle at which this processor was switched on."""
        self._frame = bytearray()
        self._line_free = 0
        self._draws: dict[str, int] = {}
        self._analog: dict[str, int] = {}
        self._sensors: dict[str, tuple[int, bool]] = {}
        safety = (self._profile.reserved("emergency"), self._profile.reserved("curtain"))
        self._levels: dict[int, int] = {pin: 0 for pin in safety if pin is not None}
        """The level of each input pin; a jumper closes unused safety loops."""
        self._devices: dict[int, PinDevice] = {}
        self._axes: list[AxisPins] = []
        self._modules: dict[int, SerialModule] = {}
        for name, channel in config.channels.items():
            match channel:
                case MotorChannel(pin=pin, reverse_pin=reverse, safe=safe):
                    self._wire(MotorPins(name, pin, reverse, safe, plant, schedule, self._settle))
                case OutputChannel(pin=pin, safe=safe):
                    self._wire(OutputPin(name, pin, safe, plant, schedule, self._settle))
                case StripChannel(pin=pin, safe=safe):
                    self._wire(Strip(name, pin, safe, plant, schedule))
                case AxisChannel():
                    axis = AxisPins(name, channel, plant, schedule, self._settle, refuse)
                    self._axes.append(axis)
                    self._wire(axis)
                case SensorChannel(pin=pin, active=active):
                    self._sensors[name] = (pin, active == "high")
                    self._levels[pin] = int(active != "high")
                case DiceChannel(pin=pin, safe=safe, port=port):
                    self._wire(OutputPin(name, pin, safe, plant, schedule, self._settle))
                    self._modules[port] = SerialModule(name, port, plant, schedule, self._answer)
                case ReaderChannel(port=port):
                    self._modules[port] = SerialModule(name, port, plant, schedule, self._answer)
                case AnalogChannel(pin=pin):
                    self._analog[name] = pin
        self._connect()

    # The bench's side

    @property
    def cycle(self) -> int:
        """The cycle that the processor has reached, by the bench's count."""
        return self._before + self._processor.cycle

    def run(self, until: int, least: int) -> int:
        """Run to this cycle, and process the outputs; return the cycle that was reached.

        A Pico, with which every exchange takes long, runs to `least` only if it has an output, or
        to its first output after it. It does not run if it is ahead already.
        """
        if isinstance(self._processor, Rp2040):
            if self.cycle >= until:
                return until
            self._processor.run(until - self._before, least=least - self._before)
        else:
            self._processor.run(until - self._before)
        out = self._processor.take()
        if out.pins or out.sent or out.resets:
            self.observe(self._before, out)
            self._process_outputs(out)
        return min(until, self.cycle) if isinstance(self._processor, Rp2040) else until

    def receive(self, data: bytes) -> None:
        """Send bytes of the link to the processor, beginning now."""
        begin = max(self._now(), self._line_free)
        self._line_free = begin + len(data) * LINK_BYTE
        self._processor.send(LINK, data, begin - self._before, apart=LINK_BYTE)

    def measure(self) -> None:
        """Set the voltages of the board's analogue inputs to the plant's present values."""
        for name, pin in self._analog.items():
            self._apply(pin, self._plant.analog(name))

    @property
    def longest_run(self) -> int:
        """Cycles that the board may run in one turn while it has no output."""
        return QUIET if self._profile.name == "rp2040" else SLICE

    @property
    def measures(self) -> bool:
        """Whether the board has an analogue input that the plant supplies."""
        return bool(self._analog)

    def reset(self, cause: ResetCause) -> None:
        """Restart the board: by its button, by its watchdog or by its supply.

        For BROWN_OUT the supply falls so far only that the RAM keeps its contents.
        """
        match cause:
            case ResetCause.EXTERNAL:
                self._processor.reset()
            case ResetCause.WATCHDOG:
                self._hang()
            case ResetCause.BROWN_OUT:
                self._processor.supply(FALLING_MV, self._processor.cycle)
                self._schedule(self._now() + DETECTED, "supply", self._brown_out)
            case _:
                self._power_cycle()

    def _hang(self) -> None:
        """Let the firmware hang, as soon as it runs: before it there is no watchdog to reset it."""
        if self._processor.is_watched:
            self._processor.hang()
        elif not self._closed:
            self._schedule(self._now() + UNWATCHED, "watchdog", self._hang)

    def _brown_out(self) -> None:
        self._processor.brown_out()
        self._processor.supply(SUPPLY_MV, self._processor.cycle)

    def _power_cycle(self) -> None:
        """Cut the supply and restore it; the EEPROM keeps its data and what is saved meanwhile.

        For the plant this takes no time: outputs of the failing processor are discarded.
        """
        self._processor.supply(FALLING_MV, self._processor.cycle)
        self._processor.run(self._processor.cycle + HELD_UP)
        eeprom = self._processor.eeprom()
        self._processor.close()
        self._before = self._now()
        for pin, device in self._devices.items():
            device.changed(self._before, pin, PinLevel.RELEASED)
        self._processor = self._switch_on(eeprom, self._before % _SEEDS)
        self.observe(self._before, PinOutputs([], [], [Reset(0, _POWER_ON)]))
        self._frame.clear()
        self._connect()

    def close(self) -> None:
        """Stop the processor; later changes of the plant have no effect."""
        self._closed = True
        self._processor.close()

    # The plant's side

    def sensor(self, channel: str, active: bool) -> None:
        """Set a sensor's level from now on."""
        pin, active_high = self._sensors[channel]
        level = int(active is active_high)
        self._levels[pin] = level
        if not self._closed:
            self._processor.drive([(self._now() - self._before, pin, level)])

    def order_failed(self, channel: str, why: str) -> None:
        """Pass on that a mechanism cannot complete an earlier order, which no pin can report."""
        self._refuse(channel, why)

    def current(self, motor: str, milliamps: int) -> None:
        """Set a motor's current. All motors of a board share one shunt."""
        self._draws[motor] = milliamps
        pin = self._profile.reserved("motor_current")
        if not self._closed and pin is not None:
            self._apply(pin, self._shunt_mv())

    # Helpers

    def _switch_on(self, eeprom: bytes, seed: int = 1) -> Processor | Rp2040:
        if self._profile.name == "rp2040":
            return Rp2040(eeprom=eeprom)
        return Processor(self._elf, eeprom=eeprom, bootloader=self._bootloader, memory_seed=seed)

    def _shunt_mv(self) -> int:
        return round(sum(self._draws.values()) / self._amperes_per_volt)

    def _wire(self, device: PinDevice) -> None:
        self._devices.update(dict.fromkeys(device.pins, device))

    def _connect(self) -> None:
        """Set all external levels before the processor's first cycle."""
        self._processor.drive([(0, pin, level) for pin, level in self._levels.items()])
        pin = self._profile.reserved("motor_current")
        if pin is not None:
            self._processor.apply(pin, self._shunt_mv())

    def _apply(self, pin: int, millivolts: int) -> None:
        held = min(max(millivolts, 0), round(self._profile.logic * 1000))
        self._processor.apply(pin, held, self._now() - self._before)

    def _process_outputs(self, out: PinOutputs) -> None:
        before, parts = self._before, self._devices
        for cycle, pin, level in out.pins:
            device = parts.get(pin)
            if device is not None:
                device.changed(before + cycle, pin, level)
        for cycle, port, byte in out.sent:
            if port == LINK:
                self._frame.append(byte)
                if not byte:
                    self._send(before + cycle + LINK_BYTE, bytes(self._frame))
                    self._frame.clear()
            elif port in self._modules:
                self._modules[port].receive(before + cycle + MODULE_BYTE, byte)

    def _answer(self, port: int, line: bytes) -> None:
        self._processor.send(port, line, self._now() - self._before, apart=MODULE_BYTE)

    def _settle(self, cycle: int) -> None:
        for axis in self._axes:
            axis.settle(cycle)


def _ignore(before: int, out: PinOutputs) -> None:
    """Discard outputs until an observer is set."""
