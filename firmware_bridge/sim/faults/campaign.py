"""Campaign files: lists of injected faults in strict YAML, each as its text or as a mapping.

faults:
  - jam:head2@12.5
  - {kind: dirty_sensor, part: head3, rate: 0.02}
  - {kind: board_silent, part: base, at: 40, size: 5}
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as FilePath

from config.errors import Finding, Path, instead, located, shown
from config.loader import read
from config.schema import Table
from config.strict_yaml import Document, Value
from firmware_bridge.sim.faults.injected_fault import (
    BadFaultOptionError,
    InjectedFault,
    check,
    parse,
    plain,
)

KEY = "faults"
_MARKS = {"at": "@", "nth": "#", "rate": ":"}
"""The keys for the time of a fault, and the signs that replace them in a text."""
_KEYS = ("kind", "part", *_MARKS, "size")
_HOW = "Write a fault as jam:head2@12.5, or as a mapping of kind, part, and at, nth or rate."


def load_campaign(path: str | FilePath, table: Table) -> tuple[InjectedFault, ...]:
    """Load the injected faults of a file, each possible at this table. Raises ConfigErrors."""
    document = read(path)
    assert isinstance(document.value, dict)
    found, defects = [], list(_keys(document))
    entries = document.value.get(KEY)
    if not isinstance(entries, list) or not entries:
        wrong = f"must be a list of at least one injected fault; got {shown(entries)}"
        raise located(document.file, document.lines, [*defects, Finding((KEY,), wrong, _HOW)])
    for at, entry in enumerate(entries):
        try:
            found.append(check(parse(_text(entry)), table))
        except BadFaultOptionError as bad:
            defects.append(Finding((KEY, at), bad.wrong, bad.cure))
    if defects:
        raise located(document.file, document.lines, defects)
    return tuple(found)


def _keys(document: Document) -> Iterator[Finding]:
    assert isinstance(document.value, dict)
    for key in document.value:
        if key != KEY:
            yield Finding((key,), "is not a key of a campaign file", instead(key, [KEY]))
    if KEY not in document.value:
        path: Path = ()
        yield Finding(path, "has no list of injected faults", f"Write `{KEY}:` and a list.")


def _text(entry: Value) -> str:
    """The text of an entry, which is a text or a mapping. Raises BadFaultOptionError."""
    if isinstance(entry, str):
        return entry
    if not isinstance(entry, dict):
        raise BadFaultOptionError(f"{shown(entry)} is not an injected fault", _HOW)
    for key in entry:
        if key not in _KEYS:
            wrong = f"'{key}' is not a key of an injected fault"
            raise BadFaultOptionError(wrong, instead(key, _KEYS))
    for key in ("kind", "part"):
        if not isinstance(entry.get(key), str):
            wrong = f"`{key}` of an injected fault must be a text; got {shown(entry.get(key))}"
            raise BadFaultOptionError(wrong, _HOW)
    given = [key for key in _MARKS if key in entry]
    if len(given) > 1:
        wrong = f"an injected fault has one of at, nth and rate; got {' and '.join(given)}"
        raise BadFaultOptionError(wrong, "Keep one of them.")
    text = f"{entry['kind']}:{entry['part']}"
    text += "".join(f"{_MARKS[key]}{_digits(entry, key)}" for key in given)
    return text + (f"~{_digits(entry, 'size')}" if "size" in entry else "")


def _digits(entry: dict[str, Value], key: str) -> str:
    value = entry[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        wrong = f"`{key}` must be a number of at least 0; got {shown(value)}"
        raise BadFaultOptionError(wrong, "Write a number such as 12 or 12.5.")
    return plain(value)
