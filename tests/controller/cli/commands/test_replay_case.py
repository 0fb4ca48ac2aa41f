"""`wallwright replay --case`: a case for `wallwright judge` from a recorded hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.controller.cli.conftest import Wallwright


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of three hands of block, played by simulated people."""
    from controller.cli import main  # noqa: PLC0415

    file = tmp_path_factory.mktemp("record") / "evening.jsonl"
    line = f"run --game block --play --rounds 3 --seed 7 --record {file}"
    assert main(line.split()) == 0
    return file


def test_the_case_of_each_hand_is_judged_as_the_record_is_replayed(
    record: Path, tmp_path: Path, wallwright: Wallwright
) -> None:
    replayed = [json.loads(line) for line in wallwright(f"replay {record} --json").out.splitlines()]
    for number, hand in enumerate(replayed, 1):
        case = tmp_path / f"{number}.yaml"
        result = wallwright(f"replay {record} --case {case} --hand {number}")
        assert (result.code, result.err) == (0, "")
        assert result.out == f"{case} written; 'wallwright judge block {case}' judges it.\n"
        assert case.read_text("utf-8").startswith(f"# Hand {number} of evening.jsonl, which")
        verdict = wallwright(f"judge block {case} --json").json
        assert verdict["legal"] is True
        assert verdict["name"] == hand["name"]
        assert verdict["payments"] == hand["payments"]


def test_the_last_hand_is_the_default(record: Path, tmp_path: Path, wallwright: Wallwright) -> None:
    last, third = tmp_path / "last.yaml", tmp_path / "third.yaml"
    wallwright(f"replay {record} --case {last}")
    wallwright(f"replay {record} --case {third} --hand 3")
    assert last.read_text("utf-8") == third.read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--case {old}", "exists already; name another file."),
        ("--case {new} --hand 4", "`--hand` must be 1 to 3, the hands of"),
        ("--case {new} --hand 0", "`--hand` must be 1 to 3, the hands of"),
        ("--hand 1", "`--hand` is for a case; add --case FILE, or leave it out."),
        ("--seat 1", "`--seat` is for a case; add --case FILE, or leave it out."),
        ("--case /nonexistent/case.yaml", "cannot be written (No such file or directory)"),
    ],
)
def test_a_case_that_cannot_be_written_is_refused(
    options: str, sentence: str, record: Path, tmp_path: Path, wallwright: Wallwright
) -> None:
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    old.write_text("kept", "utf-8")
    result = wallwright(f"replay {record} {options.format(old=old, new=new)}")
    assert (result.code, result.out) == (2, "")
    assert sentence in result.err
    assert old.read_text("utf-8") == "kept" and not new.exists()
