"""Audit logs in a database of their own, for tests of what is computed from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from sqlalchemy import Connection, create_engine, insert

from controller.floor.store.schema import EVENTS, LOGS, METADATA, TABLES
from controller.records.audit.canonical_json import canonical
from controller.records.audit.log.event_line import time_text

NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)
"""When the logs of tests begin."""


@dataclass(frozen=True)
class Happened:
    """One event of a log: seconds since noon, seconds of the table's clock, kind and details."""

    after: float
    table_s: float
    what: str
    details: Mapping[str, Any]

    @property
    def at(self) -> datetime:
        """The time of the table's computer."""
        return NOON + timedelta(milliseconds=round(self.after * 1000))

    def line(self, index: int) -> str:
        """The event as its canonical line."""
        value = {
            "details": dict(self.details),
            "from": "table",
            "index": index,
            "role": "",
            "table_ms": round(self.table_s * 1000),
            "time": time_text(self.at),
            "what": self.what,
            "who": "",
        }
        return canonical(value).decode()


def happened(after: float, what: str, /, **details: object) -> Happened:
    """An event of a table whose clock began at noon."""
    return Happened(after, after, what, details)


@contextmanager
def stored(url: str, logs: Mapping[str, Sequence[Happened]]) -> Iterator[Connection]:
    """A connection to a database that has one log of each table, by the table's name."""
    engine = create_engine(url)
    try:
        METADATA.create_all(engine)
        with engine.begin() as connection:
            if engine.dialect.name == "postgresql":
                connection.exec_driver_sql("CREATE TABLE every_event PARTITION OF events DEFAULT")
            for name, events in logs.items():
                store(connection, add_log(connection, name), events)
            yield connection
    finally:
        engine.dispose()


def add_log(connection: Connection, name: str, log: str = "0" * 64, title: str = "") -> int:
    """Add a table with an empty log; returns the log's id."""
    table = connection.execute(
        insert(TABLES).values(
            floor="main", name=name, title=title or name, first_seen=NOON, last_birth=NOON
        )
    ).inserted_primary_key
    assert table is not None
    made = connection.execute(
        insert(LOGS).values(table_id=table[0], log=log, begun=NOON)
    ).inserted_primary_key
    assert made is not None
    return int(made[0])


def store(connection: Connection, log: int, events: Sequence[Happened], first: int = 0) -> None:
    """Store further events of a log, received when they happened."""
    rows = [
        {
            "log_id": log,
            "number": number,
            "received": max(event.at, NOON),
            "at": event.at,
            "what": event.what,
            "line": event.line(number),
        }
        for number, event in enumerate(events, first)
    ]
    if rows:
        connection.execute(insert(EVENTS), rows)
    changed = LOGS.update().where(LOGS.c.id == log).values(next=first + len(rows))
    connection.execute(changed)


def random_log(chance: Random, length: int) -> list[Happened]:
    """A log of events in any order, with starts, pauses of the service and a fast table clock."""
    after, table_s, rate = 0.0, 0.0, chance.choice((1.0, 25.0))
    events = [Happened(0.0, 0.0, "power_up", {})]
    for _ in range(length):
        step = chance.choice((0.0, 0.5, 30.0, 600.0))
        after, table_s = after + step, table_s + step * rate
        what, details = _random_event(chance)
        if events[-1].what == "service_stopped":
            what, details = "power_up", {}
        if what == "power_up":
            table_s = 0.0
        events.append(Happened(after, table_s, what, details))
    return events


def _random_event(chance: Random) -> tuple[str, dict[str, object]]:
    code = chance.choice(
        ("JAM", "JAM", "FORGOTTEN", "LIFT", "no such code", "a\u0000b", "\\\\u0000")
    )
    about = {"code": code, "part": chance.choice(("head 0", "head 1"))}
    kind = {"kind": chance.choice(("round", "round", "shuffle cycle"))}
    return chance.choice(
        (
            ("operator_prompted", {**about, "request": "Take it out.", "role": "attendant"}),
            ("operator_prompted", about),
            ("prompt_answered", about),
            ("prompt_answered", about),
            ("prompt_withdrawn", about),
            ("recovered", about),
            ("fault", about),
            ("run_started", {"events_version": 2}),
            ("run_started", {"events_version": 2}),
            ("paused", {"why": "SILENT"}),
            ("resumed", {"paused_s": 1}),
            ("service_mode_entered", {}),
            ("service_mode_left", {}),
            ("service_stopped", {}),
            ("power_up", {"number": 2}),
            ("taken_out_of_play", {}),
            ("put_in_play", {}),
            ("set_built", {"counted": chance.choice((136, 144, -3, "many", None))}),
            ("receipt", {**kind, "began": f"round {chance.randrange(5)}"}),
            ("command", {"command": "pause"}),
        )
    )
