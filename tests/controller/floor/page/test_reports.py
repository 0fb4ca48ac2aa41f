from __future__ import annotations

import csv
import io
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert, update

from controller.floor.figures.table_figures import Window
from controller.floor.page import pit_report
from controller.floor.page.pit_report import PitReport, read_report, report_csv, safe_cell
from controller.floor.page.pit_report_pdf import report_pdf
from controller.floor.store.schema import ACKNOWLEDGEMENTS, TABLES
from tests.controller.floor.figures.stored_logs import NOON, Happened, happened
from tests.controller.floor.page.fake_floor import HOSTILE, NOW, fake_floor

JAM = {"code": "JAM", "part": "head 2", "evidence": "=HYPERLINK(1)", "role": "attendant"}
EVENING = [
    happened(0, "power_up"),
    happened(1, "run_started"),
    happened(600, "set_built", counted=136),
    happened(700, "operator_prompted", **JAM),
    happened(760, "prompt_answered", **JAM),
    happened(900, "fault", code="LIFT", part="lift 2", evidence="stuck"),
    happened(1500, "run_started"),
    happened(1800, "operator_prompted", **JAM),
]


def report_of(
    folder: Path,
    events: list[Happened],
    title: str = "Table 1",
    retired: datetime | None = None,
) -> PitReport:
    folder.mkdir(exist_ok=True)
    floor = fake_floor(folder)
    floor.store("t1", events, title)
    with floor.engine.begin() as connection:
        row = {"log_id": 1, "number": 3, "at": NOW, "who": "Ann", "note": ""}
        connection.execute(insert(ACKNOWLEDGEMENTS).values(row))
        connection.execute(update(TABLES).values(retired=retired))
        report = read_report(connection, "main", Window(NOON, NOON + timedelta(hours=1)), NOW)
    floor.worker.close()
    floor.engine.dispose()
    return report


def test_each_incident_has_its_end_its_duration_and_who_acknowledged_it(tmp_path: Path) -> None:
    report = report_of(tmp_path, EVENING)
    found = [
        (each.kind, each.code, each.seconds, each.ending, each.acknowledged)
        for each in report.incidents
    ]
    assert found == [
        ("prompt", "JAM", 60, "answered", "Ann"),
        ("fault", "LIFT", 600, "restarted", ""),
        ("prompt", "JAM", None, "", ""),
    ]


def test_the_retirement_of_a_table_ends_its_fault_and_its_time_out_of_play(tmp_path: Path) -> None:
    report = report_of(tmp_path, EVENING[:6], retired=NOON + timedelta(seconds=1200))
    assert [(each.code, each.seconds, each.ending) for each in report.incidents] == [
        ("JAM", 60, "answered"),
        ("LIFT", 300, "retired"),
    ]
    (table,) = report.figures.tables
    assert (table.retired, table.figures.out_of_play_s) == (NOON + timedelta(seconds=1200), 300)
    (later,) = report_of(
        tmp_path / "later", EVENING[:6], retired=NOON + timedelta(hours=3)
    ).incidents[1:]
    assert (later.seconds, later.ending) == (None, "")  # open at the end of the report


def test_the_csv_has_the_room_each_table_and_the_incidents(tmp_path: Path) -> None:
    text = report_csv(report_of(tmp_path, EVENING))
    assert text.startswith("\ufeff")
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))
    head = rows.index(next(row for row in rows if row[:2] == ["table", "title"]))
    whole = dict(zip(rows[head], rows[head + 1], strict=True))
    assert (whole["title"], whole["tiles"], whole["assists"]) == ("whole room", "136", "1")
    assert whole["mtta_s"] == "60.0"
    assert rows[head + 2][:2] == ["t1", "Table 1"]
    incidents = rows[-3:]
    assert [row[-2] for row in incidents] == ["answered", "restarted", "open"]


@pytest.mark.parametrize(
    "text", ["=CMD()", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\uff1d1", "\n@x"]
)
def test_no_text_of_a_table_becomes_a_formula_of_a_spreadsheet(text: str) -> None:
    assert safe_cell(text).startswith("'")


@pytest.mark.parametrize("text", ["Table 1", "", "a=b", "1-2", HOSTILE, "牌卓 3"])
def test_other_texts_are_written_as_they_are(text: str) -> None:
    assert safe_cell(text) == text


def test_a_cell_has_no_control_characters() -> None:
    assert safe_cell("a\r\nb\x00c\u202ed") == "a  b c d"


def test_hostile_titles_and_evidence_stay_in_their_cells(tmp_path: Path) -> None:
    title = '=cmd|"/c calc"!A1",\r\n"x'
    rows = list(csv.reader(io.StringIO(report_csv(report_of(tmp_path, EVENING, title)))))
    cells = [cell for row in rows for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert "'" + title.replace("\r\n", "  ") in cells


def test_the_pdf_names_the_room_the_tables_and_the_incidents(tmp_path: Path) -> None:
    report = report_of(tmp_path, EVENING)
    drawn = report_pdf(report, compress=False).decode("latin-1")
    for text in ("Pit report: floor main", "Whole room", "Table 1", "JAM", "answered", "Ann"):
        assert text in drawn
    assert len(re.findall(r"/Type /Page\b", drawn)) == 1


def test_a_long_pdf_has_several_pages_each_with_its_number(tmp_path: Path) -> None:
    many = [
        happened(n, "fault", code="LIFT", part=f"lift {n}", evidence=HOSTILE) for n in range(90)
    ]
    drawn = report_pdf(report_of(tmp_path, many, "牌卓 \u0007"), compress=False)
    text = drawn.decode("latin-1")
    pages = len(re.findall(r"/Type /Page\b", text))
    assert pages >= 3
    assert f"page {pages}" in text


def test_a_report_says_how_many_incidents_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pit_report, "MOST_INCIDENTS", 2)
    report = report_of(tmp_path, EVENING)
    assert (len(report.incidents), report.missing) == (2, 1)
    assert report_csv(report).endswith("1 further incidents are left out\r\n")


def test_the_same_report_is_the_same_file(tmp_path: Path) -> None:
    report = report_of(tmp_path, EVENING)
    assert report_pdf(report) == report_pdf(report)
