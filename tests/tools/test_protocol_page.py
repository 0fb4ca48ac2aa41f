"""Tests that docs/reference/PROTOCOL.md lists every message with its number."""

from __future__ import annotations

from firmware_bridge.wire.messages import TABLE
from tools.protocol_page import page


def test_the_page_has_every_message_with_its_number() -> None:
    text = page()
    for row in TABLE:
        assert f"| 0x{row.number:02X} | **{row.message.__name__}** |" in text
