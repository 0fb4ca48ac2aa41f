"""The contents of GAT frames, without their commands and checksums. Numbers are big-endian."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum, IntFlag

from controller.casino.gat.frames import MOST_DATA, GatError

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
    """Marks of a frame of the result."""

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
