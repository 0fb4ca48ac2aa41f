"""Batches of events, and the rule by which the events of a log are continued."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

from controller.floor.messages.payloads import Events
from controller.floor.messages.topics import TableAddress
from controller.records.audit.errors import RefusedProofError
from controller.records.audit.log.event_line import checked_event, parsed_time
from controller.records.audit.tree import leaf_hash

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
    """Why no event of a batch was stored."""

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
    """What became of a batch. `next` is the number of stored events of its log after it.

    `stored` is the number of its events that are new; `reason` explains a refusal.
    """

    batch: EventBatch
    next: int
    stored: int = 0
    refusal: Refusal | None = None
    reason: str = ""
    first_at: datetime | None = None
    """The time of the first new event, by the table's computer; None without new events."""


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
