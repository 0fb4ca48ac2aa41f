"""The metrics of the floor service: their counts, and their text in the format of Prometheus.

`FLOOR_METRICS` lists them: names, labels and texts. Label values are bounded; no label contains the
name of a table or a person, because a floor has thousands of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import metadata

from controller.floor.messages import KINDS
from controller.floor.server.room import Room
from controller.web.metrics.catalogue import Distribution, Histogram, Metric, MetricKind

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


_PREFIX = "floor_"
FloorSample = tuple[str, tuple[str, ...], float | Distribution]
"""The name of a metric without its prefixes, the values of its labels, and its value."""


def _metric(kind: MetricKind, name: str, text: str, *labels: str) -> Metric:
    return Metric(_PREFIX + name, kind, text, labels)


_COUNTER, _GAUGE = MetricKind.COUNTER, MetricKind.GAUGE
FLOOR_METRICS: tuple[Metric, ...] = (
    _metric(_GAUGE, "build_info", "Always 1.", "version", "floor"),
    _metric(_GAUGE, "broker_connected", "1 while the service is connected to the broker."),
    _metric(_GAUGE, "database_available", "1 while the database answers."),
    _metric(_GAUGE, "tables", "Tables by their connection.", "connection"),
    _metric(_GAUGE, "tables_with_fault", "Connected tables whose last state has a fault."),
    _metric(_GAUGE, "tables_contradicting", "Tables whose log contradicts itself."),
    _metric(_COUNTER, "messages_total", "Messages received from tables, by kind.", "kind"),
    _metric(_COUNTER, "messages_dropped_total", "Messages that were dropped.", "reason"),
    _metric(_COUNTER, "batches_refused_total", "Batches of events not stored.", "reason"),
    _metric(_COUNTER, "events_stored_total", "Events that this service has stored."),
    _metric(_COUNTER, "batches_stored_total", "Batches with new events."),
    _metric(_COUNTER, "transactions_total", "Transactions with batches of events."),
    _metric(_COUNTER, "positions_sent_total", "Positions that tables were sent."),
    _metric(_COUNTER, "heads_cosigned_total", "Heads of tables' logs that were cosigned."),
    _metric(_COUNTER, "heads_refused_total", "Heads that contradict the stored events."),
    _metric(_COUNTER, "repeats_asked_total", "Tables asked to repeat their birth and state."),
    _metric(_COUNTER, "database_failures_total", "Times that the database did not answer."),
    _metric(_COUNTER, "broker_losses_total", "Times that the connection to the broker was lost."),
    _metric(_COUNTER, "requests_total", "Requests sent to tables."),
    _metric(_COUNTER, "requests_unanswered_total", "Requests without a reply in time."),
    _metric(_GAUGE, "waiting_bytes", "Bytes of batches that wait to be stored."),
    Metric(
        _PREFIX + "store_duration_seconds",
        MetricKind.HISTOGRAM,
        "Time from the receipt of a batch until it is committed.",
        (),
        STORE_LIMITS,
    ),
    Metric(
        _PREFIX + "event_age_seconds",
        MetricKind.HISTOGRAM,
        "Age of a batch's first event when it is committed, by the clocks of table and floor.",
        (),
        AGE_LIMITS,
    ),
)
"""Every metric of the floor service."""
_BY_NAME = {metric.name: metric for metric in FLOOR_METRICS}


def floor_samples(room: Room, counts: FloorCounts, waiting: int) -> Iterator[FloorSample]:
    """The values of this moment; `waiting` is the number of bytes that wait to be stored."""
    tables = tuple(room)
    connected = [table for table in tables if table.is_connected]
    yield "build_info", (metadata.version("wallwright"), room.floor), 1
    yield "broker_connected", (), room.is_broker_connected
    yield "database_available", (), room.is_database_available
    yield "tables", ("connected",), len(connected)
    off = sum(table.is_switched_off and not table.is_connected for table in tables)
    yield "tables", ("switched_off",), off
    yield "tables", ("lost",), len(tables) - len(connected) - off
    yield (
        "tables_with_fault",
        (),
        sum(table.state is not None and table.state.fault is not None for table in connected),
    )
    yield (
        "tables_contradicting",
        (),
        sum(bool(table.contradiction or table.unproven) for table in tables),
    )
    for kind in KINDS:
        yield "messages_total", (kind,), counts.messages[kind]
    for reason in DROPS:
        yield "messages_dropped_total", (reason,), counts.dropped[reason]
    for reason in REFUSALS:
        yield "batches_refused_total", (reason,), counts.refused[reason]
    yield "events_stored_total", (), counts.events
    yield "batches_stored_total", (), counts.batches
    yield "transactions_total", (), counts.transactions
    yield "positions_sent_total", (), counts.positions
    yield "heads_cosigned_total", (), counts.cosigned
    yield "heads_refused_total", (), counts.unproven
    yield "repeats_asked_total", (), counts.repeats
    yield "database_failures_total", (), counts.database_failures
    yield "broker_losses_total", (), counts.broker_losses
    yield "requests_total", (), counts.requests
    yield "requests_unanswered_total", (), counts.unanswered
    yield "waiting_bytes", (), waiting
    yield "store_duration_seconds", (), counts.storing.distribution
    yield "event_age_seconds", (), counts.ages.distribution


def floor_text(room: Room, counts: FloorCounts, waiting: int) -> bytes:
    """The text for a scrape."""
    from controller.web.metrics.exposition import text_of  # noqa: PLC0415 - only when asked for

    return text_of(
        (_BY_NAME[_PREFIX + name], labels, value)
        for name, labels, value in floor_samples(room, counts, waiting)
    )
