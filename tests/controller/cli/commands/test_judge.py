"""`wallwright judge`: reads a case from a file and prints the verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.cli import main

WZ_09 = """\
indicator: 2m
hand: [3m, 4m, 5m, 6m, 7m, 8m, 1p, 2p, 3p, 4p, 5p, 6p, 7s, 2m, 1z, 1z]
tile: 9s
by: {by}
seat: 1
dealer: 0
{discarder}
"""


def case(folder: Path, by: str, discarder: str = "") -> str:
    """Write the case WZ-09 of the rules to a file; returns its path."""
    path = folder / "case.yaml"
    path.write_text(WZ_09.format(by=by, discarder=discarder), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("by", "discarder", "name", "multiplier", "paid"),
    [("discard", "discarder: 2", "soft", 1, [1, 1, 2]), ("self", "", "self-draw", 2, [2, 2, 4])],
)
def test_a_verdict_contains_the_class_and_every_payment(
    by: str,
    discarder: str,
    name: str,
    multiplier: int,
    paid: list[int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["judge", "wenzhou", case(tmp_path, by, discarder), "--json"]) == 0
    verdict = json.loads(capsys.readouterr().out)
    keys = {"legal", "win", "name", "multiplier", "payments", "reasons", "winner"}
    assert set(verdict) == keys and verdict["winner"] == 1
    assert (verdict["legal"], verdict["win"]) == (True, True)
    assert (verdict["name"], verdict["multiplier"]) == (name, multiplier)
    assert sorted(payment["amount"] for payment in verdict["payments"]) == paid
    assert all(payment.keys() == {"from", "to", "amount", "why"} for payment in verdict["payments"])


def test_a_verdict_is_printed_for_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["judge", "wenzhou", case(tmp_path, "self")]) == 0
    assert "The claim is valid. self-draw x2" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("dealer: 0", "dealer: 4"), "There is no seat 4; seats are 0 to 3"),
        (("seat: 1", "seet: 1"), "seet: is an unknown key ('seet'). Did you mean 'seat'?"),
        (("tile: 9s", "tile: 9x"), "'9x'"),
    ],
)
def test_a_defect_of_a_case_is_reported_with_its_line(
    change: tuple[str, str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(case(tmp_path, "self"))
    path.write_text(path.read_text().replace(*change), encoding="utf-8")
    assert main(["judge", "wenzhou", str(path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert says in printed.err
    assert printed.err.startswith(str(path))


@pytest.mark.parametrize("game", ["wenzhou", "muggins", "backgammon"])
def test_the_printed_example_can_be_judged(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["judge", game, "--example"]) == 0
    path = tmp_path / "case.yaml"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["judge", game, str(path)]) == 0


def test_the_error_for_a_missing_case_names_the_option_for_an_example(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["judge", "wenzhou"]) == 2
    error = capsys.readouterr().err
    assert "'wallwright judge wenzhou --example' prints an example" in error
    assert main(["judge", "wenzhou", "case.yaml", "--example"]) == 2
    assert "`--example` prints an example and judges no case" in capsys.readouterr().err


def test_the_multiplier_of_a_false_win_is_in_the_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(case(tmp_path, "self"))
    path.write_text(path.read_text("utf-8").replace("tile: 9s", "tile: 4z"), encoding="utf-8")
    assert main(["judge", "wenzhou", str(path), "--json"]) == 0
    verdict = json.loads(capsys.readouterr().out)
    assert (verdict["name"], verdict["multiplier"]) == ("false win", 2)
    assert sorted(payment["amount"] for payment in verdict["payments"]) == [2, 2, 4]
