"""Tests the fault catalogue: every fault has one complete row, and every row can occur."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from config.recovery_limits import DEFAULTS
from controller.run.faults.catalogue import CATALOGUE, STOP, Fault, FaultRow, Who, latched
from controller.run.faults.failures import TableFault
from firmware_bridge.board import FaultCode

HOUSE = Path(__file__).parents[4]
ROWS = list(CATALOGUE.values())


def used_in_the_code() -> set[str]:
    """Return the codes that appear as `Fault.CODE` in the controller, outside the catalogue."""
    return {
        node.attr
        for file in (HOUSE / "controller").rglob("*.py")
        if "catalogue" not in file.parts
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "Fault"
    }


def test_every_fault_has_its_row() -> None:
    assert set(CATALOGUE) == set(Fault)


@pytest.mark.slow
def test_every_fault_is_raised_somewhere_or_latched_by_a_board() -> None:
    used = used_in_the_code()
    assert not [row.code for row in ROWS if row.latched is None and row.code not in used]


def test_no_two_rows_have_the_same_title_or_description() -> None:
    assert len({row.title for row in ROWS}) == len({row.fault.value for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.code)
def test_a_row_has_all_its_texts(row: FaultRow) -> None:
    texts = (row.title, row.expected, row.instead, row.cause, row.automatic, row.please)
    assert all(text.strip() == text != "" for text in texts)
    assert row.please[:1].isupper() and row.please.endswith(".")
    assert row.who in Who


@pytest.mark.parametrize("row", [row for row in ROWS if row.limits], ids=lambda row: row.code)
def test_a_prompt_names_the_part_and_permits_the_answer_stop(row: FaultRow) -> None:
    assert row.example in row.request(row.example)
    assert row.answers[0] != STOP and STOP in row.answers


def test_limits_exist_only_for_faults_of_the_catalogue() -> None:
    assert set(DEFAULTS) <= {fault.name for fault in Fault}


def test_a_prompt_uses_an_article_only_for_parts_without_a_number() -> None:
    row = CATALOGUE[Fault.JAM]
    assert "at head 2 out" in row.request("head 2")
    assert "at the drum out" in row.request("drum")


@pytest.mark.parametrize("code", FaultCode)
def test_every_fault_code_of_a_board_has_a_row(code: FaultCode) -> None:
    assert CATALOGUE[latched(code)].latched is code


def test_a_table_fault_has_its_row_and_its_cure() -> None:
    fault = TableFault(Fault.LIFT, "lift 2", "lift2_up gave no signal")
    assert fault.row is CATALOGUE[Fault.LIFT]
    assert fault.cure == "Take the tile beside the wall on lift 2 away."
