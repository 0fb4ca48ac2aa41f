"""Tests the event log: time stamps, order of listeners, and lines of JSON."""

from __future__ import annotations

import io
import json

import pytest

from controller.events import Event, EventLog, json_lines


def test_an_event_has_its_time_its_name_and_its_facts() -> None:
    now, emitted = [0.0], list[Event]()
    events = EventLog(lambda: now[0])
    events.listen(emitted.append)
    events.emit("state", under="idle", top="clear")
    now[0] = 12.3456789
    events.emit("delivered", seat=2, **{"from": ["w3.15u"]})
    assert emitted == [
        {"t": 0.0, "event": "state", "under": "idle", "top": "clear"},
        {"t": 12.345679, "event": "delivered", "seat": 2, "from": ["w3.15u"]},
    ]


def test_every_listener_receives_every_later_event_in_order() -> None:
    received: list[tuple[str, object]] = []
    events = EventLog(lambda: 0.0)
    events.listen(lambda event: received.append(("file", event["event"])))
    events.emit("first")
    events.listen(lambda event: received.append(("screen", event["event"])))
    events.emit("second")
    assert received == [("file", "first"), ("file", "second"), ("screen", "second")]


def test_a_listener_can_emit_an_event() -> None:
    emitted = list[object]()
    events = EventLog(lambda: 0.0)

    def reveal(event: Event) -> None:
        emitted.append(event["event"])
        if event["event"] == "walls_raised":
            events.emit("tiles_revealed", when="walls_raised")

    events.listen(reveal)
    events.emit("walls_raised", set=0)
    assert emitted == ["walls_raised", "tiles_revealed"]


def test_a_file_of_events_has_one_line_of_json_for_each_event() -> None:
    stream = io.StringIO()
    events = EventLog(lambda: 1.5)
    events.listen(json_lines(stream))
    events.emit("tile_turned_up", at="w3.8u", tile="7m", by=1)
    events.emit("tile_turned_up", at="w3.8u", tile=None, by=1)
    first, second = stream.getvalue().splitlines()
    assert first == ('{"t": 1.5, "event": "tile_turned_up", "at": "w3.8u", "tile": "7m", "by": 1}')
    assert json.loads(second)["tile"] is None


def test_a_value_that_json_cannot_represent_is_an_error_when_it_is_emitted() -> None:
    events = EventLog(lambda: 0.0)
    events.listen(json_lines(io.StringIO()))
    with pytest.raises(TypeError):
        events.emit("fault_of_a_test", at=object())
