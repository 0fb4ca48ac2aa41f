"""Tests that docs/build/BENCH.md lists the wires of its table, and that the table works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from config.loader import check_file
from config.schema import Table
from controller.cli import main
from controller.upkeep.wiring import leads_of

HOUSE = Path(__file__).parent.parent
PAGE = HOUSE / "docs" / "build" / "BENCH.md"
TEXT = PAGE.read_text("utf-8")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    """Return the table of the page, loaded from a file with the name that the page uses."""
    (block,) = re.findall(r"^```yaml\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    Path("first_drum.yaml").write_text(block, encoding="utf-8")
    table = check_file(Path("first_drum.yaml"))
    assert isinstance(table, Table)
    return table


def test_the_list_of_wires_has_every_pin_of_the_table_and_no_other(table: Table) -> None:
    (board,) = leads_of(table)
    listed = {
        int(pin)
        for row in re.findall(r"^\| (pins? .*?) \|", TEXT, re.MULTILINE)
        for pin in re.findall(r"\b(\d+)\b", row)
    }
    taken = {each.pin for each in board.fixed if each.taken} - {0, 1}
    assert listed == {lead.pin for lead in board.leads} | taken


@pytest.mark.usefixtures("table")
def test_the_drum_of_the_page_turns_in_the_simulation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--table", "first_drum.yaml", "--game", "block"]) == 0
    assert re.search(r"^faults +0 *$", capsys.readouterr().out, re.MULTILINE)
