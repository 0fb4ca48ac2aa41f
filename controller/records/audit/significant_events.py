"""What the audit log records of an event of the table: its details, if they are canonical."""

from __future__ import annotations

import json
from collections.abc import Mapping

_LONGEST = 1 << 19
"""Bytes of the longest details; a log with a line of 1 MiB or more could not be opened again."""
_SUMMARY = 2000
"""Characters of the text that replaces details without a canonical form."""


def details_of(event: Mapping[str, object]) -> dict[str, object]:
    """What the log records of an event of the table, besides its name and its time."""
    return {key: event[key] for key in event if key not in {"t", "event"}}


def plain_details(details: Mapping[str, object]) -> Mapping[str, object]:
    """Details that the log can write; those that are too long or not canonical become a text."""
    from controller.records.audit.canonical_json import canonical  # noqa: PLC0415 - not at the start
    from controller.records.audit.errors import NotCanonicalError  # noqa: PLC0415 - not at the start

    try:
        is_plain = len(canonical(dict(details))) <= _LONGEST
    except NotCanonicalError:
        is_plain = False
    if is_plain:
        return details
    return {"text": json.dumps(dict(details), default=str, ensure_ascii=True)[:_SUMMARY]}
