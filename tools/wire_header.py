"""Writes the firmware's wire.h from the table of messages.

The header has, for each field of a command, a function that reads it, and for each reply and event
a function that writes its payload. Both copy bytes, so that no processor's alignment matters.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator
from struct import calcsize

from firmware_bridge import board
from firmware_bridge.sim import session
from firmware_bridge.wire import codes as wire_codes
from firmware_bridge.wire import messages
from firmware_bridge.wire.codec import codes
from firmware_bridge.wire.messages import TABLE, Message, MessageRow, Sender

_TYPES = {
    "B": "uint8_t",
    "H": "uint16_t",
    "I": "uint32_t",
    "h": "int16_t",
    "i": "int32_t",
}
_ENUMS: tuple[tuple[str, type[enum.IntEnum | enum.IntFlag]], ...] = (
    ("KIND", wire_codes.Kind),
    ("FLAG", wire_codes.Flag),
    ("DEFECT", wire_codes.Defect),
    ("UNTIL", wire_codes.UntilKind),
    ("REFUSAL", wire_codes.Refusal),
    ("RESET_CAUSE", wire_codes.ResetCause),
    ("CHIP", wire_codes.Chip),
    ("REASON", board.Reason),
    ("FAULT", board.FaultCode),
)
_TO_BOARD = (Sender.COMMAND, Sender.NOTE)


def header() -> str:
    """Return the text of the firmware's wire.h."""
    parts = [
        _HEAD,
        *_numbers(),
        *(_enum(prefix, kinds) for prefix, kinds in _ENUMS),
        _message_numbers(),
        _sizes(),
        _BYTES,
        *(_readers(row) for row in TABLE if row.sender in _TO_BOARD and row.layout.size),
        *(_writer(row) for row in TABLE if row.sender not in _TO_BOARD and row.layout.size),
        "#endif\n",
    ]
    return "\n".join(parts)


def _numbers() -> Iterator[str]:
    for name, value in (
        ("PROTOCOL", messages.PROTOCOL),
        ("MAX_PAYLOAD", messages.MAX_PAYLOAD),
        ("MAX_FRAME", messages.MAX_FRAME),
        ("WINDOW", messages.WINDOW),
        ("REMEMBERED", messages.REMEMBERED),
        ("EVENT_WINDOW", messages.EVENT_WINDOW),
        ("NONE", messages.NONE),
        ("REPEAT_AFTER_MS", round(session.REPEAT_AFTER * 1000)),
        ("REPEAT_AT_LEAST_EVERY_MS", round(session.REPEAT_AT_LEAST_EVERY * 1000)),
    ):
        yield f"#define WIRE_{name} {value}u"
    yield ""


def _enum(prefix: str, kinds: type[enum.IntEnum | enum.IntFlag]) -> str:
    return _listed((f"{prefix}_{kind.name}", str(kind.value)) for kind in kinds)


def _message_numbers() -> str:
    return _listed((f"WIRE_{_upper(row.message)}", f"0x{row.number:02X}") for row in TABLE)


def _listed(names: Iterable[tuple[str, str]]) -> str:
    lines = "".join(f"    {name} = {value},\n" for name, value in names)
    return f"enum {{\n{lines}}};\n"


def _sizes() -> str:
    """Return the C macros for the payload sizes: one for each message, and a list of all."""
    defines = "".join(
        f"#define WIRE_{_upper(row.message)}_SIZE {row.layout.size}u\n" for row in TABLE
    )
    pairs = " \\\n".join(
        f"    {{WIRE_{_upper(row.message)}, WIRE_{_upper(row.message)}_SIZE}}," for row in TABLE
    )
    return (
        f"{defines}\n/* Every message type and the size of its payload, as array elements. */\n"
        f"#define WIRE_TYPES_AND_SIZES \\\n{pairs}\n"
    )


