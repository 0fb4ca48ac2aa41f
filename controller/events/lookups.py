"""Answers of the table of events: the names with a property, and the sentence of an event."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from controller.events.log import Event
from controller.events.row import EventMeaning, Level, Line
from controller.events.table import EventName

ROWS: Mapping[str, EventMeaning] = {name.value: name.row for name in EventName}
"""The row of each event by its name."""


def names_with(has: Callable[[EventMeaning], bool]) -> frozenset[str]:
    """Return the names of the events whose row fulfils a condition."""
    return frozenset(name for name, row in ROWS.items() if has(row))


RECORDED = names_with(lambda row: row.recorded is not None)
"""Names of the events that the audit log records."""
TRACED = names_with(lambda row: row.is_traced)
"""Names of the events that become span events in the trace of a round."""
CONFIRMED_STEPS = names_with(lambda row: row.is_confirmed_step)
"""Names of the events that report the result of a step."""
HIDDEN_IF_MIXED = names_with(lambda row: row.is_hidden_if_mixed)
"""Names of the events from which the order and the seats of a hand's discards follow."""
ABOUT_PEOPLE = names_with(lambda row: row.is_about_people)
"""Names of the events about faults, people and the service; the others are those of play."""


def sentence_of(event: Event) -> tuple[str, Level] | None:
    """The sentence of an event and its level; None for an event that has no sentence.

    An event without a key of its sentence has none either. A key with a value of another type can
    raise an ArithmeticError, LookupError, TypeError or ValueError.
    """
    row = ROWS.get(str(event["event"]))
    if row is None or row.words is None:
        return None
    try:
        return row.words(event)
    except KeyError:
        return None


def line_of(event: Event) -> str:
    """The line of an event in the live view of a terminal; empty for no line."""
    row = ROWS.get(str(event["event"]))
    return "" if row is None else _made(row.line or row.lasting_line, event)


def lasting_line_of(event: Event) -> str:
    """The line of an event that stays in a terminal above the live view; empty for no line."""
    row = ROWS.get(str(event["event"]))
    return "" if row is None else _made(row.lasting_line, event)


def _made(line: Line | None, event: Event) -> str:
    try:
        return "" if line is None else line(event)
    except KeyError:
        return ""
