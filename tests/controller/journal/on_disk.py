"""A journal on disk as somebody else reads it: all three copies, record by record."""

from __future__ import annotations

import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

NOON = "2030-01-01T12:00:00+00:00"
PACKET = {"step": "packet", "seat": 2}


def on_disk(file: Path) -> list[dict[str, Any]]:
    """What somebody else reads in the copies now, without their runs: all three say the same."""
    (text,) = {(file.with_name(file.name + end)).read_text() for end in ("", ".2", ".3")}
    events = [json.loads(line) for line in text.splitlines()]
    return [record for record in events if record["kind"] != "run"]


def contents(file: Path) -> list[tuple[str, object]]:
    """Kind and content of every record on disk, in order."""
    return [(record["kind"], record["content"]) for record in on_disk(file)]


def now(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine returns that never waits: its storage does everything at once."""
    try:
        work.send(None)
    except StopIteration as end:
        value: T = end.value
        return value
    raise AssertionError("it waits for something")
