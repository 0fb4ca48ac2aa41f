"""The map to a casino host's codes has a row for each event, fault and command of a table."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from controller.casino.host_map import COMMANDS, EVENTS, FAULTS, G2S, OTHERS, SAS, row_of, sections
from controller.cli import main
from controller.events.lookups import RECORDED
from controller.records.audit.log.audit_log import CLOCK_JUMPED
from controller.records.audit.log.key_chain import KEY_ROTATED, LOG_BEGUN
from controller.records.audit.receipts import RECEIPT
from controller.records.backup.restoring import BACKUP_RESTORED
from controller.run.faults.catalogue import Fault
from controller.service.commands import BY_NAME
from controller.web.api.endpoints import ENDPOINTS

HOUSE = Path(__file__).parents[3]
ROWS = [row for rows in sections().values() for row in rows]
RECORDING = {"record", "entry", "_entry"}
"""The functions whose first argument is the name of an event of the audit log."""


def names_in(file: Path) -> set[str]:
    """Return the names of events that a file gives to the audit log as texts."""
    calls = (
        node
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call) and node.args
    )
    return {
        part.value
        for call in calls
        if getattr(call.func, "attr", getattr(call.func, "id", "")) in RECORDING
        for part in _choices(call.args[0])
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    }


def _choices(argument: ast.expr) -> tuple[ast.expr, ...]:
    """Return an argument, or both values of an `a if ... else b`."""
    if isinstance(argument, ast.IfExp):
        return argument.body, argument.orelse
    return (argument,)


def test_every_significant_event_of_a_table_has_a_row() -> None:
    assert set(EVENTS) >= RECORDED


def test_every_event_that_a_source_file_records_has_a_row() -> None:
    folders = ("records/audit", "records/backup", "service", "proof/chaos", "cli/commands/audit")
    found = {
        name
        for folder in folders
        for file in (HOUSE / "controller" / folder).rglob("*.py")
        for name in names_in(file)
    }
    assert {
        "power_up",
        "service_stopped",
        "configuration_read",
        "audit_recovered",
        "lid_opened",
    } <= found
    found |= {CLOCK_JUMPED, KEY_ROTATED, LOG_BEGUN, RECEIPT, BACKUP_RESTORED}
    assert found - set(EVENTS) == set()


def test_every_request_that_the_audit_log_records_has_a_row_also_if_it_is_refused() -> None:
    recorded = {
        each.name
        for each in ENDPOINTS
        if each.method != "GET" and not each.reads and each.name != "give_command"
    }
    assert "login" in recorded
    for name in recorded:
        assert row_of(name) is not None
        assert row_of(f"{name}_refused") is row_of(name)
    assert row_of("unheard_of") is None


def test_the_map_and_the_page_about_the_audit_log_list_the_same_events() -> None:
    text = (HOUSE / "docs" / "regulate" / "AUDIT.md").read_text("utf-8")
    table = text.partition("## Recorded events")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    listed = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    assert listed == set(EVENTS)


def test_every_fault_and_every_command_has_a_row_of_its_own_name() -> None:
    assert {fault.name: row.what for fault, row in FAULTS.items()} == {
        fault.name: fault.name for fault in Fault
    }
    assert set(COMMANDS) == set(BY_NAME)


def test_a_row_without_a_code_of_a_protocol_says_why() -> None:
    assert [row.what for row in ROWS if not (row.sas and row.g2s) and len(row.note) < 20] == []


def test_a_fault_always_reaches_the_host_in_both_protocols() -> None:
    assert [row.what for row in FAULTS.values() if not (row.sas and row.g2s)] == []


def test_every_code_has_a_meaning_and_every_meaning_is_used() -> None:
    assert {code for row in ROWS for code in row.sas} == set(SAS)
    assert {code for row in ROWS for code in row.g2s} == set(G2S)
    assert all(re.fullmatch(r"[1-9A-F][0-9A-F]", code) for code in SAS)
    assert all(re.fullmatch(r"G2S_[A-Z]{3}\d{3}", code) for code in G2S)


def test_no_code_reports_money_or_an_opened_door_in_each_round() -> None:
    money = {f"{number:02X}" for number in (*range(0x21, 0x30), *range(0x47, 0x58), 0x66, 0x69)}
    assert not money & {code for row in ROWS for code in row.sas}
    assert "11" not in {code for row in EVENTS.values() for code in row.sas}


def test_names_of_events_faults_and_commands_are_unique() -> None:
    for rows in sections().values():
        names = [row.what for row in rows]
        assert len(set(names)) == len(names)
    assert not {row.what for row in OTHERS} & set(EVENTS)


def test_the_command_prints_the_map_as_json_with_meanings(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["casino", "map", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["map_version"] == 1
    by_name = {row["what"]: row for row in printed["events"]}
    assert by_name["power_up"]["sas"] == {"17": "the power came on"}
    assert by_name["settled"]["g2s"] == {"G2S_GPE112": "a game has ended"}
    assert {row["what"] for row in printed["faults"]} == {fault.name for fault in Fault}
    assert {row["what"] for row in printed["commands"]} == set(BY_NAME)


def test_the_command_prints_each_event_with_its_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["casino", "map"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"^ *service_mode_entered +84 +G2S_CBE206", printed, re.MULTILINE)
    assert re.search(r"^ *EMERGENCY +20 ", printed, re.MULTILINE)
