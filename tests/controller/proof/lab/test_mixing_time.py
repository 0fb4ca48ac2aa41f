"""The laboratory and the simulated drum: the tables mix long enough, and a short mix is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.cli import main

HOUSE = Path(__file__).parents[4]


def report(table: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, set[str]]:
    """Return the exit code of 80 cycles of pai gow, and the statistics that differ."""
    options = ("--table", table, "--game", "pai_gow", "--cycles", "40", "--seed", "3")
    code = main(["lab", "shuffle", *options, "--json"])
    found = json.loads(capsys.readouterr().out)["statistics"]
    return code, {each["name"] for each in found if each["verdict"] == "differs"}


@pytest.mark.slow
def test_a_table_that_mixes_as_long_as_its_drum_needs_passes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert report("pai_gow", capsys) == (0, set())


@pytest.mark.slow
def test_a_table_that_mixes_for_half_a_second_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "hasty.yaml"
    text = (HOUSE / "config/tables/pai_gow.yaml").read_text("utf-8")
    assert "mix: 25.0" in text
    table.write_text(text.replace("mix: 25.0", "mix: 0.5"), "utf-8")
    code, differing = report(str(table), capsys)
    assert code == 1
    assert {"guessing_by_rule", "set_clustering"} <= differing
