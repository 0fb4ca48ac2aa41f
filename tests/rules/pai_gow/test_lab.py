"""The command `wallwright lab paigow`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from controller.cli.commands.lab import lab
from rules.errors import RulesError
from rules.games.pai_gow import HOUSE_WAYS, optimum
from tests.quick import tries


def printed(*arguments: str) -> str:
    """The output of the command with these arguments."""
    run = CliRunner().invoke(lab, ["paigow", *arguments])
    assert run.exception is None or run.exit_code == 0, run.output
    return run.stdout


@pytest.mark.slow
def test_both_tables_are_printed_with_counts_and_shares() -> None:
    page = [line.split() for line in printed().splitlines()]
    assert ["Gee", "Joon", "1", "0.2016%", "0.2016%"] in page
    assert ["pair", "of", "Teen", "434", "1.2069%", "2.4166%"] in page
    assert ["9", "48", "9.6774%", "17.7419%"] in page
    assert ["9", "11,152", "31.0122%", "69.3437%"] in page


def test_the_tables_are_printed_as_json() -> None:
    values = json.loads(printed("--json"))
    assert set(values) == {"two_tiles", "best_high_hand"}
    assert values["two_tiles"][0] == {
        "rank": "Gee Joon",
        "count": 1,
        "of": 496,
        "probability": 0.002016,
    }
    assert sum(row["count"] for row in values["best_high_hand"]) == 35_960


@pytest.mark.slow
@pytest.mark.evidence
def test_house_ways_are_compared_with_the_best_split_of_every_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`make test` compares them on each tenth hand, `make evidence` on all hands."""
    hands = tuple(optimum.four_tile_hands().items())[:: tries(10, quick=10, evidence=1)]
    monkeypatch.setattr(optimum, "four_tile_hands", lambda: dict(hands))
    values = json.loads(printed("--against", "foxwoods", "--json"))["against"]
    assert values.pop("house_way") == "foxwoods"
    assert set(values) == {"player", "banker"}
    for results in values.values():
        assert set(results) == {*HOUSE_WAYS, "optimum"}
        assert max(results.values()) == results["optimum"]


def test_an_unknown_house_way_is_refused() -> None:
    with pytest.raises(RulesError, match="There is no house way 'monaco'"):
        CliRunner().invoke(lab, ["paigow", "--against", "monaco"], catch_exceptions=False)
