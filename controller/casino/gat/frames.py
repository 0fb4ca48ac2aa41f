"""Frames of the serial GAT protocol: a command, the frame's length, data, and a checksum.

The length counts the whole frame: 4 bytes more than its data. The checksum is a CRC-16 with the
reflected polynomial 0xA001 and the initial value 0xFFFF, its high byte first.

A frame that cannot be read, and a serial line that fails, raise the errors of this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum

from rules.errors import WallwrightError


class GatError(WallwrightError):
    """A frame or a reply that the protocol does not allow, or a line that does not work."""


class GatPortError(GatError):
    """A serial port that cannot be opened."""


BAUD = 9600
"""Baud rate of the line; one byte takes 1.04 ms."""
OVERHEAD = 4
"""Bytes of a frame besides its data."""
LONGEST_FRAME = 255
"""Largest length of a frame, bytes."""
MOST_DATA = LONGEST_FRAME - OVERHEAD
"""Largest number of data bytes in a frame."""
GAP = 0.1
"""Seconds without a byte after which the rest of a frame is not expected any more.

Terminals repeat a request after 0.2 s.
"""


class GatCommand(IntEnum):
    """The first byte of a frame: a query of the terminal, or the response to it."""

    STATUS = 0x01
    LAST_STATUS = 0x02
    LAST_RESULTS = 0x03
    START = 0x04
    STATUS_REPLY = 0x81
    LAST_STATUS_REPLY = 0x82
    LAST_RESULTS_REPLY = 0x83
    START_REPLY = 0x84


QUERIES: Mapping[int, range] = {
    GatCommand.STATUS: range(4, 5),
    GatCommand.LAST_STATUS: range(4, 5),
    GatCommand.LAST_RESULTS: range(7, 8),
    GatCommand.START: range(5, LONGEST_FRAME + 1),
}
"""Allowed lengths of each query's frame, bytes."""
REPLIES: Mapping[int, range] = {
    GatCommand.STATUS_REPLY: range(8, 9),
    GatCommand.LAST_STATUS_REPLY: range(9, 10),
    GatCommand.LAST_RESULTS_REPLY: range(7, LONGEST_FRAME + 1),
    GatCommand.START_REPLY: range(5, 6),
}
"""Allowed lengths of each response's frame, bytes."""


@dataclass(frozen=True)
class GatFrame:
    """A frame with a correct checksum."""

    command: GatCommand
    data: bytes = b""

    def to_bytes(self) -> bytes:
        """The bytes on the line. Raises GatError for too much data."""
        if len(self.data) > MOST_DATA:
            raise GatError(f"A frame has at most {MOST_DATA} bytes of data; got {len(self.data)}.")
        head = bytes((self.command, len(self.data) + OVERHEAD)) + self.data
        return head + crc16(head).to_bytes(2, "big")


def crc16(data: bytes) -> int:
    """The checksum of a frame without its last two bytes."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0xA001 if crc & 1 else 0)
    return crc


class GatFrameReader:
    """Finds frames in the bytes of a line. It keeps at most one frame of bytes.

    `lengths` has the allowed lengths of each command. Bytes that cannot begin a frame, and frames
    with a wrong checksum, are skipped byte by byte until a frame fits.
    """

    def __init__(self, lengths: Mapping[int, range]) -> None:
        self._lengths = lengths
        self._kept = bytearray()
        self._last = 0.0

    def feed(self, data: bytes, now: float) -> Iterator[GatFrame]:
        """Take bytes that were received at `now`, in seconds of any clock; yield frames."""
        if now - self._last > GAP:
            self._kept.clear()
        self._last = now
        for byte in data:
            self._kept.append(byte)
            while (frame := self._next()) is not None:
                yield frame

    def _next(self) -> GatFrame | None:
        """Remove and return the next whole frame. Bytes that cannot begin a frame are removed."""
        kept = self._kept
        while kept:
            lengths = self._lengths.get(kept[0])
            if lengths is not None and (len(kept) < 2 or kept[1] in lengths):
                if len(kept) < 2 or len(kept) < kept[1]:
                    return None
                whole = bytes(kept[: kept[1]])
                if crc16(whole[:-2]) == int.from_bytes(whole[-2:], "big"):
                    del kept[: len(whole)]
                    return GatFrame(GatCommand(whole[0]), whole[2:-2])
            del kept[0]
        return None
