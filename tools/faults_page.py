"""Writes docs/operate/FAULTS.md from the fault catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from controller.run.faults.catalogue import CATALOGUE, FaultRow, below, on_top, whole
from controller.run.faults.catalogue.row import facts

_INTRODUCTION = """\
# Faults

This page is generated from the catalogue in `controller/run/faults/catalogue/`; change that, then
run `make docs`. `wallwright explain CODE` prints the same in a terminal.

If the sensors do not confirm a motion, the machine first retries it (**retries**). Then it
prompts an operator (**asks**) and reads the sensors again. If they still do not confirm it, the
table stops safely and names the part. *Who may clear it* is the lowest of the roles player,
dealer, attendant, technician; each role may clear everything that the roles before it may. A
table's file changes the limits of a fault that has limits:

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
    """Return the text of docs/operate/FAULTS.md."""
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
