"""Writes the CRC of a program into its file, for the test of the flash by the board itself.

    python program_crc.py avr ELF OBJCOPY
    python program_crc.py rp2040 BIN ELF OBJCOPY

CRC-16/CCITT-FALSE, as in core/crc.h. On the Mega the CRC is over the sections .text and .data, and
is the last word of .watchdog_entry, which the linker puts behind the program. On the RP2040 it is
over .start from the word behind it on, .data and .program, in the order in which the board reads
them; the CRC of the boot's second stage, which the ROM checks, is written too: CRC-32 with the
polynomial 0x04C11DB7, the start value 0xFFFFFFFF, without reflection and without a final inversion
(datasheet of the RP2040, section 2.8.1.3.1).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

BOOT2 = 252
"""Bytes of the second stage; its CRC follows, lowest byte first."""
VECTORS = 8
"""Bytes of the two vectors at the begin of .start, which follows the second stage; the CRC of the
program follows them, four bytes."""
CRC_SIZE = 2


def crc_of(data: bytes) -> int:
    """Return the CRC-16 as the firmware computes it."""
    crc = 0xFFFF
    for byte in data:
        crc = (crc >> 8 | crc << 8) & 0xFFFF
        crc ^= byte
        crc ^= (crc & 0xFF) >> 4
        crc ^= crc << 12 & 0xFFFF
        crc ^= (crc & 0xFF) << 5
    return crc


def rom_crc_of(data: bytes) -> int:
    """Return the CRC-32 as the ROM of the RP2040 computes it."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1) ^ 0x04C11DB7 if crc & 0x80000000 else crc << 1
        crc &= 0xFFFFFFFF
    return crc


def write_to_elf(elf: Path, objcopy: str) -> None:
    """Write the CRC into the ELF file of the Mega's program."""
    crc = crc_of(_section(elf, objcopy, ".text") + _section(elf, objcopy, ".data"))
    content = _section(elf, objcopy, ".watchdog_entry")
    with TemporaryDirectory() as folder:
        entry = Path(folder, "entry")
        entry.write_bytes(content[:-CRC_SIZE] + crc.to_bytes(CRC_SIZE, "little"))
        _run(objcopy, "--update-section", f".watchdog_entry={entry}", str(elf))


def write_to_image(file: Path, elf: Path, objcopy: str) -> None:
    """Write both CRCs into the image of the RP2040's flash."""
    start, data, program = (
        _section(elf, objcopy, name) for name in (".start", ".data", ".program")
    )
    crc = crc_of(start[VECTORS + 4 :] + data + program)
    image = bytearray(file.read_bytes())
    image[BOOT2 : BOOT2 + 4] = rom_crc_of(bytes(image[:BOOT2])).to_bytes(4, "little")
    at = BOOT2 + 4 + VECTORS
    image[at : at + 4] = crc.to_bytes(4, "little")
    file.write_bytes(image)


def _section(elf: Path, objcopy: str, name: str) -> bytes:
    with TemporaryDirectory() as folder:
        content = Path(folder, "section")
        _run(objcopy, "-O", "binary", "-j", name, str(elf), str(content))
        return content.read_bytes() if content.exists() else b""


def _run(*command: str) -> None:
    subprocess.run(command, check=True)  # noqa: S603 the compiler's own tool


if __name__ == "__main__":
    if sys.argv[1] == "avr":
        write_to_elf(Path(sys.argv[2]), sys.argv[3])
    else:
        write_to_image(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
