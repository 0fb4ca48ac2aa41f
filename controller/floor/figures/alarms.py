"""Alarms: faults that stopped a table and prompts about faults that nobody has answered yet."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from controller.floor.figures import kinds
from controller.floor.figures.line_values import LONGEST_VALUE

ALARM_EVENTS = (*kinds.PROMPTS, kinds.FAULT, kinds.RUN, kinds.START, kinds.STOP)
"""The events that open or close an alarm."""
LONGEST_SENTENCE = 500
"""Characters of an evidence or a request that an alarm keeps."""
MOST_OPEN = 50
"""Open alarms of one log that are kept: the latest ones."""


@dataclass(frozen=True)
class StoredEvent:
    """An event of the database: its place, its time in UTC, its kind and its line."""

    log_id: int
    number: int
    at: datetime
    what: str
    line: str


@dataclass(frozen=True)
class Acknowledgement:
    """A named person has seen an alarm and takes care of it."""

    at: datetime
    who: str
    note: str


@dataclass(frozen=True)
class Alarm:
    """A fault or an unanswered prompt. `log_id` and `number` name its event.

    `since` is the time of the table's computer. `request` says what has to be done, empty for a
    fault. `role` is the least role that may clear it, empty for a fault.
    """

    log_id: int
    number: int
    kind: str
    code: str
    part: str
    evidence: str
    request: str
    role: str
    since: datetime
    acknowledged: Acknowledgement | None = None


@dataclass(frozen=True)
class OpenAlarms:
    """The open alarms of one log after its events below `next`, oldest first.

    A prompt is open until its answer, its withdrawal or a later prompt of the same code and part. A
    start of the service and the next run close all alarms; the end of the service closes prompts,
    because nobody can answer them, and leaves faults open.
    """

    next: int = 0
    alarms: tuple[Alarm, ...] = ()

    def after(self, events: Iterable[StoredEvent]) -> OpenAlarms:
        """The open alarms after further events of the log, in the order of their numbers."""
        present, following = list(self.alarms), self.next
        for event in events:
            if event.number < following:
                continue
            following = event.number + 1
            present = _after(present, event)[-MOST_OPEN:]
        return OpenAlarms(following, tuple(present))


def acknowledged(alarm: Alarm, by: Acknowledgement) -> Alarm:
    """The alarm with the person who has acknowledged it."""
    return replace(alarm, acknowledged=by)


def details_of_line(line: str) -> dict[str, Any]:
    """The details of an event's line; empty for a line that has none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    details = value.get("details") if isinstance(value, dict) else None
    return details if isinstance(details, dict) else {}


def short_text(details: dict[str, Any], key: str, most: int = LONGEST_VALUE) -> str:
    """A text of an event's details, shortened; empty for a value of another type."""
    value = details.get(key)
    return value[:most] if isinstance(value, str) else ""


def _after(present: list[Alarm], event: StoredEvent) -> list[Alarm]:
    match event.what:
        case kinds.START | kinds.RUN:
            return []
        case kinds.STOP:
            return [each for each in present if each.kind != kinds.PROMPT]
        case kinds.FAULT:
            # The run that the fault has ended withdraws its prompts.
            return [*present, _alarm(event)]
        case kinds.PROMPT | kinds.ANSWER | kinds.WITHDRAWN:
            alarm = _alarm(event)
            others = [
                each
                for each in present
                if (each.kind, each.code, each.part) != (kinds.PROMPT, alarm.code, alarm.part)
            ]
            return [*others, alarm] if event.what == kinds.PROMPT else others
    return present


def _alarm(event: StoredEvent) -> Alarm:
    details = details_of_line(event.line)
    return Alarm(
        log_id=event.log_id,
        number=event.number,
        kind=event.what,
        code=short_text(details, "code"),
        part=short_text(details, "part"),
        evidence=short_text(details, "evidence", LONGEST_SENTENCE),
        request=short_text(details, "request", LONGEST_SENTENCE),
        role=short_text(details, "role"),
        since=event.at,
    )
