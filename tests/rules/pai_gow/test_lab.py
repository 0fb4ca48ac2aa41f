"""`wallwright lab paigow`."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from controller.cli.commands.lab import lab
from rules.errors import RulesError
from rules.games.pai_gow import HOUSE_WAYS

app = typer.Typer()
app.add_typer(lab)


def said(*words: str) -> str:
    run = CliRunner().invoke(app, ["lab", "paigow", *words])
    assert run.exception is None or run.exit_code == 0, run.output
    return run.stdout


def test_both_tables_are_printed_with_counts_and_shares() -> None:
    page = [line.split() for line in said().splitlines()]
    assert ["Gee", "Joon", "1", "0.2016%", "0.2016%"] in page
    assert ["pair", "of", "Teen", "434", "1.2069%", "2.4166%"] in page
    assert ["9", "48", "9.6774%", "17.7419%"] in page
    assert ["9", "11,152", "31.0122%", "69.3437%"] in page


def test_programs_get_them_as_json() -> None:
    told = json.loads(said("--json"))
    assert set(told) == {"two_tiles", "best_high_hand"}
    assert told["two_tiles"][0] == {
        "rank": "Gee Joon",
        "count": 1,
        "of": 496,
        "probability": 0.002016,
    }
    assert sum(row["count"] for row in told["best_high_hand"]) == 35_960


@pytest.mark.slow
def test_house_ways_are_compared_with_the_best_split_of_every_hand() -> None:
    told = json.loads(said("--against", "foxwoods", "--json"))["against"]
    assert told.pop("house_way") == "foxwoods"
    assert set(told) == {"player", "banker"}
    for results in told.values():
        assert set(results) == {*HOUSE_WAYS, "optimum"}
        assert max(results.values()) == results["optimum"]


def test_a_house_way_that_nobody_knows_is_refused() -> None:
    with pytest.raises(RulesError, match="There is no house way 'monaco'"):
        CliRunner().invoke(app, ["lab", "paigow", "--against", "monaco"], catch_exceptions=False)
