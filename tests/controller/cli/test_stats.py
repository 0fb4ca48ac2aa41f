"""`wallwright stats`: a journal's figures, for people and for programs; nothing is changed."""

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


def test_programs_get_json(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = journal.read_bytes()
    assert main(["stats", str(journal), "--json"]) == 0
    events = json.loads(capsys.readouterr().out)
    assert (events["rounds"], events["sets"], events["assists"]) == (2, 3, 1)
    assert events["tiles_per_jam"] == 3 * 136
    assert events["faults"]["JAM"]["clears"] == 1
    assert journal.read_bytes() == before


def test_people_get_words(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", str(journal)]) == 0
    said = capsys.readouterr().out
    assert "408 in 3 sets" in said
    assert "JAM" in said


def test_a_journal_that_is_not_there_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stats", str(tmp_path / "none.journal")]) == 2
    assert capsys.readouterr().err.startswith("There is no journal ")
