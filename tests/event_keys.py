"""Compares the keys of every event that a test emits with the event's row in the table."""

from __future__ import annotations

import functools

from controller.events import EventLog
from controller.events.lookups import ROWS


def wrong_keys(name: str, facts: dict[str, object]) -> str:
    """Return what is wrong with the keys of an event; empty for none, and for an unknown event."""
    row = ROWS.get(name)
    if row is None:
        return ""
    known = {key.name: key for key in row.keys}
    needed = {key.name for key in row.keys if not key.is_optional}
    if missing := needed - facts.keys():
        return f"The event {name} has no {sorted(missing)}: {facts}."
    if not row.more_keys and (more := facts.keys() - known.keys()):
        return f"The row of the event {name} has no key {sorted(more)}: {facts}."
    wrong = [
        f"{key} is {value!r}"
        for key, value in facts.items()
        if key in known and not isinstance(value, known[key].type)
    ]
    return f"The event {name} has a value of another type: {wrong}." if wrong else ""


def check_emitted_keys() -> None:
    """Make `EventLog.emit` fail for an event whose keys differ from its row."""
    plain = EventLog.emit

    @functools.wraps(plain)
    def emit(self: EventLog, event: str, **facts: object) -> None:
        wrong = wrong_keys(event, facts)
        assert not wrong, wrong
        plain(self, event, **facts)  # type: ignore[arg-type]

    EventLog.emit = emit  # type: ignore[method-assign]
