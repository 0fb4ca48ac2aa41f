"""Counts of the floor service, for its metrics."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from controller.web.metrics.catalogue import Histogram

STORE_LIMITS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds from the receipt of a batch until it is committed."""
AGE_LIMITS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 3600.0)
"""Seconds from an event until it is committed, by the clocks of the table and of the floor."""
DROPS = ("flood", "full", "malformed", "retained", "retired", "topic", "too_many_tables")
"""Why a message is dropped."""
REFUSALS = ("contradiction", "damaged", "gap")
"""Why a batch is not stored."""


@dataclass
class FloorCounts:
    """Counts since the service started."""

    messages: Counter[str] = field(default_factory=Counter)
    """Received messages by kind."""
    dropped: Counter[str] = field(default_factory=Counter)
    """Dropped messages by reason, one of `DROPS`."""
    refused: Counter[str] = field(default_factory=Counter)
    """Batches that were not stored by reason, one of `REFUSALS`."""
    events: int = 0
    """Events stored by this service."""
    batches: int = 0
    """Batches with new events."""
    transactions: int = 0
    """Transactions with batches."""
    positions: int = 0
    """Positions sent to tables."""
    cosigned: int = 0
    """Heads of tables' logs that were cosigned."""
    unproven: int = 0
    """Heads that were not cosigned, because they do not agree with the stored events."""
    repeats: int = 0
    """Tables asked to repeat birth and state after a gap."""
    database_failures: int = 0
    """Times that the database did not answer."""
    broker_losses: int = 0
    """Times that the connection to the broker was lost."""
    requests: int = 0
    """Requests sent to tables."""
    unanswered: int = 0
    """Requests without a reply in time."""
    storing: Histogram = field(default_factory=lambda: Histogram(STORE_LIMITS))
    ages: Histogram = field(default_factory=lambda: Histogram(AGE_LIMITS))

    def drop(self, reason: str) -> None:
        """Count a dropped message."""
        self.dropped[reason] += 1
