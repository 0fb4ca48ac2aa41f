"""Event log: one stream of events for files, screens and tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TextIO

from controller.events.table import EventName

EVENTS_VERSION = 2
"""Version of the event stream: raised when an event or a key is renamed, removed or changes its
meaning. New events and new keys do not raise it. The first event, `run_started`, contains it."""

Event = dict[str, object]
Listener = Callable[[Event], None]


class Listeners:
    """Listeners that can end: each receives the events from when it is added until then."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def add(self, listener: Listener) -> Callable[[], None]:
        """Pass every later event to `listener`; returns the function that ends that."""
        self._listeners.append(listener)

        def end() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return end

    def __call__(self, event: Event) -> None:
        """Pass an event to all listeners; one that ends meanwhile may still receive it."""
        for listener in tuple(self._listeners):
            listener(event)


class EventLog:
    """Adds the time to each event and passes the event to every listener, in order.

    `clock` returns the seconds since the run began.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> None:
        """Add a listener; it receives every later event."""
        self._listeners.append(listener)

    def emit(self, event: EventName, **facts: object) -> None:
        """Emit an event with its name and its facts, which are JSON values.

        The facts are the keys of the event's row in the table. Tests check that for each event
        that they emit; a table does not, because a wrong key must not stop a round.
        """
        emitted: Event = {"t": round(self._clock(), 6), "event": str(event), **facts}
        for listener in self._listeners:
            listener(emitted)


def json_lines(stream: TextIO) -> Listener:
    """Create a listener that writes each event as one line of JSON and flushes the stream."""

    def write(event: Event) -> None:
        stream.write(json.dumps(event, separators=(", ", ": ")) + "\n")
        stream.flush()

    return write
