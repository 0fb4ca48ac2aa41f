from __future__ import annotations

from firmware_bridge.messages import TABLE
from firmware_bridge.protocol_page import PAGE, page


def test_the_protocol_page_is_what_the_table_of_messages_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), (
        "run `python -m firmware_bridge.protocol_page`"
    )


def test_the_page_has_every_message_with_its_number() -> None:
    text = page()
    for row in TABLE:
        assert f"| 0x{row.number:02X} | **{row.message.__name__}** |" in text
