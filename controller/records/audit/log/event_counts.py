"""Counts of a table's life that its audit log proves: starts, openings of the lid, service."""

from __future__ import annotations

from pathlib import Path

from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log

_COUNTED = {
    "power_ups": b'"what":"power_up"',
    "lid_openings": b'"what":"lid_opened"',
    "service_entries": b'"what":"service_mode_entered"',
}
"""The text that each counted event has; in a text of a person the quotes would be escaped."""
_BEFORE_WHO = b'"who":'


def event_counts(folder: Path) -> dict[str, int] | None:
    """The counts, after checking the whole log; None if the folder has no log.

    Raises AuditError, and AuditLockedError if the log contradicts itself.
    """
    log_folder = LogFolder(folder)
    if not log_folder.exists:
        return None
    log = checked_log(log_folder)
    counts = {"events": log.size, **dict.fromkeys(_COUNTED, 0)}
    for line in log.lines():
        for name, text in _COUNTED.items():
            # The keys are in order, so the kind of an event is between its time and its person.
            counts[name] += line.rpartition(_BEFORE_WHO)[0].endswith(text + b",")
    return counts
