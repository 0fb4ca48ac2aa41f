"""Event log: one stream of events for files, screens and tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TextIO

EVENTS_VERSION = 2
"""Version of the event stream: raised when an event or a key is renamed, removed or changes its
meaning. New events and new keys do not raise it. The first event, `run_started`, contains it."""

Event = dict[str, object]
Listener = Callable[[Event], None]


class EventLog:
    """Stamps events with the table's time and passes them to every listener, in order."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> None:
        """Hand every later event to this listener."""
        self._listeners.append(listener)

    def emit(self, event: str, **facts: object) -> None:
        """Emit an event: its name, and its facts as JSON values."""
        emitted: Event = {"t": round(self._clock(), 6), "event": event, **facts}
        for listener in self._listeners:
            listener(emitted)


def json_lines(stream: TextIO) -> Listener:
    """A listener that writes each event as one JSON line and flushes it at once."""

    def write(event: Event) -> None:
        stream.write(json.dumps(event, separators=(", ", ": ")) + "\n")
        stream.flush()

    return write
