"""The virtual board beside the emulated Pico: the same scripts as on the firmware of this computer.

A Pico has fewer pins than a Mega, so the board has only the channels that a script can name, on
pins of the Pico. On the emulated chip bytes take time. Both boards get a frame when its last byte
has arrived. The time in which the replies arrive is taken off the next period of the script.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from config.board_profiles import board_profile
from config.schema import BoardConfig
from firmware_bridge.commissioning.provisioning import eeprom
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim.processors.emulated_board import LINK_BYTE, MODULE_BYTE
from firmware_bridge.sim.processors.pin_devices import Strip
from firmware_bridge.sim.processors.processor import CYCLES_PER_US, EEPROM_SIZE, PinLevel
from firmware_bridge.sim.processors.rp2040 import USB, Rp2040
from firmware_bridge.wire.codec import Decoder, Frame
from firmware_bridge.wire.codes import ResetCause
from firmware_bridge.wire.messages import Identify, Read, Statistics, Value
from tests.firmware_bridge.firmware.twins import Twins

PROFILE = board_profile("rp2040")
TOLERANCE_US = 1000
"""The permitted difference of times: bytes take 40 us, and a turn of the main loop up to 400."""
START_US = 40_000
"""Microseconds from power-on until the board has announced its start."""
ENUMERATED_US = 120_000
"""Microseconds from power-on until a host of USB has enumerated the board and opened its port."""
SETTLED_US, SETTLING_US = 6000, 250
"""Microseconds within which a board has sent what follows from its last input, in such steps."""
EDGE_US = 8
"""Microseconds from one edge to the next, which a script has at the same instant."""
EXECUTED_US, IDENTIFIED_US = 400, 15_000
"""Microseconds within which a board has executed a command, and has answered Identify."""
AXIS_UM = 1300
"""The permitted difference of a moving axis's position: `TOLERANCE_US` at 1.2 m/s, rounded up."""
HELD_UP_US = 20_000
"""Microseconds for which the supply falls; the board saves its state meanwhile."""
FALLING_MV, SUPPLY_MV = 3600, 5000
LOW_PERMILLE = 900
"""What the firmware's core calls the voltage below which the supply is low."""
_LINK, _MODULE = 0, 1
_PIN_KEYS = ("pin", "reverse_pin", "direction_pin")
_STOP_KEYS = ("forward_stop", "reverse_stop", "hold_while", "home_switch")
_LED = 25


class _Lit:
    """The lamps of a strip, which `Strip` keeps itself."""

    def output(self, channel: str, value: int) -> None: ...


