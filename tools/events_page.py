"""Writes the tables of docs/reference/EVENTS.md from the table of events (controller/events)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import NoneType
from typing import get_args

from controller.events import EventName
from controller.events.row import EventKey, EventMeaning
from tools.fit_matrices import with_blocks

_JSON_TYPES = {str: "text", bool: "true or false", dict: "object", list: "list", NoneType: "null"}
_ELSEWHERE = (EventName.SETTLED, EventName.RESULT_REPORTED, EventName.SUMMARY)
"""Events whose keys have a table in their own section."""


def page() -> str:
    """Return the text of docs/reference/EVENTS.md with the current tables."""
    return with_blocks(
        "docs/reference/EVENTS.md",
        {
            "events": _events,
            **{name.value: partial(_keys_of, name.row) for name in _ELSEWHERE},
            "keys": _all_keys,
        },
    )


def _events() -> Iterator[str]:
    yield "| event | keys | when |"
    yield "|---|---|---|"
    for name in EventName:
        keys = "see there" if name in _ELSEWHERE else _key_names(name.row)
        yield f"| [`{name}`](#{name}) | {keys} | {name.row.when} |"


def _key_names(row: EventMeaning) -> str:
    """The keys of an event in one cell; those that it can lack come last."""
    needed = ", ".join(f"`{key.name}`" for key in row.keys if not key.is_optional)
    perhaps = ", ".join(f"`{key.name}`" for key in row.keys if key.is_optional)
    parts = [needed, f"perhaps {perhaps}" if perhaps else ""]
    parts.append(f"and {row.more_keys}" if row.more_keys else "")
    return ", ".join(part for part in parts if part)


def _keys_of(row: EventMeaning) -> Iterator[str]:
    yield "| key | what |"
    yield "|---|---|"
    for key in row.keys:
        yield f"| `{key.name}` | {key.meaning} |"


def _all_keys() -> Iterator[str]:
    yield "| event | key | type | meaning |"
    yield "|---|---|---|---|"
    for name in EventName:
        if name not in _ELSEWHERE:
            for key in name.row.keys:
                perhaps = " (not always)" if key.is_optional else ""
                yield f"| `{name}` | `{key.name}` | {_type_of(key)}{perhaps} | {key.meaning} |"


def _type_of(key: EventKey) -> str:
    """The JSON type of a key in words."""
    kinds = get_args(key.type) or (key.type,)
    if float in kinds:
        return "number"
    return " or ".join("number" if kind is int else _JSON_TYPES[kind] for kind in kinds)
