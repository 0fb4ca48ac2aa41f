"""Writes the faults of docs/operate/FAULTS.md from the fault catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from controller.run.faults.catalogue import CATALOGUE, FaultRow, below, on_top, whole
from controller.run.faults.catalogue.row import facts
from tools.fit_matrices import with_blocks

_SECTIONS = (
    ("Below: from the lid to the trays", below.ROWS),
    ("On top: from raised walls to the last packet", on_top.ROWS),
    ("Boards, link, power and journal", whole.ROWS),
)


def page() -> str:
    """Return the text of docs/operate/FAULTS.md."""
    return with_blocks("docs/operate/FAULTS.md", {"faults": _catalogue})


def _catalogue() -> Iterator[str]:
    yield from _overview(CATALOGUE.values())
    yield from _sections()


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
