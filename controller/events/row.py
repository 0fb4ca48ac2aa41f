"""A row of the table of events: the keys and words of one event, its records and counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Any, Literal

Level = Literal["info", "warning", "fault"]
"""How a list of events marks a sentence."""
Words = Callable[[Mapping[str, Any]], tuple[str, Level]]
"""Makes the sentence of an event, and its level. Raises KeyError if the event lacks a key."""
Line = Callable[[Mapping[str, Any]], str]
"""Makes the line of an event in a terminal; empty for no line. Raises KeyError as `Words` does."""


@dataclass(frozen=True)
class EventKey:
    """One key of an event: its JSON type as a type of Python, and what its value means."""

    name: str
    type: type | UnionType
    meaning: str
    is_optional: bool = False


@dataclass(frozen=True)
class Count:
    """One count to which an event adds.

    `by` is the key whose value separates the count, such as a fault's code; empty for one number.
    `amount` is the key whose number is added; without it, 1 is added.
    """

    name: str
    by: str = ""
    amount: str = ""


HostGroup = Literal["Faults and calls", "Rounds"]
"""The groups of the casino host's codes to which events of the stream belong."""


@dataclass(frozen=True)
class HostCodes:
    """The codes that report an event to a casino's host (controller/casino/host_map.py).

    `sas` and `g2s` are in the order in which they are reported. `note` says why there is no code,
    or when a code applies.
    """

    group: HostGroup
    sas: tuple[str, ...] = ()
    g2s: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class EventMeaning:
    """One event of the stream: everything that other modules need to know about it."""

    name: str
    when: str
    """When the event is emitted; completes the sentence 'The event is emitted when ...'."""
    keys: tuple[EventKey, ...] = ()
    """All keys besides `t` and `event`."""
    more_keys: str = ""
    """Which further keys the event can have; empty if `keys` are all."""
    words: Words | None = None
    """The sentence for the list of recent events; None for events too frequent to be read."""
    history_text: str = ""
    """The sentence on the floor's page for an event without `words`."""
    line: Line | None = None
    """The line in the live view of a terminal; None for no line."""
    lasting_line: Line | None = None
    """The line that stays in the terminal above the live view; also `line` if that is None."""
    recorded: HostCodes | None = None
    """The host's codes if the audit log records the event; None if it does not. A recorded event
    contains no tile that a person at the table has not seen."""
    is_traced: bool = True
    """Whether a trace of the round has the event as a span event. It is False for events that begin
    or end spans, and for those with contents that a trace leaves out."""
    counts: tuple[Count, ...] = ()
    """The counts to which the event adds."""
    is_confirmed_step: bool = False
    """Whether the event reports the result of a step of the set-up."""
    is_hidden_if_mixed: bool = False
    """Whether the order and the seats of mixed discards follow from the event; players do not
    receive it during such a hand."""
    is_about_people: bool = False
    """Whether the short history of a table on the floor's page shows the event: it is about
    faults, people or the service, and not about play."""


def says(template: str, level: Level = "info") -> Words:
    """Make the sentence of an event from a template for `str.format` with the event's keys."""
    return lambda event: (template.format_map(event), level)


def shows(template: str) -> Line:
    """Make the line of an event from a template for `str.format` with the event's keys."""
    return template.format_map
