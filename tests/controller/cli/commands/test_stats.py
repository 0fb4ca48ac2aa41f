"""`wallwright stats`: prints the statistics of a journal, and does not change it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.cli import main


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
    assert journal.read_bytes() == before


def test_statistics_are_printed_for_people(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stats", str(journal)]) == 0
    printed = capsys.readouterr().out
    assert "408 in 3 sets" in printed
    assert "JAM" in printed


def test_a_missing_journal_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", str(tmp_path / "none.journal")]) == 2
    assert capsys.readouterr().err.startswith("There is no journal ")
