"""Provisioning data of a board in its EEPROM: serial number, key, address, limits, reference.

The layout is that of `firmware_bridge/firmware/core/identity.h`. A programmer writes the first
copy, at `PLACE`; the firmware makes a second one, and uses the rest of the EEPROM for its memory.
"""

from __future__ import annotations

from binascii import crc_hqx
from collections.abc import Iterable, Iterator, Mapping
from struct import Struct

from config.board_profiles import profile_of
from config.schema import BoardConfig, Table
from firmware_bridge.boards.encoding import flags_of, milliseconds, records
from firmware_bridge.commissioning.device_keys import (
    DAMAGED,
    KEY_SIZES,
    NO_IDENTITY,
    SERIAL_SIZE,
    SIMULATED,
    UNSET,
    is_serial,
)
from firmware_bridge.wire.codes import Flag, Kind
from firmware_bridge.wire.limits import DRIVEN, BoardLimits, driven_pins
from firmware_bridge.wire.messages import Configure

VERSION = 1
PLACE = 64
"""The address of the first copy: not 0, which a write at a low supply voltage can change."""
LIMITS_PLACE = 192
"""The address of the first copy of the limits."""
REFERENCE_PLACE = 120
"""The address of the first copy of the reference, to which the supply is compared."""
_REFERENCE_ROOM = 8
"""Bytes for a copy of the reference: a page of the EEPROM, which a programmer writes as a whole."""
_REFERENCE_COPIES = (
    range(REFERENCE_PLACE, REFERENCE_PLACE + _REFERENCE_ROOM),
    range(184, 184 + _REFERENCE_ROOM),
)
LEAST_LEASE_MS = 1000
"""The longest lease of a board is at least this long, whatever its table has."""
_LIMITS = Struct("<BHI9s9s")
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


def with_limits(identity: bytes, limits: BoardLimits) -> bytes:
    """The bytes from `PLACE` on that give a board this identity (`image`) and these limits.

    The second copies, the reserved numbers of starts and the reference between them are erased.
    """
    flags, lease_ms, on_ms, guarded, unlimited = limits.message
    body = bytes([VERSION]) + _LIMITS.pack(flags, lease_ms, on_ms, guarded, unlimited)
    copy = body + crc_hqx(body, _CRC_SEED).to_bytes(2, "little")
    return identity.ljust(LIMITS_PLACE - PLACE, b"\xff") + copy


def reference_record(reference_mv: int) -> bytes:
    """The bytes from `REFERENCE_PLACE` on that calibrate a board: its reference in millivolts."""
    body = bytes([VERSION]) + reference_mv.to_bytes(2, "little")
    record = body + crc_hqx(body, _CRC_SEED).to_bytes(2, "little")
    return record.ljust(_REFERENCE_ROOM, b"\xff")


def without_reference(data: bytes) -> dict[int, bytes]:
    """The pieces of the bytes from `PLACE` on that leave the copies of a reference as they are.

    Returns each piece by its address. The reference is a property of the chip, so a board that is
    provisioned again keeps it.
    """
    pieces, begin = {}, PLACE
    for copy in _REFERENCE_COPIES:
        pieces[begin] = data[begin - PLACE : copy.start - PLACE]
        begin = copy.stop
    pieces[begin] = data[begin - PLACE :]
    return {at: piece for at, piece in pieces.items() if piece}


def eeprom(serial: str, key: bytes, address: int, limits: BoardLimits | None = None) -> bytes:
    """The beginning of the EEPROM of a provisioned board, up to the end of the first copies.

    Raises ValueError for a value that the firmware cannot use.
    """
    data = image(serial, key, address)
    return b"\xff" * PLACE + (data if limits is None else with_limits(data, limits))


def limits_of(table: Table, board: str) -> BoardLimits:
    """The limits that a table's board needs, and no more. Raises KeyError for another board."""
    config = table.boards[board]
    all_records = records(config, flags_of(table))
    driven = [record for record in all_records if record.kind in DRIVEN]
    free = [record for record in driven if _needs_no_limit(record)]
    limited = [record.max_on_ms for record in driven if record not in free]
    guarded = frozenset(
        pin for record in driven if record.flags & Flag.GUARDED for pin in driven_pins(record)
    )
    return BoardLimits(
        lease_ms=max(milliseconds(config.lease), LEAST_LEASE_MS),
        on_ms=max(limited, default=0),
        of_pins=True,
        guarded=guarded,
        unlimited=frozenset(pin for record in free for pin in driven_pins(record)),
        curtain=_curtain(config, all_records) if guarded else None,
    )


def _curtain(config: BoardConfig, table: Iterable[Configure]) -> bool | None:
    pin = profile_of(config).reserved("curtain")
    for record in table:
        if record.flags & Flag.CURTAIN and record.pin == pin and record.kind == Kind.SENSOR:
            return bool(record.active_high)
    return None


def _needs_no_limit(record: Configure) -> bool:
    if record.kind in (Kind.STRIP, Kind.AXIS):
        return True
    return record.kind != Kind.DICE and (record.max_on_ms == 0 or record.safe != 0)


def require_real(serial: str, key: bytes) -> None:
    """Raise ValueError for a serial number or a key that is not valid for a real board."""
    if serial in NO_IDENTITY or serial.startswith(SIMULATED):
        raise ValueError(
            f"'{serial}' is reserved for simulated boards and boards without provisioning; give a"
            f" serial number other than {UNSET} and {DAMAGED} that does not begin with {SIMULATED}."
        )
    if len(key) not in KEY_SIZES:
        raise ValueError(f"The key of a real board must have 16 or 32 bytes; got {len(key)}.")


def intel_hex(pieces: Mapping[int, bytes]) -> str:
    """Bytes by their addresses as an Intel HEX file, for a programmer."""
    lines = [line for at, piece in pieces.items() for line in _records(piece, at)]
    return "\n".join([*lines, ":00000001FF", ""])


def _records(data: bytes, start: int) -> Iterator[str]:
    for at in range(0, len(data), _RECORD):
        piece = data[at : at + _RECORD]
        record = bytes([len(piece)]) + (start + at).to_bytes(2, "big") + b"\0" + piece
        yield f":{(record + bytes([-sum(record) & 0xFF])).hex().upper()}"
