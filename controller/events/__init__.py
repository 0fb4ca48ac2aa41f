"""The stream of events: the log that emits them, and the table that says what each one means."""

from __future__ import annotations

from controller.events.log import (
    EVENTS_VERSION,
    Event,
    EventLog,
    Listener,
    Listeners,
    json_lines,
)
from controller.events.table import EventName

__all__ = [
    "EVENTS_VERSION",
    "Event",
    "EventLog",
    "EventName",
    "Listener",
    "Listeners",
    "json_lines",
]