def _readers(row: MessageRow) -> str:
    """Return the C functions that read a command, one for each field."""
    return "\n".join(
        f"static inline {_returns(code)}{_function(row.message)}_{name}"
        "(const uint8_t *payload) {\n"
        f"    return {_read(code, offset)};\n}}\n"
        for name, code, offset in _fields(row.message)
    )


def _returns(code: str) -> str:
    return "const uint8_t *" if code.endswith("s") else f"{_TYPES[code]} "


def _read(code: str, offset: int) -> str:
    if code == "B":
        return f"payload[{offset}]"
    at = f"payload + {offset}" if offset else "payload"
    if code.endswith("s"):
        return at
    unsigned = f"wire_get_u{8 * calcsize(code)}({at})"
    return f"({_TYPES[code]}){unsigned}" if code.islower() else unsigned


def _writer(row: MessageRow) -> str:
    """Return the C function that writes a message, with all of its fields in order."""
    fields = list(_fields(row.message))
    arguments = ", ".join(
        f"const uint8_t *{name}" if _is_bytes(code) else f"{_TYPES[code]} {name}"
        for name, code, _ in fields
    )
    signature = f"static inline void {_function(row.message)}(uint8_t *payload, {arguments}) {{"
    lines = "".join(f"    {_write(name, code, offset)}\n" for name, code, offset in fields)
    return f"{_wrapped(signature)}\n{lines}}}\n"


def _write(name: str, code: str, offset: int) -> str:
    if code == "B":
        return f"payload[{offset}] = {name};"
    at = f"payload + {offset}" if offset else "payload"
    if _is_bytes(code):
        return f"wire_put_bytes({at}, {name}, {calcsize('<' + code)});"
    bits = 8 * calcsize(code)
    value = f"(uint{bits}_t){name}" if code.islower() else name
    return f"wire_put_u{bits}({at}, {value});"


def _is_bytes(code: str) -> bool:
    """Whether C passes the field as bytes, lowest first: the firmware has no 64-bit numbers."""
    return code.endswith("s") or code == "Q"


def _wrapped(signature: str, width: int = 100) -> str:
    """Wrap a long signature; further lines begin under its first argument."""
    indent = " " * (signature.index("(") + 1)
    lines, line = [], ""
    for word in re.split(r"(?<=,) ", signature):
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = indent + word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])


def _fields(message: type[Message]) -> Iterator[tuple[str, str, int]]:
    """Yield the name, the format code and the offset in bytes of each field."""
    offset = 0
    for name, code in zip(message._fields, codes(message), strict=True):
        yield name, code, offset
        offset += calcsize("<" + code)


def _function(message: type[Message]) -> str:
    return f"wire_{_snake(message)}"


def _upper(message: type[Message]) -> str:
    return _snake(message).upper()


def _snake(message: type[Message]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", message.__name__).lower()


_HEAD = """\
/* Generated from firmware_bridge/wire/messages.py by `make docs`; a test checks that it is current.
 * docs/reference/PROTOCOL.md describes the messages. */
#ifndef WALLWRIGHT_WIRE_H
#define WALLWRIGHT_WIRE_H

#include <stdint.h>
#include <string.h>
"""

_BYTES = """\
/* The wire and all supported processors are little-endian, so numbers are copied as they are in
 * memory. To assemble them from bytes would take three times the code on the AVR. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers on the wire are little-endian");

static inline uint16_t wire_get_u16(const uint8_t *from) {
    uint16_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline uint32_t wire_get_u32(const uint8_t *from) {
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline void wire_put_u16(uint8_t *to, uint16_t value) {
    memcpy(to, &value, sizeof value);
}

static inline void wire_put_u32(uint8_t *to, uint32_t value) {
    memcpy(to, &value, sizeof value);
}

static inline void wire_put_bytes(uint8_t *to, const uint8_t *from, uint8_t size) {
    for (uint8_t at = 0; at < size; at++) {
        to[at] = from[at];
    }
}
"""
