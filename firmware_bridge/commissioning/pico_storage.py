"""The Pico's storage in its flash, as rp2040/storage.c writes it: banks of an image and a log."""

from __future__ import annotations

from binascii import crc_hqx
from struct import Struct

SIZE = 4096
"""Bytes of the content."""
STORAGE = 0x100000
"""The position of the storage in the flash."""
SECTOR = 0x1000
"""Bytes that are erased together."""
BANKS = 8
BANK = 0x10000
_IMAGE_AT = 256
_LOG_AT = _IMAGE_AT + SIZE
_ENTRY = Struct("<HBB")
_HEADER = Struct("<HI")
_MAGIC = 0x5757


def storage_image(content: bytes) -> bytes:
    """Return the first bank of a storage with this content."""
    header = _HEADER.pack(_MAGIC, 1)
    whole = header + crc_hqx(header, 0xFFFF).to_bytes(2, "little")
    return whole.ljust(_IMAGE_AT, b"\xff") + content


def changes_in(flash: bytes) -> int:
    """Return the number of changes that the newest bank of a storage contains; 0 without a bank."""
    at = _newest(flash)
    if at < 0:
        return 0
    log = flash[at + _LOG_AT : at + BANK]
    written = (entry != (0xFFFF, 0xFF, 0xFF) for entry in _ENTRY.iter_unpack(log))
    return sum(written)


def storage_from(flash: bytes) -> bytes:
    """Return the content of a storage; an erased content if no bank counts."""
    at = _newest(flash)
    if at < 0:
        return b"\xff" * SIZE
    content = bytearray(flash[at + _IMAGE_AT : at + _LOG_AT])
    for address, byte, check in _ENTRY.iter_unpack(flash[at + _LOG_AT : at + BANK]):
        if (address, byte, check) == (0xFFFF, 0xFF, 0xFF):
            break
        if check == crc_hqx(_ENTRY.pack(address, byte, 0)[:3], 0xFFFF) & 0x7F:
            content[address] = byte
    return bytes(content)


def _newest(flash: bytes) -> int:
    """The position of the bank that counts; -1 if none does."""
    newest, at = 0, -1
    for bank in range(0, BANKS * BANK, BANK):
        header = flash[bank : bank + _HEADER.size]
        magic, sequence = _HEADER.unpack(header)
        check = int.from_bytes(flash[bank + 6 : bank + 8], "little")
        if magic == _MAGIC and check == crc_hqx(header, 0xFFFF) and sequence > newest:
            newest, at = sequence, bank
    return at