class PicoChip:
    """An emulated Pico with the interface of `VirtualChip`, as far as scripts need it."""

    def __init__(
        self,
        pico: Rp2040,
        address: int,
        start_us: int,
        serial: str = "TWIN0001",
        link: int = _LINK,
    ) -> None:
        self._pico = pico
        self._link = link
        self._line_free = self._lit_at = 0
        self._frame = bytearray()
        self._sent = bytearray()
        self._module = bytearray()
        self._levels: dict[int, PinLevel] = {}
        self._strip = Strip("lamps", _LED, 0, _Lit(), lambda *_: None)  # type: ignore[arg-type]
        pico.load_eeprom(eeprom(serial, KEY, address).ljust(EEPROM_SIZE, b"\xff"))
        pico.power_off(until=max(pico.cycle, (start_us - self._starting_us) * CYCLES_PER_US))
        pico.take()
        safety = (PROFILE.reserved("emergency"), PROFILE.reserved("curtain"))
        pico.drive(
            (pico.cycle, pin.pin, PinLevel.LOW if pin.pin in safety else PinLevel.RELEASED)
            for pin in PROFILE.pins
            if pin.pin != _LINK + 1
        )
        pico.supply(SUPPLY_MV, pico.cycle)
        self.analog(28, 0)
        if link == USB:
            pico.usb(plug=True)
        self.advance(self._starting_us)

    @property
    def _starting_us(self) -> int:
        return ENUMERATED_US if self._link == USB else START_US

    @property
    def now_us(self) -> int:
        """Microseconds since the emulator was started."""
        return self._pico.cycle // CYCLES_PER_US

    def receive(self, data: bytes) -> int:
        """Send these bytes to the link; return the microseconds until the last has arrived."""
        begin = max(self._pico.cycle, self._line_free)
        self._line_free = begin + len(data) * LINK_BYTE
        self._pico.send(self._link, data, begin, apart=LINK_BYTE)
        return -(-(self._line_free - self._pico.cycle) // CYCLES_PER_US)

    def advance(self, micros: int) -> None:
        self._pico.run(self._pico.cycle + micros * CYCLES_PER_US)
        self._collect()

    def sent(self) -> bytes:
        """Return the complete frames that the board has sent since the last call."""
        sent, self._sent = bytes(self._sent), bytearray()
        return sent

    def pin(self, pin: int, high: bool) -> None:
        self._pico.drive([(self._pico.cycle, pin, PinLevel(high))])

    def analog(self, pin: int, millivolts: int) -> None:
        self._pico.apply(pin, millivolts, self._pico.cycle)

    def supply(self, permille: int) -> None:
        assert PROFILE.supply is not None
        low_mv = round(PROFILE.supply.low * 1000)
        self._pico.supply(low_mv * permille // LOW_PERMILLE, self._pico.cycle)

    def lose_supply(self) -> None:
        """Let the supply fall until the board has saved its state, and switch it on again."""
        self._pico.supply(FALLING_MV, self._pico.cycle)
        self._pico.run(self._pico.cycle + HELD_UP_US * CYCLES_PER_US)
        self._collect()
        self._pico.power_off(until=self._pico.cycle)
        self._pico.supply(SUPPLY_MV, self._pico.cycle)
        self._frame.clear()
        self._sent.clear()
        self.advance(self._starting_us)

    def module_sent(self, port: int) -> bytes:
        sent, self._module = bytes(self._module), bytearray()
        return sent if port == _MODULE else b""

    def module_receive(self, port: int, data: bytes) -> None:
        self._pico.send(port, data, self._pico.cycle, apart=MODULE_BYTE)

    def output(self, pin: int) -> int:
        level = self._levels.get(pin, PinLevel.RELEASED)
        return -1 if level is PinLevel.RELEASED else level

    def lamps(self, pin: int) -> int:
        """Return the lamps of the strip as the board last sent them, one bit each."""
        self._latch()
        return self._strip._value

    @property
    def in_bootloader(self) -> bool:
        """Whether the board has started its bootloader."""
        return bool(self._pico.state.in_bootloader)

    def close(self) -> None:
        """Leave the emulator to the next script."""

    def _light(self, cycle: int, level: PinLevel) -> None:
        if cycle - self._lit_at > Strip._PAUSE:
            self._latch()
        self._lit_at = cycle
        self._strip.changed(cycle, _LED, level)

    def _latch(self) -> None:
        if self._strip._bits:
            self._strip._latch(len(self._strip._bits))

    def _collect(self) -> None:
        outputs = self._pico.take()
        for cycle, pin, level in outputs.pins:
            self._levels[pin] = level
            if pin == _LED:
                self._light(cycle, level)
        for _, port, byte in outputs.sent:
            if port == _MODULE:
                self._module.append(byte)
            if port != self._link:
                continue
            self._frame.append(byte)
            if byte == 0:
                self._sent += self._frame
                self._frame.clear()


class PicoTwins(Twins):
    """The virtual board and the emulated Pico, with the channels that `named` lists."""

    def __init__(
        self,
        pico: Rp2040,
        table: str,
        board: str,
        lamps: int,
        named: set[str],
        link: int = _LINK,
    ) -> None:
        self._pico = pico
        self._link = link
        self._named = named
        self._ahead_us = 0
        """Time that has passed beside the periods of the script."""
        self._acknowledged = -1
        super().__init__(Path(), table, board, lamps)
        self.tolerance_us = TOLERANCE_US
        self.least_us = EXECUTED_US

    def _configured(self, config: BoardConfig) -> BoardConfig:
        kept = {name: config.channels[name] for name in config.channels if name in self._named}
        pins = _pins_of(kept.values())
        moved = {
            name: channel.model_copy(
                update={
                    key: pins[getattr(channel, key)]
                    for key in _PIN_KEYS
                    if getattr(channel, key, None) is not None
                }
            )
            for name, channel in kept.items()
        }
        self._pins = pins
        return config.model_copy(update={"chip": "rp2040", "channels": moved})

    def _switched_on(self, library: Path) -> PicoChip:  # type: ignore[override]
        return PicoChip(
            self._pico,
            self.config.address,
            round(asyncio.get_running_loop().time() * 1e6),
            link=self._link,
        )

    def _notices(self, twin: int) -> list[Frame]:
        """None on USB: the port appears after the board has announced its start."""
        return [] if self._link == USB else super()._notices(twin)

    def pin_of(self, pin: int) -> int:
        """The pin of the Pico that has the channel of this pin of the Mega."""
        return self._pins[pin]

    async def deliver(self, data: bytes) -> None:
        await self._pass(self.chip.receive(data))  # type: ignore[func-returns-value]
        self.session.receive(data)
        await asyncio.sleep(0)
        identifies = any(isinstance(frame.message, Identify) for frame in Decoder().feed(data))
        await self._pass(IDENTIFIED_US if identifies else EXECUTED_US)
        self._ahead_us = EXECUTED_US

    async def open(self, nonce: bytes) -> None:
        await super().open(nonce)
        await self.settle(self.has_replied)

    async def sense(self, sensor: str, active: bool) -> None:
        self._ahead_us = 0
        await super().sense(sensor, active)
        await self._pass(EDGE_US)
        self._ahead_us = 0

    async def settle(self, is_there: Callable[[], bool]) -> None:
        for _ in range(SETTLED_US // SETTLING_US):
            if is_there():
                return
            await self._pass(SETTLING_US)

    async def advance(self, milliseconds: float, acknowledge: bool = True) -> None:
        micros = round(milliseconds * 1000)
        taken = min(micros, self._ahead_us)
        self._ahead_us -= taken
        await super().advance((micros - taken) / 1000, acknowledge)

    async def lose_supply(self) -> None:
        self.session = self._new_session()
        self.virtual.reset(ResetCause.POWER)
        self.session.announce(self.virtual.started)
        before = self.chip.now_us
        self.chip.lose_supply()
        await asyncio.sleep((self.chip.now_us - before) / 1e6)
        self._collect_frames()

    def _acknowledge(self) -> None:
        """Acknowledge new events only, because each acknowledgement takes time on the line."""
        events = self._events(1)
        if events and events[-1].sequence != self._acknowledged:
            self._acknowledged = events[-1].sequence
            super()._acknowledge()

    def _alike(self, one: Frame, other: Frame) -> bool:
        """Compare as on this computer, without the longest turn, which is zero only there."""
        if isinstance(one.message, Statistics) and isinstance(other.message, Statistics):
            other = other._replace(message=other.message._replace(longest_turn_us=0))
        if isinstance(one.message, Value) and isinstance(other.message, Value):
            command = self.commands.get(one.sequence)
            name = self._name_of(command.channel) if isinstance(command, Read) else ""
            difference = abs(one.message.value - other.message.value)
            if name and self.config.channels[name].kind == "axis" and difference <= AXIS_UM:
                return True
        return super()._alike(one, other)

    async def _pass(self, micros: int) -> None:
        ahead, self._ahead_us = self._ahead_us, 0
        await super().advance(micros / 1000, acknowledge=False)
        self._ahead_us = ahead + micros


def named_channels(scripts: Iterable[str], channels: dict[str, Any]) -> set[str]:
    """The channels that scripts name, and the sensors that stop or hold these."""
    words = set(re.findall(r"\w+", "\n".join(scripts)))
    named: set[str] = {"emergency", "curtain"} & channels.keys() | words & channels.keys()
    named |= {"lamps", next(name for name in channels if channels[name].kind == "motor")}
    stops = {getattr(channels.get(name), key, None) for name in named for key in _STOP_KEYS}
    return named | {stop for stop in stops if stop is not None}


def _pins_of(channels: Iterable[Any]) -> dict[int, int]:
    """A pin of the Pico for each pin of the channels; safety inputs have fixed ones."""
    fixed = {20: PROFILE.reserved("emergency"), 21: PROFILE.reserved("curtain")}
    free = [pin for pin in PROFILE.able("input", "output") if pin not in (8, 9)]
    outputs = [_LED]
    pins: dict[int, int] = {}
    for channel in channels:
        for key in _PIN_KEYS:
            pin = getattr(channel, key, None)
            if pin is None:
                continue
            if channel.kind == "strip":
                pins[pin] = outputs.pop()
            elif pin in fixed and channel.kind == "sensor":
                pins[pin] = fixed[pin] or 0
            else:
                pins[pin] = free.pop(0)
    return pins
