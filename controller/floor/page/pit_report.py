"""The pit report: figures of each table, and each fault and prompt with its end, also as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, select

from controller.floor.figures import stored_events
from controller.floor.figures.alarms import details_of_line, short_text
from controller.floor.figures.table_figures import TableFigures, Window, utc
from controller.floor.page.figures_source import RoomFigures, read_room_figures
from controller.floor.store.schema import ACKNOWLEDGEMENTS, EVENTS, LOGS, TABLES
from controller.floor.store.table_changes import SHOWN_TITLE

MOST_INCIDENTS = 5000
"""Incidents in one report: the first ones; the report says how many are missing."""
_SHOWN = (stored_events.FAULT, *stored_events.PROMPTS, stored_events.RUN, stored_events.START)


@dataclass(frozen=True)
class Incident:
    """A fault or a prompt about one. `ended` is None if it was open at the end of the report.

    `ending` is `answered`, `withdrawn`, `restarted`, `retired`, or empty; `acknowledged` names the
    person.
    """

    table: str
    title: str
    kind: str
    code: str
    part: str
    sentence: str
    began: datetime
    ended: datetime | None
    ending: str
    acknowledged: str

    @property
    def seconds(self) -> float | None:
        """How long it was open; None if it still was."""
        return None if self.ended is None else max(0.0, (self.ended - self.began).total_seconds())


@dataclass(frozen=True)
class PitReport:
    """The report of one floor. `made` is when it was made; `missing` counts left out incidents."""

    floor: str
    window: Window
    made: datetime
    figures: RoomFigures
    incidents: tuple[Incident, ...]
    missing: int


def read_report(connection: Connection, floor: str, window: Window, now: datetime) -> PitReport:
    """Read the report of a time range from the database."""
    incidents = _read_incidents(connection, floor, window)
    return PitReport(
        floor=floor,
        window=window,
        made=now,
        figures=read_room_figures(connection, floor, window, now),
        incidents=tuple(incidents[:MOST_INCIDENTS]),
        missing=max(0, len(incidents) - MOST_INCIDENTS),
    )


def _read_incidents(connection: Connection, floor: str, window: Window) -> list[Incident]:
    """The incidents that began in the time range, in the order in which they began."""
    query = (
        select(
            EVENTS.c.log_id,
            EVENTS.c.number,
            EVENTS.c.at,
            EVENTS.c.what,
            EVENTS.c.line,
            TABLES.c.name,
            SHOWN_TITLE.label("title"),
            TABLES.c.retired,
        )
        .join(LOGS, LOGS.c.id == EVENTS.c.log_id)
        .join(TABLES, TABLES.c.id == LOGS.c.table_id)
        .where(
            TABLES.c.floor == floor,
            EVENTS.c.what.in_(_SHOWN),
            EVENTS.c.at >= window.begin,
            EVENTS.c.at < window.end,
        )
        .order_by(EVENTS.c.log_id, EVENTS.c.number)
    )
    marks = _acknowledgements(connection, window)
    reading = _Incidents(marks)
    retired: dict[int, datetime] = {}
    for row in connection.execute(query):
        reading.take(row.log_id, row.number, utc(row.at), row.what, row.line, row.name, row.title)
        if row.retired is not None and utc(row.retired) < window.end:
            retired[row.log_id] = utc(row.retired)
    for log, at in retired.items():
        reading.end_all(log, at, "retired")
    return sorted(reading.found, key=lambda incident: incident.began)


def _acknowledgements(connection: Connection, window: Window) -> Mapping[tuple[int, int], str]:
    query = select(
        ACKNOWLEDGEMENTS.c.log_id, ACKNOWLEDGEMENTS.c.number, ACKNOWLEDGEMENTS.c.who
    ).where(ACKNOWLEDGEMENTS.c.at >= window.begin)
    return {(row.log_id, row.number): row.who for row in connection.execute(query)}


class _Incidents:
    """Pairs each incident with the event of its log that ends it."""

    def __init__(self, acknowledged: Mapping[tuple[int, int], str]) -> None:
        self._acknowledged = acknowledged
        self._open: dict[int, dict[tuple[str, str, str], int]] = {}
        self.found: list[Incident] = []

    def take(
        self, log: int, number: int, at: datetime, what: str, line: str, name: str, title: str
    ) -> None:
        if what in (stored_events.START, stored_events.RUN):
            self.end_all(log, at, "restarted")
            return
        present = self._open.setdefault(log, {})
        details = details_of_line(line)
        code, part = short_text(details, "code"), short_text(details, "part")
        about = ("fault" if what == stored_events.FAULT else "prompt", code, part)
        before = present.pop(about, None)
        if before is not None and what != stored_events.FAULT:
            self._end(before, at, "answered" if what == stored_events.ANSWER else "withdrawn")
        if what in (stored_events.FAULT, stored_events.PROMPT):
            present[about] = len(self.found)
            sentence = short_text(details, "evidence", 500)
            who = self._acknowledged.get((log, number), "")
            self.found.append(
                Incident(*(name, title, about[0], code, part, sentence, at, None, "", who))
            )

    def end_all(self, log: int, at: datetime, ending: str) -> None:
        """End every open incident of a log."""
        for place in self._open.pop(log, {}).values():
            self._end(place, at, ending)

    def _end(self, place: int, at: datetime, ending: str) -> None:
        before = self.found[place]
        self.found[place] = replace(before, ended=at, ending=ending)


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
