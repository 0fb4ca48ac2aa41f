"""Stores batches of many tables in one transaction, each event exactly once.

`LogEnd.take` is the rule by which a batch continues the events of a log. The row of a log is locked
before it is compared with a batch, so two services that receive the same batch store it one after
another, and the second one finds it stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Connection,
    DateTime,
    Text,
    any_,
    bindparam,
    column,
    insert,
    select,
    update,
)

from controller.floor.messages import Events, TableAddress
from controller.floor.store.engine import is_sqlite, json_rows
from controller.floor.store.schema import EVENTS, LOGS, TABLES
from controller.records.audit.errors import RefusedProofError
from controller.records.audit.log.event_line import checked_event, parsed_time
from controller.records.audit.tree import leaf_hash
from rules.errors import WallwrightError

LONGEST_KIND = 60
"""Characters of an event's kind (`what`)."""


@dataclass(frozen=True)
class EventBatch:
    """One message with events of a table."""

    address: TableAddress
    events: Events

    @property
    def log(self) -> LogKey:
        """The log that the batch continues."""
        return LogKey(self.address, self.events.log)


@dataclass(frozen=True, order=True)
class LogKey:
    """One audit log of one table."""

    address: TableAddress
    log: str


class Refusal(Enum):
    """The reason why no event of a batch was stored."""

    GAP = "gap"
    """Events before the batch are missing; the table sends them when it receives the position."""
    DAMAGED = "damaged"
    """A line is not an event, or is not the event with its index."""
    CONTRADICTION = "contradiction"
    """The batch does not continue the stored events: the table's log was changed."""
    RETIRED = "retired"
    """The table was retired while the batch waited."""


@dataclass(frozen=True)
class TakenBatch:
    """The result of storing a batch. `next` is the number of stored events of its log after it.

    `stored` is the number of its events that are new; `reason` explains a refusal.
    """

    batch: EventBatch
    next: int
    stored: int = 0
    refusal: Refusal | None = None
    reason: str = ""
    first_at: datetime | None = None
    """The time of the first new event, by the table's computer; None without new events."""


def take_batches(
    connection: Connection, batches: Sequence[EventBatch], known: LogIds, received: datetime
) -> list[TakenBatch]:
    """Store the batches; return the result of each, in their order.

    `known` are ids of logs; they are checked. Raises UnknownLogsError: the caller gives new logs a
    row in an earlier transaction. Otherwise two services could wait for each other, each with the
    other's new row.
    """
    keys = sorted({batch.log for batch in batches})
    ends = _locked(connection, keys, known)
    if missing := [key for key in keys if key not in ends]:
        raise UnknownLogsError(missing)
    taken = [ends[batch.log].take(batch) for batch in batches]
    changed = {known[key]: end for key, end in ends.items() if end.new}
    if changed:
        _insert(connection, changed, received)
        _move_on(connection, changed)
    return taken


def _locked(connection: Connection, keys: Iterable[LogKey], known: LogIds) -> dict[LogKey, LogEnd]:
    """The ends of logs, locked in the order of their ids: two services never wait for each other.

    If an id is unknown, nothing is locked. A key whose id is that of another log is left out.
    """
    if not all(key in known for key in keys):
        return {}
    ids = sorted(known[key] for key in keys)
    query = (
        select(TABLES.c.floor, TABLES.c.name, TABLES.c.retired, *LOGS.c)
        .join_from(LOGS, TABLES)
        .order_by(LOGS.c.id)
        .with_for_update(of=LOGS)
    )
    if is_sqlite(connection):
        rows = connection.execute(query.where(LOGS.c.id.in_(ids)))
    else:
        chosen = LOGS.c.id == any_(bindparam("ids", type_=ARRAY(BigInteger)))
        rows = connection.execute(query.where(chosen), {"ids": ids})
    found = {
        LogKey(TableAddress(row.floor, row.name), row.log): (
            row.id,
            LogEnd(row.next, row.last_hash, row.retired is not None),
        )
        for row in rows
    }
    return {key: found[key][1] for key in keys if key in found and known.get(key) == found[key][0]}


