"""The pit report as CSV (RFC 4180): figures of the room and of each table, then the incidents.

A text that begins with = + - @ or a control character would be a formula in a spreadsheet. It
gets an apostrophe before it, which a spreadsheet shows as text.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from datetime import datetime

from controller.floor.figures.table_figures import TableFigures
from controller.floor.page.reports.pit_report import Incident, PitReport

FIGURES = (
    *("table", "title", "rounds", "rounds_per_hour", "operating_s", "mtba_s", "mtta_s", "assists"),
    *("tiles", "jams", "tiles_per_jam", "faults", "out_of_play_s", "retired"),
)
"""Columns of the figures; times in seconds. `retired` is the time at which the table left."""
INCIDENTS = (
    *("table", "title", "kind", "code", "part", "evidence", "began", "ended", "seconds"),
    *("ending", "acknowledged_by"),
)
"""Columns of the incidents; times in UTC."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\x00", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Beginnings of texts that a spreadsheet takes for formulas, also in their wide forms."""


def report_csv(report: PitReport) -> str:
    """Write the report; the file begins with a byte order mark, so that spreadsheets read UTF-8."""
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\r\n")
    rows.writerow(["pit report", safe_cell(report.floor)])
    rows.writerow(["begin", _time(report.window.begin), "end", _time(report.window.end)])
    rows.writerow(["made", _time(report.made)])
    rows.writerow([])
    rows.writerow(FIGURES)
    rows.writerow(_figures("", "whole room", report.figures.room))
    for table in report.figures.tables:
        left = "" if table.retired is None else _time(table.retired)
        rows.writerow(_figures(table.name, table.title, table.figures, left))
    rows.writerow([])
    rows.writerow(INCIDENTS)
    rows.writerows(_incidents(report.incidents))
    if report.missing:
        rows.writerow([f"{report.missing} further incidents are left out"])
    return "\ufeff" + file.getvalue()


def safe_cell(text: str) -> str:
    """A text as a cell that no spreadsheet takes for a formula."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    is_formula = text.startswith(_FORMULA) or printable.lstrip().startswith(_FORMULA)
    return f"'{printable}" if is_formula else printable


def _figures(name: str, title: str, figures: TableFigures, retired: str = "") -> list[object]:
    values = figures.as_json()
    numbers = {**values, "faults": sum(figures.faults.values()), "retired": retired}
    row: list[object] = [safe_cell(name), safe_cell(title)]
    return row + ["" if numbers[key] is None else numbers[key] for key in FIGURES[2:]]


def _incidents(incidents: Iterable[Incident]) -> Iterable[list[object]]:
    for each in incidents:
        texts = (each.table, each.title, each.kind, each.code, each.part, each.sentence)
        yield [
            *map(safe_cell, texts),
            _time(each.began),
            "" if each.ended is None else _time(each.ended),
            "" if each.seconds is None else round(each.seconds, 1),
            each.ending or "open",
            safe_cell(each.acknowledged),
        ]


def _time(at: datetime) -> str:
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")
