"""The floor person's tool: a case in a file, a verdict on the screen."""

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
    """A file with the case WZ-09 of the rules."""
    path = folder / "case.yaml"
    path.write_text(WZ_09.format(by=by, discarder=discarder), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("by", "discarder", "name", "multiplier", "paid"),
    [("discard", "discarder: 2", "soft", 1, [1, 1, 2]), ("self", "", "self-draw", 2, [2, 2, 4])],
)
def test_a_verdict_says_the_class_and_every_payment(
    by: str,
    discarder: str,
    name: str,
    multiplier: int,
    paid: list[int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["judge", "wenzhou", case(tmp_path, by, discarder), "--json"]) == 0
    events = json.loads(capsys.readouterr().out)
    assert set(events) == {"legal", "win", "name", "multiplier", "payments", "reasons"}
    assert (events["legal"], events["win"]) == (True, True)
    assert (events["name"], events["multiplier"]) == (name, multiplier)
    assert sorted(payment["amount"] for payment in events["payments"]) == paid
    assert all(payment.keys() == {"from", "to", "amount", "why"} for payment in events["payments"])


def test_a_verdict_is_a_page_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", "wenzhou", case(tmp_path, "self")]) == 0
    assert "The claim stands. self-draw x2" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("dealer: 0", "dealer: 4"), "There is no seat 4; seats are 0 to 3"),
        (("seat: 1", "seet: 1"), "seet: is a key that nobody reads ('seet'). Did you mean 'seat'?"),
        (("tile: 9s", "tile: 9x"), "'9x'"),
    ],
)
def test_a_case_that_cannot_be_is_told_with_its_line(
    change: tuple[str, str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(case(tmp_path, "self"))
    path.write_text(path.read_text().replace(*change), encoding="utf-8")
    assert main(["judge", "wenzhou", str(path)]) == 2
    events = capsys.readouterr()
    assert events.out == ""
    assert says in events.err
    assert events.err.startswith(str(path))


@pytest.mark.parametrize("game", ["wenzhou", "muggins", "backgammon"])
def test_the_example_that_is_printed_can_be_judged(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["judge", game, "--example"]) == 0
    path = tmp_path / "case.yaml"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["judge", game, str(path)]) == 0


def test_without_a_case_the_example_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", "wenzhou"]) == 2
    assert "'wallwright judge wenzhou --example' prints one" in capsys.readouterr().err
    assert main(["judge", "wenzhou", "case.yaml", "--example"]) == 2
    assert "--example judges nothing" in capsys.readouterr().err


def test_the_multiplier_of_a_false_win_is_in_the_facts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(case(tmp_path, "self"))
    path.write_text(path.read_text("utf-8").replace("tile: 9s", "tile: 4z"), encoding="utf-8")
    assert main(["judge", "wenzhou", str(path), "--json"]) == 0
    events = json.loads(capsys.readouterr().out)
    assert (events["name"], events["multiplier"]) == ("false win", 2)
    assert sorted(payment["amount"] for payment in events["payments"]) == [2, 2, 4]