def _insert(connection: Connection, ends: Mapping[int, LogEnd], received: datetime) -> None:
    rows: list[dict[str, Any]] = [
        {
            "log_id": log,
            "number": row.number,
            "at": row.at,
            "what": row.what,
            "line": row.line,
        }
        for log, end in ends.items()
        for row in end.new
    ]
    if is_sqlite(connection):
        connection.execute(insert(EVENTS), [{**row, "received": received} for row in rows])
        return
    new = json_rows(
        column("log_id", BigInteger()),
        column("number", BigInteger()),
        column("at", DateTime(timezone=True)),
        column("what", Text()),
        column("line", Text()),
    )
    moment = bindparam("received", type_=DateTime(timezone=True))
    connection.execute(
        insert(EVENTS).from_select([*new.c.keys(), "received"], select(*new.c, moment)),
        {
            "rows": [{**row, "at": row["at"].isoformat()} for row in rows],
            "received": received,
        },
    )


def _move_on(connection: Connection, ends: Mapping[int, LogEnd]) -> None:
    """Write the new ends of the logs."""
    rows = [
        {"log_id": log, "new_next": end.next, "new_hash": end.last_hash}
        for log, end in ends.items()
    ]
    if is_sqlite(connection):
        connection.execute(
            update(LOGS)
            .where(LOGS.c.id == bindparam("log_id"))
            .values(next=bindparam("new_next"), last_hash=bindparam("new_hash")),
            rows,
        )
        return
    new = json_rows(
        column("log_id", BigInteger()), column("new_next", BigInteger()), column("new_hash", Text())
    )
    connection.execute(
        update(LOGS)
        .where(LOGS.c.id == new.c.log_id)
        .values(next=new.c.new_next, last_hash=new.c.new_hash),
        {"rows": rows},
    )


LogIds = Mapping[LogKey, int]


class UnknownLogsError(WallwrightError):
    """Ids of logs are unknown, or no longer those of the logs. `missing` are the logs."""

    def __init__(self, missing: Sequence[LogKey]) -> None:
        super().__init__(f"The ids of {len(missing)} logs are unknown.")
        self.missing = missing


@dataclass(frozen=True)
class EventRow:
    """One event as the database keeps it."""

    number: int
    at: datetime
    what: str
    line: str


@dataclass
class LogEnd:
    """The end of a log in the database, moved on by the batches of one transaction."""

    next: int
    last_hash: str
    is_retired: bool = False
    new: list[EventRow] = field(default_factory=list)

    def take(self, batch: EventBatch) -> TakenBatch:
        """Continue the log by a batch, or say why not; then nothing changes."""
        events = batch.events
        if self.is_retired:
            return self._refused(batch, Refusal.RETIRED, "the table is retired.")
        if events.first > self.next:
            return self._refused(
                batch,
                Refusal.GAP,
                f"it begins at event {events.first}; expected event {self.next}.",
            )
        if not self._is_continued_by(events):
            return self._refused(
                batch,
                Refusal.CONTRADICTION,
                f"the log is inconsistent: the event before event {self.next} differs from the "
                "stored one. Compare the table's audit log with its bundles.",
            )
        fresh = events.lines[self.next - events.first :]
        if not fresh:
            return TakenBatch(batch, self.next)
        try:
            rows = [event_row(line, self.next + place) for place, line in enumerate(fresh)]
        except RefusedProofError as error:
            return self._refused(batch, Refusal.DAMAGED, str(error))
        self.new += rows
        self.next += len(rows)
        self.last_hash = leaf_hash(fresh[-1].encode()).hex()
        return TakenBatch(batch, self.next, len(rows), first_at=rows[0].at)

    def _is_continued_by(self, events: Events) -> bool:
        """Whether the batch has the stored last event at its place, if it contains that place."""
        if events.first == self.next:
            return events.before == self.last_hash
        place = self.next - 1 - events.first
        if place >= len(events.lines):
            return True
        line = events.lines[place].encode(errors="replace")
        return leaf_hash(line).hex() == self.last_hash

    def _refused(self, batch: EventBatch, refusal: Refusal, reason: str) -> TakenBatch:
        return TakenBatch(batch, self.next, 0, refusal, f"A batch of {batch.address}: {reason}")


def event_row(line: str, number: int) -> EventRow:
    """Parse a line with the index `number`. Raises RefusedProofError."""
    try:
        value = checked_event(line.encode(), number)
        at = parsed_time(value["time"])
    except ValueError as error:
        if isinstance(error, RefusedProofError):
            raise
        raise RefusedProofError(f"Event {number} is damaged: {error}.") from error
    what = value["what"]
    if not 0 < len(what) <= LONGEST_KIND or not what.isprintable():
        raise RefusedProofError(
            f"Event {number} has no kind; it is 1 to {LONGEST_KIND} printable characters."
        )
    return EventRow(number, at, what, line)
