"""Tests the exported page of a recorded hand: one file, no request, nothing hidden."""

from __future__ import annotations

import json
import re

from config.loader import load_game, load_table
from controller.service.port import HandRecord
from controller.web.panel.geometry import geometry
from controller.web.panel.replay_export import export_replay

NAMESPACE = "http://www.w3.org/2000/svg"


def exported(*events: dict[str, object]) -> str:
    """The page of a hand with these events."""
    shown = geometry(load_table("robotic"), load_game("wenzhou"))
    return export_replay(HandRecord("evening", 4, (), events), shown)


def record_in(page: str) -> dict[str, list[dict[str, object]]]:
    """The data of the page."""
    found = re.search(
        r'<script type="application/json" id="record">(.*?)</script>', page, re.DOTALL
    )
    assert found
    return dict(json.loads(found[1]))


def test_the_page_names_no_address_and_forbids_every_request() -> None:
    page = exported({"t": 0.0, "event": "walls_raised", "set": 0})
    assert set(re.findall(r"https?://[^\"' )]+", page)) == {NAMESPACE}
    assert "default-src 'none'" in page
    assert not re.search(r"<link[^>]+stylesheet|<script[^>]+src=|@import|url\(", page)


def test_the_page_contains_the_events_and_the_geometry() -> None:
    event: dict[str, object] = {"t": 1.5, "event": "dice_thrown", "by": 2, "dice": [3, 5]}
    record = record_in(exported(event))
    assert record["events"] == [event]
    assert len(record["geometry"]["slots"]) == 136  # type: ignore[call-overload]


def test_tiles_that_players_did_not_see_are_not_exported() -> None:
    hidden: dict[str, object] = {
        "t": 2.0,
        "event": "tiles_revealed",
        "when": "walls_raised",
        "places": {"w0.1u": "1s"},
    }
    page = exported(hidden, {"t": 3.0, "event": "walls_raised", "set": 0})
    assert [event["event"] for event in record_in(page)["events"]] == ["walls_raised"]


def test_a_name_in_an_event_cannot_end_the_data() -> None:
    event: dict[str, object] = {"t": 1.0, "event": "fault", "part": "</script><script>alert(1)"}
    page = exported(event)
    assert page.count("</script>") == 2
    assert record_in(page)["events"] == [event]
