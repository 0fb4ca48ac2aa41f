"""The pit report as PDF, A4 in landscape: figures of the room and of each table, incidents.

Texts use the fonts of receipts, which have Latin, Chinese, Japanese and Korean characters. To
import the module takes 0.3 s.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from reportlab.lib.pagesizes import A4, landscape
from reportlab.pdfgen.canvas import Canvas

from controller.floor.figures.table_figures import TableFigures
from controller.floor.page.figures_source import NamedFigures
from controller.floor.page.pit_report import Incident, PitReport
from controller.records.audit.receipt_pdf import font_runs, register_fonts

_SIZE, _LEADING, _MARGIN = 8.0, 12.0, 36.0
_FIGURES = (
    ("Table", 130.0),
    ("Rounds", 50.0),
    ("Rounds/h", 55.0),
    ("In operation", 70.0),
    ("MTBA", 65.0),
    ("MTTA", 60.0),
    ("Assists", 50.0),
    ("Tiles", 55.0),
    ("Jams", 40.0),
    ("Tiles/jam", 60.0),
    ("Faults", 45.0),
    ("Out of play", 70.0),
)
_INCIDENTS = (
    ("Began (UTC)", 85.0),
    ("Table", 95.0),
    ("Kind", 40.0),
    ("Code", 70.0),
    ("Part", 75.0),
    ("Observation", 210.0),
    ("Open for", 55.0),
    ("End", 55.0),
    ("Acknowledged by", 85.0),
)
MOST_INCIDENTS = 500
"""Incidents on paper; the CSV has more."""


def report_pdf(report: PitReport, *, compress: bool = True) -> bytes:
    """Draw the report; returns the bytes of the PDF."""
    register_fonts()
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=landscape(A4), pageCompression=int(compress), invariant=1)
    canvas.setTitle("Wallwright pit report")
    pages = _Pages(canvas, landscape(A4)[1], f"Pit report of floor {report.floor}")
    pages.line(f"Pit report: floor {report.floor}", 14.0)
    pages.line(f"{_time(report.window.begin)} to {_time(report.window.end)} UTC")
    pages.line(f"Made {_time(report.made)} UTC. Times in operation, MTBA and MTTA are of the")
    pages.line("table's clock. MTBA: mean time between assists. MTTA: mean time to assist.")
    pages.line("")
    rows = [_figures("Whole room", report.figures.room)]
    rows += [_figures(_title(table), table.figures) for table in report.figures.tables]
    pages.table(_FIGURES, rows, bold_first=True)
    pages.line("")
    pages.line(f"Incidents: {len(report.incidents) + report.missing}", 11.0)
    pages.table(_INCIDENTS, [_incident(each) for each in report.incidents[:MOST_INCIDENTS]])
    left_out = len(report.incidents) + report.missing - MOST_INCIDENTS
    if left_out > 0:
        pages.line(f"{left_out} further incidents are left out; the CSV file has more.")
    pages.end()
    return file.getvalue()


class _Pages:
    """Draws lines and tables down the page, and begins a new page where the last one ends."""

    def __init__(self, canvas: Any, height: float, title: str) -> None:
        self._canvas, self._height, self._title = canvas, height, title
        self._y, self._number = height - _MARGIN, 1

    def line(self, text: str, size: float = _SIZE) -> None:
        self._room(size + 4)
        self._text(_MARGIN, text, size)
        self._y -= size + 5

    def table(
        self,
        columns: Sequence[tuple[str, float]],
        rows: Sequence[Sequence[str]],
        *,
        bold_first: bool = False,
    ) -> None:
        self._head(columns)
        for number, row in enumerate(rows):
            if self._room(_LEADING):
                self._head(columns)
            if bold_first and number == 0:
                self._shade(columns)
            self._row(columns, row)

    def end(self) -> None:
        self._foot()
        self._canvas.save()

    def _head(self, columns: Sequence[tuple[str, float]]) -> None:
        self._canvas.setFont("Helvetica-Bold", _SIZE)
        x = _MARGIN
        for name, width in columns:
            self._canvas.drawString(x, self._y, name)
            x += width
        self._canvas.line(_MARGIN, self._y - 3, x, self._y - 3)
        self._y -= _LEADING + 2

    def _shade(self, columns: Sequence[tuple[str, float]]) -> None:
        self._canvas.setFillGray(0.92)
        width = sum(width for _, width in columns)
        self._canvas.rect(_MARGIN - 2, self._y - 3, width, _LEADING, 0, 1)
        self._canvas.setFillGray(0)

    def _row(self, columns: Sequence[tuple[str, float]], row: Sequence[str]) -> None:
        x = _MARGIN
        for (_, width), text in zip(columns, row, strict=True):
            self._text(x, _fitting(text, width - 6, self._width), _SIZE)
            x += width
        self._y -= _LEADING

    def _text(self, x: float, text: str, size: float) -> None:
        drawn = self._canvas.beginText(x, self._y)
        for font, run in font_runs(text):
            drawn.setFont(font, size)
            drawn.textOut(run)
        self._canvas.drawText(drawn)

    def _width(self, text: str) -> float:
        runs = font_runs(text)
        return float(sum(self._canvas.stringWidth(run, font, _SIZE) for font, run in runs))

    def _room(self, needed: float) -> bool:
        """Begin a new page if the present one has no room left; returns whether it did."""
        if self._y - needed > _MARGIN:
            return False
        self._foot()
        self._canvas.showPage()
        self._y = self._height - _MARGIN
        self._number += 1
        return True

    def _foot(self) -> None:
        present, self._y = self._y, _MARGIN - 16
        self._text(_MARGIN, f"{self._title} - page {self._number}", 7.0)
        self._y = present


def _fitting(text: str, width: float, measured: Callable[[str], float]) -> str:
    """The text, shortened to a width in points."""
    text = text[:200]
    if measured(text) <= width:
        return text
    while text and measured(text + "...") > width:
        text = text[:-1]
    return text + "..."


def _title(table: NamedFigures) -> str:
    """The title; the mark of a retired table comes first, because a long title is shortened."""
    return table.title if table.retired is None else f"(retired) {table.title}"


def _figures(name: str, figures: TableFigures) -> list[str]:
    return [
        name,
        str(figures.rounds),
        _number(figures.rounds_per_hour),
        _duration(figures.operating_s),
        _duration(figures.mtba),
        _duration(figures.mtta),
        str(figures.assists),
        str(figures.tiles),
        str(figures.jams),
        _number(figures.tiles_per_jam),
        str(sum(figures.faults.values())),
        _duration(figures.out_of_play_s),
    ]


def _incident(each: Incident) -> list[str]:
    return [
        _time(each.began),
        each.title,
        each.kind,
        each.code,
        each.part,
        each.sentence,
        _duration(each.seconds),
        each.ending or "open",
        each.acknowledged,
    ]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _time(at: datetime) -> str:
    return at.isoformat(sep=" ", timespec="seconds").removesuffix("+00:00")
