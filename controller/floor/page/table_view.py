"""What the page shows of one table: its condition, who is needed there, and its last state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from controller.floor.messages.payloads import State
from controller.floor.server.room import RoomTable

Condition = Literal[
    "fault",
    "help",
    "log",
    "disconnected",
    "waiting",
    "paused",
    "service",
    "out_of_play",
    "playing",
    "idle",
    "switched_off",
    "new",
]
CONDITIONS: tuple[Condition, ...] = (
    *("fault", "help", "log", "disconnected", "paused", "service", "out_of_play"),
    *("waiting", "playing", "idle", "switched_off", "new"),
)
"""Conditions in the order in which the page lists tables: those that need a person first."""
NEEDS_A_PERSON: frozenset[Condition] = frozenset({"fault", "help", "log", "disconnected"})
STAFF = frozenset({"dealer", "attendant", "technician"})
"""Roles of people whom a table needs; a prompt for a player is a part of play."""


@dataclass(frozen=True)
class TableCondition:
    """The condition of a table, who is needed, a sentence about it, and since when it is so.

    `since` is a time in UTC as a text; empty where the table or the floor has none.
    """

    name: Condition
    who: str = ""
    sentence: str = ""
    since: str = ""


def condition_of(table: RoomTable) -> TableCondition:
    """The one condition that matters most to the floor."""
    state = table.state
    is_unknown = table.birth is None and not table.known_title and state is None
    if is_unknown and not table.is_connected:
        return TableCondition("new", sentence="The floor has received no message of this table.")
    if not table.is_connected:
        since = _text(table.changed_connection)
        if table.is_switched_off:
            return TableCondition("switched_off", "", "The table is switched off.", since)
        return TableCondition("disconnected", "", "The table is not connected.", since)
    if state is not None and state.fault is not None:
        fault = state.fault
        sentence = f"{fault.code} at {fault.part}: {fault.evidence}"
        return TableCondition("fault", fault.role, sentence, fault.since)
    for need in () if state is None else state.needs:
        if need.who in STAFF:
            return TableCondition("help", need.who, need.sentence, need.since)
    if table.contradiction or table.unproven:
        sentence = table.contradiction or table.unproven
        return TableCondition("log", "technician", sentence, _text(table.stored_at))
    if state is None:
        return TableCondition("new", sentence="The table has not published its state yet.")
    return _in_order(state)


def table_view(table: RoomTable) -> Mapping[str, Any]:
    """The table as a JSON object of the page. `title` and all sentences are texts of the table."""
    birth, state = table.birth, table.state
    condition = condition_of(table)
    return {
        "name": table.address.table,
        "title": table.title,
        "condition": condition.name,
        "needs_person": condition.name in NEEDS_A_PERSON,
        "who": condition.who,
        "sentence": condition.sentence,
        "since": condition.since,
        "connected": table.is_connected,
        "connection_since": _text(table.changed_connection),
        "software": "" if birth is None else birth.software,
        "simulated": birth is not None and birth.simulated,
        "seats": 0 if birth is None else birth.seats,
        "stored": table.stored,
        "stored_at": _text(table.stored_at),
        "contradiction": table.contradiction or table.unproven,
        "cosigned": table.cosigned,
        "cosigned_at": _text(table.cosigned_at),
        "state_received": _text(table.state_received),
        "state": None if state is None else state_view(state),
    }


def state_view(state: State) -> Mapping[str, Any]:
    """The last state of a table as a JSON object of the page."""
    return state.model_dump(mode="json", exclude={"birth", "sequence"})


def _in_order(state: State) -> TableCondition:
    """The condition of a table that needs none of the staff."""
    if state.mode in ("paused", "servicing"):
        return TableCondition("paused", "", state.sentence)
    if state.service == "service_mode":
        return TableCondition("service", "", state.sentence)
    if state.service == "fault":
        return TableCondition("fault", "attendant", state.sentence)
    if state.out_of_play:
        return TableCondition("out_of_play", "", state.sentence)
    if state.service == "session":
        for need in state.needs:
            return TableCondition("waiting", need.who, need.sentence, need.since)
        return TableCondition("playing", "", state.sentence)
    return TableCondition("idle", "", state.sentence)


def _text(at: datetime | None) -> str:
    return "" if at is None else at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
