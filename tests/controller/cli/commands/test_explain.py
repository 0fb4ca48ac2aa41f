"""`wallwright explain`: explains one fault code, or lists all of them."""

from __future__ import annotations

import json

import pytest

from controller.cli import main
from controller.run.faults.catalogue import Fault


def test_the_code_of_a_fault_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "JAM"]) == 0
    printed = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "JAM: Jam at a head" in printed
    assert "Take the tile that is stuck at the head out and put it back into the drum." in printed
    assert "tries again 3 times by itself, then asks 3 times" in printed
    assert "who may clear it attendant" in printed


@pytest.mark.parametrize("code", ["both_switches", "Both-Switches"])
def test_a_code_is_accepted_in_lower_case_and_with_a_hyphen(
    code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", code]) == 0
    assert "latched by the board" in capsys.readouterr().out


def test_without_a_code_all_faults_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 0
    printed = capsys.readouterr().out
    assert all(f" {fault.name} " in printed for fault in Fault)


def test_an_explanation_is_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "LIFT", "--json"]) == 0
    explanation = json.loads(capsys.readouterr().out)
    assert list(explanation) == [
        "code", "title", "meaning", "expected", "instead", "cause", "automatic", "request",
        "answers", "role", "limits", "latched",
    ]  # fmt: skip
    assert (explanation["code"], explanation["role"]) == ("LIFT", "attendant")
    assert explanation["limits"]["retries"] == 1
    assert main(["explain", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == len(Fault)


def test_the_error_for_an_unknown_code_names_similar_codes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["explain", "STARVD"]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("There is no fault 'STARVD'; similar codes are STARVED")
