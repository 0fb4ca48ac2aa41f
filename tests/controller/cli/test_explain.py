"""`wallwright explain`: a code in plain words, all codes, or the nearest ones."""

from __future__ import annotations

import json

import pytest

from controller.cli import main
from controller.faults.catalogue import Fault


def test_a_code_is_explained_in_plain_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "JAM"]) == 0
    said = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "JAM: Jam at a head" in said
    assert "Take the tile that is stuck at the head out and put it back into the drum." in said
    assert "tries again 3 times by itself, then asks 3 times" in said
    assert "who may clear it attendant" in said


@pytest.mark.parametrize("code", ["both_switches", "Both-Switches"])
def test_a_code_may_be_written_as_people_write(
    code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", code]) == 0
    assert "latched by the board" in capsys.readouterr().out


def test_without_a_code_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 0
    said = capsys.readouterr().out
    assert all(f" {fault.name} " in said for fault in Fault)


def test_programs_get_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "LIFT", "--json"]) == 0
    events = json.loads(capsys.readouterr().out)
    assert (events["code"], events["limits"]["retries"], events["who"]) == ("LIFT", 1, "attendant")
    assert main(["explain", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == len(Fault)


def test_an_unknown_code_leads_to_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "STARVD"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("There is no fault 'STARVD'; the nearest codes are STARVED")
