"""`wallwright stats`: prints the statistics of a journal, and does not change it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from controller.cli import main
from controller.run.journal import Journal
from tests.controller.records.audit.logs_for_tests import entry, log_of


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of two rounds in which a head jams."""
    file = tmp_path_factory.mktemp("table") / "table.journal"
    jam = ["--fault", "jam:head2#10~9"]
    assert main(["run", "--rounds", "2", "--seed", "7", "--journal", str(file), *jam]) == 0
    return file


def test_statistics_are_printed_as_json(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = journal.read_bytes()
    assert main(["stats", str(journal), "--json"]) == 0
    statistics = json.loads(capsys.readouterr().out)
    assert (statistics["rounds"], statistics["sets"], statistics["assists"]) == (2, 3, 1)
    assert statistics["tiles_per_jam"] == 3 * 136
    assert statistics["faults"]["JAM"]["clears"] == 1
    base = {"serial": "SIM00000", "used_permille": 0, "rounds": 2, "rounds_left": None}
    assert statistics["storage"] == {"arm": {**base, "serial": "SIM00001"}, "base": base}
    assert journal.read_bytes() == before


def test_statistics_are_printed_for_people(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stats", str(journal)]) == 0
    printed = capsys.readouterr().out
    assert "408 in 3 sets" in printed
    assert "JAM" in printed


def test_R9_starts_lid_openings_and_service_entries_of_the_audit_log_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table.journal"
    Journal(file, "now", {}).close()
    assert main(["stats", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["audit"] is None
    log = log_of(tmp_path / "audit", 1)
    for what in ("power_up", "lid_opened", "power_up", "service_mode_entered", "lid_opened"):
        log.append([entry(log.size, what=what)])
    trick = {"text": '"what":"power_up","who":'}
    log.append([replace(entry(log.size), details=trick, who='"what":"power_up",')])
    log.append([entry(log.size, what="power_up")])
    log.close()
    assert main(["stats", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["audit"] == {
        "events": 9,
        "power_ups": 3,
        "lid_openings": 2,
        "service_entries": 1,
    }
    assert main(["stats", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "3 starts, lid opened 2 times, 1 entries into service mode" in printed


def test_the_storage_life_of_each_board_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table.journal"
    with Journal(file, "now", {}) as journal:
        journal.record_serial("base", "WW000001")
        journal.record_serial("arm", "WW000002")
        for used in (12, 14):
            for _ in range(30):
                journal.confirm(journal.intend("top", 0.0, {"step": "build"}), 0.0, None)
            journal.record_storage(0.0, {"base": used})
            journal.end()
    assert main(["stats", str(file)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    # 30 rounds used less than three permille, and more than 985 permille are left.
    assert ["base", "WW000001", "1.4", "%", "60", "at", "least", "9850"] in lines
    assert ["arm", "WW000002", "unknown", "60", "unknown"] in lines


def test_a_missing_journal_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", str(tmp_path / "none.journal")]) == 2
    assert capsys.readouterr().err.startswith("There is no journal ")
