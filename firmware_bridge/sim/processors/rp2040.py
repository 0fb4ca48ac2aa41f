"""The Raspberry Pi Pico's processor: emulation by rp2040js of the image that is flashed.

A Node process runs the emulation. It is in step with this one: it answers each request, and has no
clock of its own. Two runs with the same inputs give the same outputs.

Time is counted as for the Mega: sixteen cycles a microsecond, which are not those of this processor
(125 a microsecond). `nanoseconds` gives the outputs' exact times.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable
from enum import IntEnum
from pathlib import Path
from struct import Struct
from typing import NamedTuple

from firmware_bridge.commissioning.pico_storage import STORAGE, storage_from, storage_image
from firmware_bridge.sim.processors.processor import (
    EEPROM_SIZE,
    FIRMWARE,
    FirmwareCrashedError,
    PinChange,
    PinLevel,
    PinOutputs,
    Reset,
    SentByte,
)

IMAGE = FIRMWARE / "build" / "wallwright-rp2040.bin"
SHIM = FIRMWARE / "build" / "rp2040js" / "shim.mjs"
STORAGE_SIZE = 0x80000
_FLASH, _FLASH_SIZE = 0x10000000, 0x200000
_PINS = range(30)
_ANALOG_PINS = range(26, 30)
_SUPPLY_PIN = 29
USB = 2
"""The number of the Pico's own USB port among the serial ports."""
_PORTS = range(3)
_RECORD = Struct("<QIBBH")
_RUN = Struct("<QQBI")
_STATE = Struct("<IBIII")
_UART_BYTE, _PIN_LEVEL, _ANALOG_MV, _RESET = range(4)


class Restart(IntEnum):
    """The cause of a restart: the supply returns, the RUN pin is released, or the watchdog."""

    POWER = 0
    BUTTON = 1
    WATCHDOG = 2


class ChipState(NamedTuple):
    """Internal state of the chip, which is not visible at its pins."""

    program_counter: int
    in_bootloader: int
    erases: int
    """Erases of sectors of the flash since power-on."""
    most_erases: int
    """The largest number of erases of one sector."""
    lost: int
    """Bytes that came while the program had not read the byte before."""


class Transfer(NamedTuple):
    """A control transfer of USB."""

    setup: bytes
    data: bytes | None
    """The bytes of the answer; None if the request was refused."""


