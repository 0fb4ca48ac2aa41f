"""Tests that the firmware's wire.h defines every message with its number and its size."""

from __future__ import annotations

from firmware_bridge.wire.messages import TABLE
from tools.wire_header import header


def test_the_header_has_every_message_with_its_number_and_size() -> None:
    words = " ".join(header().split())
    for row in TABLE:
        name = "".join(f"_{c}" if c.isupper() else c.upper() for c in row.message.__name__)
        assert f"WIRE{name} = 0x{row.number:02X}," in words
        assert f"#define WIRE{name}_SIZE {row.layout.size}u" in words
