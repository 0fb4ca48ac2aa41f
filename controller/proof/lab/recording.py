"""Reads recorded cycles: a file of JSON lines with the tags of every cycle in two orders.

The first line describes the recording, every other line is one cycle:

    {"format": "wallwright-cycles", "version": 1, "table": "number 7", "places": [["east", 1], ...]}
    {"in": ["E0040150", ...], "out": ["E0040150", ...]}

`in` are the tags in the order in which the tiles went into the machine, `out` the tags place by
place. `places`, the side and row of each place, may be missing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controller.proof.lab import LaboratoryError

FORMAT, VERSION = "wallwright-cycles", 1
LONGEST_NAME = 100
"""Characters of the name of a table."""
EXAMPLE = '{"format": "wallwright-cycles", "version": 1}'


@dataclass(frozen=True)
class Recording:
    """Recorded cycles: the name of the table, one order for each cycle, and the places."""

    table: str
    orders: tuple[tuple[int, ...], ...]
    places: tuple[tuple[str, int], ...]


def read_recording(file: Path) -> Recording:
    """Read and check a file. Raises LaboratoryError with the line and the reason."""
    try:
        # Only line feeds separate lines: a tag may contain other separators of Unicode.
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as unreadable:
        raise LaboratoryError(f"The recording {file} cannot be read: {unreadable}.") from unreadable
    values = [(number, _parsed(file, number, line)) for number, line in _filled(lines)]
    if not values:
        raise LaboratoryError(f"The recording {file} is empty; its first line must be {EXAMPLE}.")
    (_, head), *cycles = values
    version = head.get("version")
    if head.get("format") != FORMAT or type(version) is not int or version != VERSION:
        raise LaboratoryError(
            f"{file}, line 1: the first line must have the format '{FORMAT}' and the version"
            f" {VERSION}, as in {EXAMPLE}; got {json.dumps(head)[:80]}."
        )
    orders = tuple(_order(f"{file}, line {number}", cycle) for number, cycle in cycles)
    for (number, _), order in zip(cycles, orders, strict=True):
        if len(order) != len(orders[0]):
            raise LaboratoryError(
                f"{file}, line {number}: a cycle has {len(order)} tiles and the first one"
                f" {len(orders[0])}; record each game and each number of tiles in its own file."
            )
    places = _places(file, head.get("places", []), len(orders[0]) if orders else 0)
    return Recording(_table(file, head.get("table", file.name)), orders, places)


def _table(file: Path, value: object) -> str:
    """The name of the table, which is printed in the report."""
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_NAME or not value.isprintable():
        raise LaboratoryError(
            f"{file}, line 1: 'table' must be a text of 1 to {LONGEST_NAME} printable characters;"
            f" got {_short(value)}."
        )
    return value


def _short(value: object) -> str:
    """The beginning of a value of the file, with characters that cannot be printed escaped."""
    text = ascii(value)[1:-1] if isinstance(value, str) else ascii(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _filled(lines: Sequence[str]) -> list[tuple[int, str]]:
    return [(number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _parsed(file: Path, number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as defect:
        raise LaboratoryError(f"{file}, line {number}: this is not JSON ({defect}).") from defect
    if not isinstance(value, dict):
        raise LaboratoryError(
            f"{file}, line {number}: each line must be a JSON object; got {line[:40]}."
        )
    return value


def _order(where: str, cycle: dict[str, Any]) -> tuple[int, ...]:
    tags: dict[str, list[str]] = {}
    for key in ("in", "out"):
        value = cycle.get(key)
        if not isinstance(value, list) or not all(type(tag) in (str, int) for tag in value):
            raise LaboratoryError(
                f"{where}: '{key}' must be a list of tags (texts or whole numbers)."
            )
        tags[key] = [str(tag) for tag in value]
    turns = {tag: turn for turn, tag in enumerate(tags["in"])}
    if len(turns) < len(tags["in"]):
        twice = next(tag for tag in tags["in"] if tags["in"].count(tag) > 1)
        raise LaboratoryError(
            f"{where}: the tag {_short(twice)} is twice in 'in'; drop this cycle."
        )
    if sorted(tags["in"]) != sorted(tags["out"]):
        odd = sorted(set(tags["in"]) ^ set(tags["out"]))
        named = (
            f"the tag {_short(odd[0])} is in one list only" if odd else "a tag is twice in 'out'"
        )
        raise LaboratoryError(
            f"{where}: 'in' and 'out' must have the same tags, but {named}; drop this cycle."
        )
    return tuple(turns[tag] for tag in tags["out"])


def _places(file: Path, value: object, tiles: int) -> tuple[tuple[str, int], ...]:
    if value == []:
        return ()
    good = isinstance(value, list) and all(
        isinstance(each, list)
        and len(each) == 2
        and isinstance(each[0], str)
        and type(each[1]) is int
        for each in value
    )
    if not good or not isinstance(value, list) or len(value) != tiles:
        raise LaboratoryError(
            f"{file}, line 1: 'places' must have the side and row of each of the {tiles} places,"
            ' as in [["east", 1], ["east", 2]].'
        )
    return tuple((each[0], each[1]) for each in value)
