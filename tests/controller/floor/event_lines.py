"""Audit logs of tables as canonical lines, and batches of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from controller.floor.messages import Birth, Events, TableAddress
from controller.floor.store.ingestion import EventBatch
from controller.records.audit.log.event_line import AuditEntry
from controller.records.audit.tree import leaf_hash

BIRTH = "b" * 32
BEGUN = datetime(2026, 11, 24, 20, tzinfo=UTC)


def lines_of(count: int, name: str = "a1", what: str = "round_over") -> list[str]:
    """Return the lines of a log with `count` events, one a second."""
    return [
        AuditEntry(
            what,
            BEGUN + timedelta(seconds=index),
            float(index),
            float(index),
            details={"table": name, "place": index},
        )
        .line(index)
        .decode()
        for index in range(count)
    ]


def log_id(lines: list[str]) -> str:
    """Return the id of a log: the leaf hash of its first event."""
    return leaf_hash(lines[0].encode()).hex()


def batch_of(lines: list[str], first: int, end: int, table: str = "a1") -> EventBatch:
    """Return the batch with the events from `first` to before `end`."""
    before = leaf_hash(lines[first - 1].encode()).hex() if first else ""
    return EventBatch(
        TableAddress("club", table),
        Events(
            birth=BIRTH,
            log=log_id(lines),
            first=first,
            before=before,
            lines=tuple(lines[first:end]),
        ),
    )


def birth_of(birth: str, log: str | None, title: str = "Table 1") -> Birth:
    """Return the birth of a simulated table with four seats."""
    return Birth(
        birth=birth,
        at="2026-11-24T20:00:00.000Z",
        title=title,
        software="1",
        identity="",
        simulated=True,
        seats=4,
        log=log,
        size=0,
        state_every=60,
    )
