"""Frame codec: encodes messages as bytes and decodes bytes to frames. It does no I/O.

On the wire a frame is COBS of (address, sequence, type, payload, tag), then its check, then a zero.
The frames that begin a session have no tag (`session_security`). The check is the CRC-16 *of the
COBS bytes*, spread over three bytes of 7, 7 and 2 bits whose top bit is set, so that none of them
is zero. A CRC inside COBS would be one byte shorter, and weaker: one flipped bit in a COBS code
byte moves a zero and so changes several of the decoded bytes that the CRC covers (one in three
million double flips was not detected). Computed over the bytes on the wire, the CRC detects every
error of up to three bits that leaves the zeros where they were.

Received bytes never raise an exception. The decoder counts and drops every frame that is
incomplete, damaged or of an unknown type, and resumes at the next zero.
"""

from __future__ import annotations

from binascii import crc_hqx
from collections.abc import Callable, Iterable
from struct import Struct, error
from typing import Any, NamedTuple

from cobs import cobs

from firmware_bridge.wire.messages import MAX_FRAME, TABLE, Configure, Message, MessageRow, Sender
from firmware_bridge.wire.session_security import TAG_SIZE, tag

_SEED = 0xFFFF
_CHECK = 3
_HEADER = 3
_SHORTEST = 1 + _HEADER + _CHECK

_new: Callable[..., Any] = tuple.__new__
_compress: Callable[[bytes], bytes] = cobs.encode
_expand: Callable[[bytes], bytes] = cobs.decode


class Frame(NamedTuple):
    """One valid frame: the board's address, the sequence number, the message, and the tag.

    The tag is not verified yet; it is empty for a frame without one.
    """

    address: int
    sequence: int
    message: Message
    tag: bytes = b""
    plain: bytes = b""
    """The bytes that the tag covers (`plain`); empty for a frame without a tag."""


def plain(address: int, sequence: int, message: Message) -> bytes:
    """The bytes of a frame before COBS, without tag; ValueError if a field does not fit."""
    number, pack = _PACK[type(message)]
    try:
        return pack(address, sequence, number, *message)
    except error:
        raise ValueError(_complaint(address, sequence, message)) from None


def encode(
    address: int, sequence: int, message: Message, key: bytes = b"", counter: int = 0
) -> bytes:
    """The bytes of one frame, closing zero included; ValueError if a field does not fit.

    With the `key` of a session, the frame gets the tag for this counter.
    """
    raw = plain(address, sequence, message)
    return framed(raw + tag(key, counter, raw) if key else raw)


def framed(raw: bytes) -> bytes:
    """The bytes on the wire of a frame with these bytes before COBS."""
    body = _compress(raw)
    crc = crc_hqx(body, _SEED)
    return body + (_CHECK_LOW[crc & 0xFF] | _CHECK_HIGH[crc >> 8]).to_bytes(_CHECK + 1, "little")


