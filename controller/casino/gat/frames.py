"""Frames of the serial GAT protocol and their contents. Numbers in the contents are big-endian.

A frame has a command, the frame's length, data, and a checksum. The length counts the whole frame:
4 bytes more than its data. The checksum is a CRC-16 with the reflected polynomial 0xA001 and the
initial value 0xFFFF, its high byte first.

A frame that cannot be read, and a serial line that fails, raise the errors of this module.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum, IntFlag

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


VERSION = 0x0350
"""Version 3.50 of the protocol, as binary-coded decimals."""
SPECIAL_FUNCTIONS = 0xBA
"""Level of a calculation that is a special function, named in the parameter."""
NO_LEVEL = 0
"""Level of the last calculation if there is no result."""
_RESULTS_HEAD = struct.Struct(">BH")
FRAME_OF_RESULTS = MOST_DATA - _RESULTS_HEAD.size
"""Bytes of the result in one frame: 248."""


class GatState(IntEnum):
    """State of the calculation, as the byte of the status response.

    Bit 0: a calculation runs. Bit 1: a result can be read. Bits 2 and 3: requested, finished,
    calculating or failed.
    """

    IDLE = 0b0100
    REQUESTED = 0b0001
    CALCULATING = 0b1001
    DONE = 0b0110
    FAILED = 0b1100


class GatFormat(IntFlag):
    """Formats of a result."""

    TEXT = 1
    XML = 2


_FORMATS = GatFormat.TEXT | GatFormat.XML


class GatStart(IntFlag):
    """Answer to the request of a calculation; 0 is a refusal."""

    ACKNOWLEDGED = 1
    STARTED = 2
    WRONG_LEVEL = 4


class GatPart(IntFlag):
    """Flags of a frame of the result: an error, or the last frame."""

    ERROR = 1
    LAST = 2


@dataclass(frozen=True)
class StatusReply:
    """Version of the protocol, state of the calculation, and the formats of results."""

    state: GatState
    version: int = VERSION
    formats: GatFormat = GatFormat.XML

    def to_bytes(self) -> bytes:
        """The contents of the frame."""
        return struct.pack(">HBB", self.version, self.state, self.formats)

    @classmethod
    def of(cls, data: bytes) -> StatusReply:
        """Read the contents of a frame. Raises GatError."""
        version, state, formats = _unpacked(">HBB", data)
        try:
            return cls(GatState(state), version, GatFormat(formats & _FORMATS))
        except ValueError:
            raise GatError(f"The status 0x{state:02x} is not defined by the protocol.") from None


@dataclass(frozen=True)
class LastStatusReply:
    """Level of the last calculation, and seconds since it ended; both 0 without a result."""

    level: int
    seconds: int

    def to_bytes(self) -> bytes:
        """The contents of the frame."""
        return struct.pack(">BI", self.level, min(self.seconds, 0xFFFFFFFF))

    @classmethod
    def of(cls, data: bytes) -> LastStatusReply:
        """Read the contents of a frame. Raises GatError."""
        level, seconds = _unpacked(">BI", data)
        return cls(level, seconds)


@dataclass(frozen=True)
class ResultsQuery:
    """Asks for one frame of the result; frames are numbered from 1."""

    format: GatFormat
    frame: int

    def to_bytes(self) -> bytes:
        """The contents of the frame."""
        return _RESULTS_HEAD.pack(self.format, self.frame)

    @classmethod
    def of(cls, data: bytes) -> ResultsQuery:
        """Read the contents of a frame. Raises GatError."""
        form, frame = _unpacked(_RESULTS_HEAD.format, data)
        return cls(GatFormat(form & _FORMATS), frame)


@dataclass(frozen=True)
class ResultsReply:
    """One frame of the result."""

    marks: GatPart
    frame: int
    data: bytes = b""

    def to_bytes(self) -> bytes:
        """The contents of the frame."""
        return _RESULTS_HEAD.pack(self.marks, self.frame) + self.data

    @classmethod
    def of(cls, data: bytes) -> ResultsReply:
        """Read the contents of a frame. Raises GatError."""
        marks, frame = _unpacked(_RESULTS_HEAD.format, data[: _RESULTS_HEAD.size])
        return cls(GatPart(marks & 3), frame, data[_RESULTS_HEAD.size :])


def _unpacked(form: str, data: bytes) -> tuple[int, ...]:
    try:
        return struct.unpack(form, data)
    except struct.error as error:
        raise GatError(
            f"A frame has {len(data)} bytes of data; {struct.calcsize(form)} are expected."
        ) from error
