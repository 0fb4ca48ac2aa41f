"""docs/FAULTS.md, made from the fault catalogue: `python -m controller.faults_page [FILE]`.

Without a file the page goes to standard output.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from controller.catalogue import CATALOGUE, Row, below, on_top, whole

_INTRODUCTION = """\
# Faults

This page is made from the catalogue in `controller/catalogue/`; change that, then run
`python -m controller.faults_page docs/FAULTS.md`. `wallwright explain CODE` says the same in a
terminal.

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


def _overview(rows: Iterable[Row]) -> Iterator[str]:
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


def _entry(row: Row) -> Iterator[str]:
    yield f"### {row.code}"
    yield ""
    yield f"**{row.title}**: {row.fault.value}."
    yield ""
    yield "| | |"
    yield "|---|---|"
    for label, text in facts(row):
        yield f"| {label} | {text} |"
    yield ""


def facts(row: Row) -> Iterator[tuple[str, str]]:
    """A row in plain words, each with its label, in the order in which one asks."""
    yield "expected", row.expected
    yield "came instead", row.instead
    yield "likely cause", row.cause
    yield "the table by itself", row.automatic
    yield "a person is asked", row.request(row.example)
    if row.limits:
        yield "answers", ", ".join(row.answers)
    yield "who may clear it", row.who.value
    if row.limits:
        limits = row.limits
        tries = f"tries again {_times(limits.retries)}" if limits.retries else "does not try again"
        asks = (
            f"asks {_times(limits.asks)}, waiting at most {limits.patience:.0f} s for each answer"
        )
        yield "limits", f"{tries} by itself, then {asks}"
    else:
        yield "limits", "none: it stops the table"
    if row.latched is not None:
        yield "latched by the board", f"as {row.latched.name}, number {row.latched.value}"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def main() -> None:
    """Write the page to the file that is named, or to standard output."""
    text = page()
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
