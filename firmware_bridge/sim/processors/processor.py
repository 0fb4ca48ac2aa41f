"""The Mega's processor: cycle-exact simulation by simavr of the firmware file that is flashed.

Time is counted in cycles, 16 million a second. Inputs are set in advance, each with the cycle of
its arrival. Outputs are taken afterwards, each with its cycle. Two runs with the same inputs give
the same outputs.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from enum import IntEnum
from functools import cache
from pathlib import Path
from struct import Struct, unpack
from typing import NamedTuple

from rules.errors import WallwrightError

FREQUENCY = 16_000_000
"""Cycles per second."""
CYCLES_PER_US = 16
EEPROM_SIZE = 4096
FIRMWARE = Path(__file__).parents[2] / "firmware"
LIBRARY = FIRMWARE / "build" / "libwallwright_simavr.so"
ELF = FIRMWARE / "build" / "wallwright.elf"
_ANALOG_PINS = range(54, 70)
_PINS = range(70)
_UARTS = range(4)
_RECORD = Struct("<QIBBH")
"""A record of the shim: cycle, value, kind, index, and a reserved field."""


class PinLevel(IntEnum):
    """The level to which the processor drives a pin; RELEASED for an input."""

    LOW = 0
    HIGH = 1
    RELEASED = 2


class PinChange(NamedTuple):
    """A change of a pin, by its Arduino number, at a cycle."""

    cycle: int
    pin: int
    level: PinLevel


class SentByte(NamedTuple):
    """A byte that entered a serial port's shift register at a cycle."""

    cycle: int
    port: int
    byte: int


class Reset(NamedTuple):
    """A reset of the processor; `flags` is its MCUSR register."""

    cycle: int
    flags: int


class PinOutputs(NamedTuple):
    """The processor's outputs, each list in the order of time."""

    pins: list[PinChange]
    sent: list[SentByte]
    resets: list[Reset]

    def bytes_of(self, port: int) -> bytes:
        """The bytes that a serial port has sent."""
        return bytes(sent.byte for sent in self.sent if sent.port == port)


class FirmwareCrashedError(WallwrightError, RuntimeError):
    """The program executed an address without code."""


