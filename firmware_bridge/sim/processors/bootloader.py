"""The Mega 2560's own bootloader, stk500v2, for emulated processors.

Every reset but that of the watchdog runs it first. It waits 0.78 s for a byte from the host, then
0.1 s more, then it starts the firmware. Any byte within the 0.78 s keeps it waiting for a
programmer until no byte has come for 5 s. It lights the LED on pin 13 meanwhile. Measured by
`tests/firmware_bridge/sim/processors/test_bootloader.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

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
    """Read the stock bootloader. Raises `FileNotFoundError` if the package is not installed."""
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