class Decoder:
    """Decodes bytes, in pieces of any size, to frames; counts the frames that it drops."""

    def __init__(self) -> None:
        self.damaged = 0
        """Frames whose check or COBS was wrong."""
        self.truncated = 0
        """Frames shorter than a header, or of another length than their type's."""
        self.oversized = 0
        """Runs longer than any frame."""
        self.unknown = 0
        """Valid frames of a type that this version does not define."""
        self._rest = b""

    @property
    def is_between_frames(self) -> bool:
        """Whether all bytes so far belong to complete frames, kept or dropped."""
        return not self._rest

    @property
    def dropped(self) -> int:
        """The number of dropped frames, of all causes."""
        return self.damaged + self.truncated + self.oversized + self.unknown

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that these bytes complete."""
        parts = (self._rest + data).split(b"\0")
        rest = parts.pop()
        # Bytes without a zero are kept up to the size of the longest frame only, so that noise on
        # the line cannot fill the memory.
        self._rest = rest[:MAX_FRAME]
        frames: list[Frame] = []
        for part in parts:
            if len(part) < _SHORTEST:
                # Two zeros in a row are neither frame nor error: a sender may begin with a zero.
                self.truncated += part != b""
                continue
            if len(part) >= MAX_FRAME:
                self.oversized += 1
                continue
            body = part[:-_CHECK]
            crc = crc_hqx(body, _SEED)
            check = _CHECK_LOW[crc & 0xFF] | _CHECK_HIGH[crc >> 8]
            if int.from_bytes(part[-_CHECK:], "little") != check:
                self.damaged += 1
                continue
            try:
                raw = _expand(body)
            except cobs.DecodeError:
                self.damaged += 1
                continue
            known = _UNPACK[raw[2]]
            if known is None:
                self.unknown += 1
                continue
            message, size, unpack = known
            # NamedTuple's constructor calls tuple.__new__; a direct call takes a third of the time.
            if len(raw) == size + TAG_SIZE:
                covered = raw[:size]
                fields = _new(message, unpack(covered))
                frames.append(_new(Frame, (raw[0], raw[1], fields, raw[size:], covered)))
            elif len(raw) == size:
                frames.append(_new(Frame, (raw[0], raw[1], _new(message, unpack(raw)), b"", b"")))
            else:
                self.truncated += 1
        return frames


def whole_frames(data: bytes) -> list[Frame] | None:
    """The frames of bytes that are complete, valid frames only; None for any other bytes.

    For such bytes a decoder that `is_between_frames` returns the same frames and counts nothing.
    """
    decoder = Decoder()
    frames = decoder.feed(data)
    return frames if decoder.is_between_frames and not decoder.dropped else None


def configuration_crc(records: Iterable[Configure]) -> int:
    """The CRC over the payloads of a channel table's records, in order."""
    crc = _SEED
    for record in records:
        crc = crc_hqx(_LAYOUT[Configure].pack(*record), crc)
    return crc


def _check(crc: int) -> int:
    return 0x808080 | crc & 0x7F | (crc & 0x3F80) << 1 | (crc & 0xC000) << 2


_CHECK_LOW = [_check(byte) for byte in range(256)]
_CHECK_HIGH = [_check(byte << 8) for byte in range(256)]
"""The checks of the low and the high byte of a CRC; the check of the CRC is one OR the other."""


def _pack(row: MessageRow) -> tuple[int, Callable[..., bytes]]:
    return row.number, Struct("<BBB" + row.layout.format.lstrip("<")).pack


def _unpack(row: MessageRow) -> tuple[type[Message], int, Callable[[bytes], tuple[Any, ...]]]:
    layout = Struct("<3x" + row.layout.format.lstrip("<"))
    return row.message, layout.size, layout.unpack


def _complaint(address: int, sequence: int, message: Message) -> str:
    """The error sentence for the field that does not fit; called after packing has failed."""
    if not (0 <= address <= 255 and 0 <= sequence <= 255):
        return f"address {address} and sequence number {sequence} must be 0-255."
    for field, value, code in zip(message._fields, message, codes(type(message)), strict=True):
        try:
            Struct("<" + code).pack(value)
        except error as reason:
            name = type(message).__name__
            return (
                f"{field} of {name} cannot be {value!r}: {reason}. See docs/reference/PROTOCOL.md."
            )
    return f"{message!r} does not fit its layout {_LAYOUT[type(message)].format!r}."


def codes(message: type[Message]) -> list[str]:
    """A message's layout, field by field, as `struct` writes them."""
    codes, count = [], ""
    for letter in _LAYOUT[message].format.lstrip("<"):
        if letter.isdigit():
            count += letter
        else:
            codes.append(count + letter)
            count = ""
    return codes


_LAYOUT: dict[type[Message], Struct] = {row.message: row.layout for row in TABLE}
_PACK = {row.message: _pack(row) for row in TABLE}
_UNPACK = [{row.number: _unpack(row) for row in TABLE}.get(number) for number in range(256)]

COMMANDS: frozenset[type[Message]]
COMMANDS, REPLIES, EVENTS = (
    frozenset(row.message for row in TABLE if row.sender is sender)
    for sender in (Sender.COMMAND, Sender.REPLY, Sender.EVENT)
)
