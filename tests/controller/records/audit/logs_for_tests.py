"""Makes audit logs with known events."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

from controller.records.audit.log.audit_log import AuditLog, begun_log
from controller.records.audit.log.event_line import AuditEntry
from controller.records.audit.log.log_folder import LogFolder

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def entry(number: int, *, wall_s: float | None = None, what: str = "command") -> AuditEntry:
    """Return an entry at a number of seconds after noon; `wall_s` is what the clock shows."""
    wall = NOON + timedelta(seconds=number if wall_s is None else wall_s)
    details = {"command": "answer", "value": f"{number},1", "names": ["東", "Mei"]}
    return AuditEntry(
        what, wall, float(number), float(number), "Mei", "player", "192.168.1.20", details
    )


def log_of(folder: Path, events: int, *, batch: int = 3) -> AuditLog:
    """Return a new log with its first event and as many more, open for writing."""
    log = begun_log(LogFolder(folder), "pai_gow", entry(0))
    for begin in range(1, events + 1, batch):
        numbers = range(begin, min(begin + batch, events + 1))
        log.append([entry(number) for number in numbers])
    return log


def copied(folder: Path, to: Path) -> LogFolder:
    """Return a copy of a closed log."""
    shutil.copytree(folder, to)
    return LogFolder(to)
