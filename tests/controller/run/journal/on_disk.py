"""Reads the three copies of a journal from disk without the journal's own code."""

from __future__ import annotations

import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

NOON = "2030-01-01T12:00:00+00:00"
PACKET = {"step": "packet", "seat": 2}


def on_disk(file: Path) -> list[dict[str, Any]]:
    """Return the records in the copies, without run records; fail if the copies differ."""
    (text,) = {(file.with_name(file.name + end)).read_text() for end in ("", ".2", ".3")}
    records = [json.loads(line) for line in text.splitlines()]
    return [record for record in records if record["kind"] != "run"]


def contents(file: Path) -> list[tuple[str, object]]:
    """Return kind and content of every record on disk, in order."""
    return [(record["kind"], record["content"]) for record in on_disk(file)]


def now(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine that never waits, as its storage executes jobs at once."""
    try:
        work.send(None)
    except StopIteration as end:
        value: T = end.value
        return value
    raise AssertionError("The coroutine waited; give `now` only storage that never waits.")
