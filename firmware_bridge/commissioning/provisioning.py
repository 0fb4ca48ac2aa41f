"""Provisioning data of a board: serial number, key and address, in its EEPROM.

The layout is that of `firmware_bridge/firmware/core/identity.h`. A programmer writes the first
copy, at `PLACE`; the firmware makes a second one, and uses the rest of the EEPROM for its memory.
"""

from __future__ import annotations

from binascii import crc_hqx
from collections.abc import Iterator

from firmware_bridge.commissioning.device_keys import (
    DAMAGED,
    KEY_SIZES,
    NO_IDENTITY,
    SERIAL_SIZE,
    SIMULATED,
    UNSET,
    is_serial,
)

VERSION = 1
PLACE = 64
"""The address of the first copy: not 0, which a write at a low supply voltage can change."""
LONGEST_KEY = 32
ADDRESSES = range(8)
_CRC_SEED = 0xFFFF
_RECORD = 16
"""Bytes in a line of an Intel HEX file."""


def image(serial: str, key: bytes, address: int) -> bytes:
    """The bytes that the firmware reads. Raises ValueError for a value that it cannot use.

    A key may have any size up to 32 bytes here; those for real boards have 16 or 32.
    """
    if not is_serial(serial):
        raise ValueError(
            f"'{serial}' is not a serial number; give {SERIAL_SIZE} letters and digits, such as"
            " WALL0001."
        )
    if address not in ADDRESSES:
        raise ValueError(
            f"An address must be 0 to {ADDRESSES[-1]}, as in the table's file; got {address}."
        )
    if not 0 < len(key) <= LONGEST_KEY:
        raise ValueError(f"A key must have 1 to {LONGEST_KEY} bytes; got {len(key)}.")
    body = bytes([VERSION]) + serial.encode("ascii") + key.ljust(LONGEST_KEY, b"\0")
    body += bytes([len(key), address])
    return body + crc_hqx(body, _CRC_SEED).to_bytes(2, "little")


def eeprom(serial: str, key: bytes, address: int) -> bytes:
    """The beginning of the EEPROM of a provisioned board, up to the end of the first copy.

    Raises ValueError for a value that the firmware cannot use.
    """
    return b"\xff" * PLACE + image(serial, key, address)


def require_real(serial: str, key: bytes) -> None:
    """Raise ValueError for a serial number or a key that is not valid for a real board."""
    if serial in NO_IDENTITY or serial.startswith(SIMULATED):
        raise ValueError(
            f"'{serial}' is reserved for simulated boards and boards without provisioning; give a"
            f" serial number other than {UNSET} and {DAMAGED} that does not begin with {SIMULATED}."
        )
    if len(key) not in KEY_SIZES:
        raise ValueError(f"The key of a real board must have 16 or 32 bytes; got {len(key)}.")


def intel_hex(data: bytes, start: int = 0) -> str:
    """Bytes as an Intel HEX file, for a programmer."""
    return "\n".join([*_records(data, start), ":00000001FF", ""])


def _records(data: bytes, start: int) -> Iterator[str]:
    for at in range(0, len(data), _RECORD):
        piece = data[at : at + _RECORD]
        record = bytes([len(piece)]) + (start + at).to_bytes(2, "big") + b"\0" + piece
        yield f":{(record + bytes([-sum(record) & 0xFF])).hex().upper()}"
