"""Writes docs/FAULTS.md from the fault catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from controller.faults.catalogue import CATALOGUE, FaultRow, below, on_top, whole
from controller.faults.catalogue.facts import facts

_INTRODUCTION = """\
# Faults

This page is generated from the catalogue in `controller/faults/catalogue/`; change that, then run
`make docs`. `wallwright explain CODE` prints the same in a terminal.

A part that does not do as its sensors should show is first cured by the machine itself
(**retries**), then a person is asked (**asks**) and the sensors are asked again, then the table
stops safely and names the part. *Who may clear it* is the least of player, dealer, attendant,
technician; each of them may clear what those before may. A table's file changes the limits of a
fault that has some:

```yaml
recovery:
  JAM: {retries: 5}                # times the head tries by itself
  LIFT: {asks: 1, patience: 300}   # once a person, for at most 300 s
```
"""

_SECTIONS = (
    ("Below: from the lid to the trays", below.ROWS),
    ("On top: from raised walls to the last packet", on_top.ROWS),
    ("Boards, link, power and journal", whole.ROWS),
)


def page() -> str:
    """The whole page."""
    return "\n".join([_INTRODUCTION, *_overview(CATALOGUE.values()), *_sections()])


def _overview(rows: Iterable[FaultRow]) -> Iterator[str]:
    yield "| code | what it is | retries | asks | who may clear it |"
    yield "|---|---|---|---|---|"
    for row in rows:
        retries, asks = (row.limits.retries, row.limits.asks) if row.limits else ("-", "-")
        link = f"[`{row.code}`](#{row.code.lower()})"
        yield f"| {link} | {row.title} | {retries} | {asks} | {row.who.value} |"
    yield ""


def _sections() -> Iterator[str]:
    for title, rows in _SECTIONS:
        yield f"## {title}"
        yield ""
        for row in rows:
            yield from _entry(row)


def _entry(row: FaultRow) -> Iterator[str]:
    yield f"### {row.code}"
    yield ""
    yield f"**{row.title}**: {row.fault.value}."
    yield ""
    yield "| | |"
    yield "|---|---|"
    for label, text in facts(row):
        yield f"| {label} | {text} |"
    yield ""
