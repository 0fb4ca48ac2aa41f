"""What happened, as it happens: stamped with the table's time, in order, one line each."""

from __future__ import annotations

import io
import json

import pytest

from controller.events import Event, EventLog, json_lines


def test_an_event_bears_the_tables_time_its_name_and_its_facts() -> None:
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


def test_every_listener_hears_every_event_in_the_order_in_which_they_came() -> None:
    on_event: list[tuple[str, object]] = []
    events = EventLog(lambda: 0.0)
    events.listen(lambda event: on_event.append(("file", event["event"])))
    events.emit("first")
    events.listen(lambda event: on_event.append(("screen", event["event"])))
    events.emit("second")
    assert on_event == [("file", "first"), ("file", "second"), ("screen", "second")]


def test_a_listener_may_tell_an_event_of_its_own() -> None:
    emitted = list[object]()
    events = EventLog(lambda: 0.0)

    def reveal(event: Event) -> None:
        emitted.append(event["event"])
        if event["event"] == "walls_raised":
            events.emit("tiles_revealed")

    events.listen(reveal)
    events.emit("walls_raised")
    assert emitted == ["walls_raised", "tiles_revealed"]


def test_a_file_of_events_has_one_line_of_json_each() -> None:
    stream = io.StringIO()
    events = EventLog(lambda: 1.5)
    events.listen(json_lines(stream))
    events.emit("tile_turned_up", at="w3.8u", tile="7m")
    events.emit("tile_turned_up", at="w3.8u", tile=None)
    first, second = stream.getvalue().splitlines()
    assert first == '{"t": 1.5, "event": "tile_turned_up", "at": "w3.8u", "tile": "7m"}'
    assert json.loads(second)["tile"] is None


def test_what_is_no_json_is_an_error_where_it_is_told() -> None:
    events = EventLog(lambda: 0.0)
    events.listen(json_lines(io.StringIO()))
    with pytest.raises(TypeError):
        events.emit("tile_turned_up", at=object())