class Processor:
    """One ATmega2560 with the program of `elf`, as at power-on.

    `eeprom` is its image of 4096 bytes; None is an erased EEPROM. With a `bootloader` every reset
    starts that program; without one it starts the firmware. `memory_seed` selects the arbitrary
    contents that the RAM and the registers have at power-on. Raises `FileNotFoundError` if the
    program or the simulator's library is not built, and `ValueError` for a file that is not a
    program. Close the processor after use, or use it in a `with` statement.
    """

    def __init__(
        self,
        elf: Path = ELF,
        *,
        eeprom: bytes | None = None,
        bootloader: FlashImage | None = None,
        memory_seed: int = 1,
    ) -> None:
        if not elf.exists():
            raise FileNotFoundError(
                f"There is no program at {elf}; `make -C {FIRMWARE} avr` builds it."
            )
        self._shim = _shim()
        self._handle = self._shim.processor_open(str(elf).encode())
        if not self._handle:
            raise ValueError(f"{elf} is not a program for an ATmega2560; build it again.")
        self._shim.processor_fill_memory(self._handle, memory_seed)
        flashed = elf.with_suffix(".hex")
        if flashed.exists():
            # simavr loads only one section of an ELF file.
            self._write_flash(parse_intel_hex(flashed.read_text(encoding="ascii")))
        if bootloader is not None:
            self._write_flash(bootloader)
            self._shim.processor_boot_from(self._handle, bootloader.at)
        if eeprom is not None:
            self.load_eeprom(eeprom)

    def __enter__(self) -> Processor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the memory of the processor, which cannot run afterwards. Idempotent."""
        if self._handle:
            self._shim.processor_close(self._handle)
            self._handle = None

    @property
    def cycle(self) -> int:
        """Cycles since power-on; a reset does not clear them."""
        return int(self._shim.processor_cycle(self._handle))

    def run(self, until: int) -> None:
        """Run to the end of the instruction at this cycle. Raises FirmwareCrashedError."""
        if self._shim.processor_run(self._handle, until):
            raise FirmwareCrashedError(
                f"The program crashed at cycle {self.cycle}; look for a jump to an address without"
                " code."
            )

    def send(self, port: int, data: bytes, at: int, apart: int = 0) -> None:
        """Send bytes to a serial port; the first start bit arrives at cycle `at`.

        The bytes arrive `apart` cycles apart. Bytes faster than the port's rate follow each other
        without a gap; up to 64 bytes wait.
        """
        _within(port, _UARTS, "serial port")
        self._send_records(
            (at + index * apart, byte, _UART_BYTE, port) for index, byte in enumerate(data)
        )

    def drive(self, changes: Iterable[tuple[int, int, int]]) -> None:
        """Drive pins from outside: (cycle, pin, level) for each change; RELEASED ends it."""
        self._send_records(
            (cycle, level, _PIN_LEVEL, _within(pin, _PINS, "pin")) for cycle, pin, level in changes
        )

    def apply(self, pin: int, millivolts: int, at: int = 0) -> None:
        """Set the voltage at an analogue pin (54 to 69) from cycle `at` on."""
        index = _within(pin, _ANALOG_PINS, "analogue pin") - _ANALOG_PINS.start
        self._send_records([(at, millivolts, _ANALOG_MV, index)])

    def supply(self, millivolts: int, at: int = 0) -> None:
        """Set the supply voltage from cycle `at` on; initially 5000 mV."""
        self._send_records([(at, millivolts, _SUPPLY_MV, 0)])

    def reset(self) -> None:
        """Press the reset button now; a falling edge of DTR does the same. The RAM is kept."""
        self._shim.processor_reset(self._handle)

    def brown_out(self) -> None:
        """Reset by the brown-out detector now; the RAM keeps its contents."""
        self._shim.processor_brown_out(self._handle)

    def take(self) -> PinOutputs:
        """Remove and return the outputs since the last call."""
        count = self._shim.processor_gone(self._handle)
        if not count:
            return PinOutputs([], [], [])
        buffer = ctypes.create_string_buffer(count * _RECORD.size)
        self._shim.processor_take(self._handle, buffer)
        outputs = PinOutputs([], [], [])
        for cycle, value, kind, index, _ in _RECORD.iter_unpack(buffer.raw):
            if kind == _PIN_LEVEL:
                outputs.pins.append(PinChange(cycle, index, PinLevel(value)))
            elif kind == _UART_BYTE:
                outputs.sent.append(SentByte(cycle, index, value))
            else:
                outputs.resets.append(Reset(cycle, value))
        return outputs

    def eeprom(self) -> bytes:
        """The image of the processor's EEPROM; a byte that is being written has any value."""
        image = ctypes.create_string_buffer(EEPROM_SIZE)
        self._shim.processor_eeprom_read(self._handle, image, EEPROM_SIZE)
        return image.raw

    def load_eeprom(self, image: bytes) -> None:
        """Write an image to the EEPROM. Raises ValueError for an image of another size."""
        if len(image) != EEPROM_SIZE:
            raise ValueError(
                f"An EEPROM image must have {EEPROM_SIZE} bytes; got {len(image)} bytes."
            )
        self._shim.processor_eeprom_write(self._handle, image, EEPROM_SIZE)

    def eeprom_wear(self) -> tuple[int, tuple[int, ...]]:
        """The writes and erasures of single bytes since power-on, and the erasures of each byte."""
        erasures = ctypes.create_string_buffer(4 * EEPROM_SIZE)
        operations = self._shim.processor_eeprom_wear(self._handle, erasures)
        return int(operations), unpack(f"{EEPROM_SIZE}I", erasures.raw)

    def memory(self, at: int) -> int:
        """A byte of the processor's data memory, for tests of state that no pin shows."""
        return int(self._shim.processor_memory(self._handle, at))

    def poke(self, at: int, byte: int) -> None:
        """Change a byte of the data memory, to damage the state of the firmware."""
        self._shim.processor_poke(self._handle, at, byte)

    def write(self, register: int, byte: int) -> None:
        """Write a register of a peripheral, as the program would."""
        self._shim.processor_write(self._handle, register, byte)

    def flash(self, at: int) -> int:
        """A byte of the flash, from address 0 on."""
        return int(self._shim.processor_flash(self._handle, at))

    def poke_flash(self, at: int, byte: int) -> None:
        """Change a byte of the flash, to damage the program."""
        self._shim.processor_poke_flash(self._handle, at, byte)

    def clock(self, hertz: int) -> None:
        """Change the processor's frequency against that of the watchdog's oscillator."""
        self._shim.processor_clock(self._handle, hertz)

    def hold(self, pin: int, level: PinLevel) -> None:
        """Hold a pin at a level against the processor's own output; RELEASED ends it."""
        self._shim.processor_hold(self._handle, _within(pin, _PINS, "pin"), level)

    def hang(self, interrupts: bool = False) -> None:
        """Make the firmware loop for ever without interrupts, so that the watchdog resets.

        With `interrupts` only the main program loops, and the interrupts still run. Raises
        `ValueError` if the program has no endless loop at its end, as programs of avr-libc have.
        """
        if not self._shim.processor_hang(self._handle, interrupts):
            raise ValueError("The program has no end `cli; rjmp .-2` to jump to; build it again.")

    @property
    def is_watched(self) -> bool:
        """Whether the watchdog is on: the firmware starts it, and the bootloader runs without."""
        return bool(self.memory(_WDTCSR) & _WDE)

    def stop_tick(self) -> None:
        """Disable the interrupt of the sampling tick; the main program continues."""
        for _ in range(20):  # a tick that is under way enables its interrupt again at its end
            self.poke(_TIMSK3, 0)
            self.run(self.cycle + 997)

    @property
    def program_counter(self) -> int:
        """Address of the next instruction, for measurements of the program's run time."""
        return int(self._shim.processor_place(self._handle))

    def _write_flash(self, image: FlashImage) -> None:
        at, code = image
        self._shim.processor_write_flash(self._handle, code, len(code), at)

    def _send_records(self, records: Iterable[tuple[int, int, int, int]]) -> None:
        packed = b"".join(_RECORD.pack(*record, 0) for record in records)
        self._shim.processor_expect(self._handle, packed, len(packed) // _RECORD.size)


_WDTCSR, _WDE = 0x60, 0x08
"""The register of the watchdog, and its bit that a reset follows."""
_TIMSK3 = 0x71
"""The register that enables the interrupt of the sampling tick."""
_UART_BYTE, _PIN_LEVEL, _ANALOG_MV, _SUPPLY_MV = range(4)


def _within(number: int, valid: range, kind: str) -> int:
    if number not in valid:
        raise ValueError(f"A {kind} must be {valid.start} to {valid[-1]}; got {number}.")
    return number


@cache
def _shim() -> ctypes.CDLL:
    if not LIBRARY.exists():
        raise FileNotFoundError(
            f"The simulator's library {LIBRARY} is not built; install libsimavr-dev and run"
            f" `make -C {FIRMWARE} simavr`."
        )
    shim = ctypes.CDLL(str(LIBRARY))
    handle, size = ctypes.c_void_p, ctypes.c_size_t
    for name, result, arguments in (
        ("open", handle, [ctypes.c_char_p]),
        ("close", None, [handle]),
        ("cycle", ctypes.c_uint64, [handle]),
        ("run", ctypes.c_int, [handle, ctypes.c_uint64]),
        ("expect", None, [handle, ctypes.c_char_p, size]),
        ("gone", size, [handle]),
        ("take", None, [handle, ctypes.c_char_p]),
        ("reset", None, [handle]),
        ("brown_out", None, [handle]),
        ("fill_memory", None, [handle, ctypes.c_uint32]),
        ("write_flash", None, [handle, ctypes.c_char_p, ctypes.c_uint32, ctypes.c_uint32]),
        ("boot_from", None, [handle, ctypes.c_uint32]),
        ("eeprom_read", None, [handle, ctypes.c_char_p, ctypes.c_uint32]),
        ("eeprom_write", None, [handle, ctypes.c_char_p, ctypes.c_uint32]),
        ("eeprom_wear", ctypes.c_uint32, [handle, ctypes.c_char_p]),
        ("place", ctypes.c_uint32, [handle]),
        ("memory", ctypes.c_uint8, [handle, ctypes.c_uint16]),
        ("poke", None, [handle, ctypes.c_uint16, ctypes.c_uint8]),
        ("write", None, [handle, ctypes.c_uint16, ctypes.c_uint8]),
        ("flash", ctypes.c_uint8, [handle, ctypes.c_uint32]),
        ("poke_flash", None, [handle, ctypes.c_uint32, ctypes.c_uint8]),
        ("clock", None, [handle, ctypes.c_uint32]),
        ("hold", None, [handle, ctypes.c_uint8, ctypes.c_uint8]),
        ("hang", ctypes.c_bool, [handle, ctypes.c_bool]),
    ):
        function = getattr(shim, f"processor_{name}")
        function.restype, function.argtypes = result, arguments
    return shim


FILE = Path(
    "/usr/share/arduino/hardware/arduino/avr/bootloaders/stk500v2/stk500boot_v2_mega2560.hex"
)
"""The file of Debian's package `arduino-core-avr`."""
_DATA, _END, _SEGMENT, _LINEAR = 0, 1, 2, 4
"""Types of Intel HEX records."""
_IGNORED = (3, 5)
"""Types of records that give the start address of a program."""


class FlashImage(NamedTuple):
    """The contents of the flash from byte `at` on."""

    at: int
    code: bytes


def stock_bootloader(file: Path = FILE) -> FlashImage:
    """Read the Mega 2560's own bootloader, stk500v2. Raises FileNotFoundError without its package.

    Every reset but that of the watchdog runs it first. It waits 0.78 s for a byte from the host,
    then 0.1 s more, then it starts the firmware. Any byte within the 0.78 s keeps it waiting for a
    programmer until no byte has come for 5 s. It lights the LED on pin 13 meanwhile. Measured by
    `tests/firmware_bridge/sim/processors/test_bootloader.py`.
    """
    if not file.exists():
        raise FileNotFoundError(
            f"There is no bootloader at {file}; install it: sudo apt-get install arduino-core-avr."
        )
    return parse_intel_hex(file.read_text(encoding="ascii"))


def parse_intel_hex(text: str) -> FlashImage:
    """The bytes of an Intel HEX file, with 0xFF in its gaps. Raises ValueError for other text."""
    pieces: dict[int, bytes] = {}
    base = 0
    for number, line in enumerate(text.split(), 1):
        record = bytes.fromhex(line[1:]) if line.startswith(":") else b""
        if len(record) < 5 or sum(record) & 0xFF or len(record) != record[0] + 5:
            raise ValueError(
                f"Line {number} is not an Intel HEX record: {line[:20]!r}; install the file again."
            )
        at, kind, data = int.from_bytes(record[1:3], "big"), record[3], record[4:-1]
        if kind == _DATA:
            pieces[base + at] = data
        elif kind == _SEGMENT:
            base = int.from_bytes(data, "big") << 4
        elif kind == _LINEAR:
            base = int.from_bytes(data, "big") << 16
        elif kind != _END and kind not in _IGNORED:
            raise ValueError(
                f"Line {number} has the unknown record type {kind}; install the file again."
            )
    first = min(pieces)
    code = bytearray(b"\xff" * (max(at + len(data) for at, data in pieces.items()) - first))
    for at, data in pieces.items():
        code[at - first : at - first + len(data)] = data
    return FlashImage(first, bytes(code))
