"""UF2, the file format in which the RP2040's bootloader takes a program (specified by Microsoft).

A file is a sequence of blocks of 512 bytes, each with 256 bytes of the program and their address.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from struct import Struct

RP2040 = 0xE48BFF56
"""The family: the bootloader of another chip refuses the file."""
FLASH = 0x10000000
"""The address of the first byte of the RP2040's flash."""
PAYLOAD = 256
BLOCK = 512
_HEAD = Struct("<8I")
_BEGIN, _SECOND, _END = 0x0A324655, 0x9E5D5157, 0x0AB16F30
_HAS_FAMILY = 0x2000


def uf2(program: bytes, at: int = FLASH, family: int = RP2040) -> bytes:
    """Return the UF2 file of a program; its last block is filled with zeros."""
    return uf2_of([(at, program)], family)


def uf2_of(pieces: Iterable[tuple[int, bytes]], family: int = RP2040) -> bytes:
    """Return the UF2 file of several pieces, each with its address.

    The last block of each piece is filled with zeros.
    """
    payloads = [
        (at + begin, data[begin : begin + PAYLOAD])
        for at, data in pieces
        for begin in range(0, len(data), PAYLOAD)
    ]
    blocks = []
    for number, (at, part) in enumerate(payloads):
        head = _HEAD.pack(_BEGIN, _SECOND, _HAS_FAMILY, at, PAYLOAD, number, len(payloads), family)
        blocks.append((head + part).ljust(BLOCK - 4, b"\0") + _END.to_bytes(4, "little"))
    return b"".join(blocks)


def parts(file: bytes, family: int = RP2040) -> Iterator[tuple[int, bytes]]:
    """Yield the address and the bytes of each block. Raises ValueError for any other file."""
    if not file or len(file) % BLOCK:
        raise ValueError(f"A UF2 file consists of blocks of {BLOCK} bytes; got {len(file)} bytes.")
    for begin in range(0, len(file), BLOCK):
        block = file[begin : begin + BLOCK]
        first, second, flags, at, size, number, count, found = _HEAD.unpack_from(block)
        end = int.from_bytes(block[-4:], "little")
        if (first, second, end) != (_BEGIN, _SECOND, _END) or size > BLOCK - _HEAD.size - 4:
            raise ValueError(f"Block {begin // BLOCK} is not a UF2 block; make the file again.")
        if not flags & _HAS_FAMILY or found != family:
            raise ValueError(f"Block {number} is for family {found:08X}, not {family:08X}.")
        if (number, count) != (begin // BLOCK, len(file) // BLOCK):
            raise ValueError(
                f"Block {number} of {count} is not at its position in the file; make "
                "the file again."
            )
        yield at, block[_HEAD.size : _HEAD.size + size]