class Rp2040:
    """One RP2040 with the program of `image`, as at power-on; it is used like a `Processor`.

    `eeprom` is the content of its storage, 4096 bytes; None is an erased storage. Raises
    `FileNotFoundError` if the program or the emulator is not built or Node is not installed.
    """

    def __init__(self, image: Path = IMAGE, *, eeprom: bytes | None = None) -> None:
        node = shutil.which("node") or shutil.which("nodejs")
        if node is None:
            raise FileNotFoundError(
                "node is not installed; install it: sudo apt-get install nodejs npm."
            )
        if not image.exists() or not SHIM.exists():
            missing = SHIM if image.exists() else image
            raise FileNotFoundError(
                f"There is no {missing}; `make -C {FIRMWARE} rp2040 rp2040js` builds it."
            )
        self._process = subprocess.Popen(  # noqa: S603 the program is Node with our emulator
            [node, str(SHIM), str(image)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._nanoseconds = 0
        self._events: list[bytes] = []
        self._outputs: list[tuple[int, int, int, int]] = []
        if eeprom is not None:
            self.load_eeprom(eeprom)

    def __enter__(self) -> Rp2040:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the emulator's process. Idempotent."""
        if self._process.poll() is None:
            assert self._process.stdin is not None and self._process.stdout is not None
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()

    @property
    def cycle(self) -> int:
        """Sixteenths of a microsecond since power-on; a reset does not clear them."""
        return self._nanoseconds * 2 // 125

    def run(self, until: int, *, stop_at_byte: bool = False, least: int | None = None) -> None:
        """Run to this cycle, or to the link's next byte. Raises FirmwareCrashedError.

        With `least` the run ends there if an output came before, and else at the first output.
        """
        ends = (-(-cycle * 125 // 2) for cycle in (until, until if least is None else least))
        head = _RUN.pack(*ends, stop_at_byte, len(self._events))
        answer = self._ask(b"r", head + b"".join(self._events))
        self._events.clear()
        self._nanoseconds = int.from_bytes(answer[:8], "little")
        self._outputs.extend(
            (at, value, kind, index)
            for at, value, kind, index, _ in _RECORD.iter_unpack(answer[8:])
        )

    def send(self, port: int, data: bytes, at: int, apart: int = 0) -> None:
        """Send bytes to a serial port; the first start bit arrives at cycle `at`.

        The bytes arrive `apart` cycles apart. Bytes faster than the port's rate follow each other
        without a gap. The host of the port `USB` sends its bytes in packets, from these cycles on.
        """
        _check(port, _PORTS, "serial port")
        for index, byte in enumerate(data):
            self._expect(at + index * apart, byte, _UART_BYTE, port)

    def drive(self, changes: Iterable[tuple[int, int, int]]) -> None:
        """Drive pins from outside: (cycle, pin, level) for each change; RELEASED ends it."""
        for cycle, pin, level in changes:
            self._expect(cycle, level, _PIN_LEVEL, _check(pin, _PINS, "pin"))

    def apply(self, pin: int, millivolts: int, at: int = 0) -> None:
        """Set the voltage at an analogue pin (26 to 28) from cycle `at` on."""
        self._expect(at, millivolts, _ANALOG_MV, _check(pin, _ANALOG_PINS, "analogue pin"))

    def supply(self, millivolts: int, at: int = 0) -> None:
        """Set the supply voltage VSYS from cycle `at` on; initially 5000 mV."""
        self._expect(at, millivolts, _ANALOG_MV, _SUPPLY_PIN)

    def usb(self, **asked: object) -> list[Transfer]:
        """Return the control transfers of USB that have ended since the last call.

        `plug=True` and `unplug=True`: a host is plugged in, enumerates the chip and opens its port.
        `reads=False`: its program does not read the port. `floods=True`: it sends requests and
        noise as fast as the chip takes them. `control=[...]`: a setup packet of eight
        bytes, and the bytes that the host sends after it.
        """
        answered = json.loads(self._ask(b"u", json.dumps(asked).encode()))
        return [
            Transfer(bytes(each["setup"]), bytes(each["data"]) if "data" in each else None)
            for each in answered
        ]

    def erases_take(self, milliseconds: int) -> None:
        """Let each erase of a sector of the flash take this long; typical are 45."""
        self._ask(b"u", json.dumps({"erase": milliseconds}).encode())

    def reset(self, how: Restart = Restart.BUTTON) -> None:
        """Reset the chip now."""
        self._ask(b"z", bytes([how]))

    def power_off(self, until: int) -> None:
        """Switch the supply off now, and on again at this cycle."""
        self._ask(b"o", (-(-until * 125 // 2)).to_bytes(8, "little"))
        self._nanoseconds = max(self._nanoseconds, -(-until * 125 // 2))

    @property
    def is_watched(self) -> bool:
        """Whether the watchdog is on; the boot ROM of this chip takes no time here."""
        return True

    def hang(self) -> None:
        """Reset the chip as its watchdog does when the program hangs."""
        self.reset(Restart.WATCHDOG)

    def brown_out(self) -> None:
        """Reset the chip by its supply, which this chip reports as a power-on."""
        self.reset(Restart.POWER)

    def wire(self, output: int, to: int, delay: int, hold: int = 0) -> None:
        """Connect an output to another pin: changes arrive `delay` cycles later.

        The other pin stays high for `hold` cycles longer. A released output is low.
        """
        nanoseconds = [cycles * 125 // 2 for cycles in (delay, hold)]
        self._ask(b"w", bytes([output, to]) + Struct("<II").pack(*nanoseconds))

    def take(self) -> PinOutputs:
        """Remove and return the outputs since the last call."""
        outputs = PinOutputs([], [], [])
        for nanoseconds, value, kind, index in self.nanoseconds():
            cycle = nanoseconds * 2 // 125
            if kind == _PIN_LEVEL:
                outputs.pins.append(PinChange(cycle, index, PinLevel(value)))
            elif kind == _UART_BYTE:
                outputs.sent.append(SentByte(cycle, index, value))
            else:
                outputs.resets.append(Reset(cycle, value))
        return outputs

    def nanoseconds(self) -> list[tuple[int, int, int, int]]:
        """Remove and return the outputs as (nanoseconds, value, kind, index); kind 1 is a pin."""
        outputs, self._outputs = self._outputs, []
        return outputs

    def eeprom(self) -> bytes:
        """The content of the storage, 4096 bytes."""
        return storage_from(self.memory(_FLASH + STORAGE, STORAGE_SIZE))

    def load_eeprom(self, image: bytes) -> None:
        """Write the content of the storage and start the chip again. Raises ValueError."""
        if len(image) != EEPROM_SIZE:
            raise ValueError(
                f"An EEPROM image must have {EEPROM_SIZE} bytes; got {len(image)} bytes."
            )
        self._ask(
            b"f", STORAGE.to_bytes(4, "little") + storage_image(image).ljust(STORAGE_SIZE, b"\xff")
        )

    def write_flash(self, parts: Iterable[tuple[int, bytes]]) -> None:
        """Write pieces to the flash, as the chip's bootloader does, and start the chip again.

        Each piece has the address of the chip's memory. Raises ValueError for another address.
        """
        for at, data in parts:
            if at < _FLASH or at + len(data) > _FLASH + _FLASH_SIZE:
                raise ValueError(
                    f"The flash begins at {_FLASH:#x}; got {len(data)} bytes at {at:#x}."
                )
            self._ask(b"f", (at - _FLASH).to_bytes(4, "little") + data)

    def memory(self, at: int, size: int) -> bytes:
        """Bytes of the flash or of the RAM, for tests of state that no pin shows."""
        return self._ask(b"m", Struct("<II").pack(at, size))

    def poke(self, at: int, data: bytes) -> None:
        """Change bytes of the RAM, or a register of 32 bits, to damage the firmware's state."""
        self._ask(b"p", at.to_bytes(4, "little") + data)

    def ring_oscillator(self, khz: int) -> None:
        """Change the frequency of the ring oscillator, which is compared with the crystal."""
        self._ask(b"k", khz.to_bytes(4, "little"))

    def hold(self, pin: int, level: PinLevel) -> None:
        """Hold a pin at a level against the chip's own output; RELEASED ends it."""
        self._ask(b"h", bytes([_check(pin, _PINS, "pin"), level]))

    @property
    def state(self) -> ChipState:
        """The internal state of the chip, which is not visible at its pins."""
        return ChipState(*_STATE.unpack(self._ask(b"s")))

    def _expect(self, cycle: int, value: int, kind: int, index: int) -> None:
        self._events.append(_RECORD.pack(cycle * 125 // 2, value, kind, index, 0))

    def _ask(self, kind: bytes, data: bytes = b"") -> bytes:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write((len(data) + 1).to_bytes(4, "little") + kind + data)
        self._process.stdin.flush()
        head = self._process.stdout.read(4)
        answer = self._process.stdout.read(int.from_bytes(head, "little"))
        if not answer:
            raise FirmwareCrashedError(
                "The emulator of the RP2040 has ended; see its error output."
            )
        if answer[0]:
            raise FirmwareCrashedError(f"The program failed: {answer[1:].decode()}.")
        return answer[1:]


def _check(number: int, valid: range, kind: str) -> int:
    if number not in valid:
        raise ValueError(f"A {kind} must be {valid.start} to {valid[-1]}; got {number}.")
    return number
