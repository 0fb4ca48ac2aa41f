"""Writes the CRC of the boot's second stage into a flash image for the RP2040.

The ROM computes CRC-32 with the polynomial 0x04C11DB7, the start value 0xFFFFFFFF, without
reflection and without a final inversion (datasheet of the RP2040, section 2.8.1.3.1).
"""

from __future__ import annotations

import sys
from pathlib import Path

BOOT2 = 252
"""Bytes of the second stage; the CRC follows, lowest byte first."""


def crc_of(data: bytes) -> int:
    """Return the CRC-32 as the ROM computes it."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1) ^ 0x04C11DB7 if crc & 0x80000000 else crc << 1
        crc &= 0xFFFFFFFF
    return crc


def main(file: Path) -> None:
    """Write the CRC into the file."""
    image = bytearray(file.read_bytes())
    image[BOOT2 : BOOT2 + 4] = crc_of(bytes(image[:BOOT2])).to_bytes(4, "little")
    file.write_bytes(image)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
