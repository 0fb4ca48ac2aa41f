"""Tests that drawing and WireViz document have all supplies of every board and part."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
import yaml

from config.loader import load_table, table_names
from controller.cli import main
from controller.upkeep.wiring import SUPPLY, SupplyRail, fed_parts, leads_of, wireviz_of
from tools.wiring.drawing import Label
from tools.wiring.power import power_sheet
from tools.wiring.svg import SUPPLY_COLOURS, drawing_of

on_every_table = pytest.mark.parametrize("name", table_names())


def overlap(one: Label, other: Label) -> bool:
    (left, top, right, bottom), (left2, top2, right2, bottom2) = one.box, other.box
    return left < right2 and left2 < right and top < bottom2 and top2 < bottom


def test_motors_use_the_motor_supply_and_lamps_and_relays_the_supply_before_the_relay() -> None:
    fed = {each.name: each.supplies for each in fed_parts(load_table("bench"))}
    assert fed["pins: drum"] == (SupplyRail.MOTORS, SupplyRail.GROUND)
    assert fed["pins: tower"] == fed["pins: buzzer"] == (SupplyRail.ALWAYS, SupplyRail.GROUND)
    assert fed["pins: relay 0"] == (SupplyRail.ALWAYS, SupplyRail.LOGIC, SupplyRail.GROUND)
    assert fed["pins: safety"] == (SupplyRail.GROUND,)
    assert fed["board pins"] == (SupplyRail.LOGIC, SupplyRail.GROUND)


@on_every_table
def test_every_part_is_connected_to_ground_and_every_tap_ends_at_its_rail(name: str) -> None:
    table = load_table(name)
    sheet, fed = power_sheet(table), fed_parts(table)
    assert all(SupplyRail.GROUND in each.supplies for each in fed)
    assert len(sheet.joints) == sum(len(each.supplies) for each in fed)
    taps = {rail.corners[1]: rail.supply for rail in sheet.rails if is_level(rail.corners)}
    assert {(joint.x, joint.y): joint.supply for joint in sheet.joints} == taps
    assert len({joint.y for joint in sheet.joints}) == len(sheet.joints)


def is_level(corners: tuple[tuple[float, float], ...]) -> bool:
    return len({y for _, y in corners}) == 1


@on_every_table
def test_no_text_is_written_over_other_text_and_all_text_is_inside_the_sheet(name: str) -> None:
    sheet = power_sheet(load_table(name))
    assert not [pair for pair in combinations(sheet.labels, 2) if overlap(*pair)]
    for label in sheet.labels:
        left, top, right, bottom = label.box
        assert left >= 0 and top >= 0 and right <= sheet.width and bottom <= sheet.height, label


@on_every_table
def test_the_drawing_contains_the_supply_rails(name: str) -> None:
    drawn = drawing_of(load_table(name))
    assert "power and ground" in drawn
    assert SUPPLY_COLOURS[SupplyRail.GROUND] in drawn


@on_every_table
def test_the_wireviz_document_connects_existing_contacts_each_once(name: str) -> None:
    table = load_table(name)
    document = yaml.safe_load(wireviz_of(table))
    connectors, cables = document["connectors"], document["cables"]
    used: list[tuple[str, object]] = []
    for near, cable, far in document["connections"]:
        ((from_, pins),) = near.items()
        ((through, wires),) = cable.items()
        ((to, contacts),) = far.items()
        assert len(pins) == len(wires) == len(contacts) == cables[through]["wirecount"]
        for connector, numbers in ((from_, pins), (to, contacts)):
            there = connectors[connector]
            known = there.get("pins", list(range(1, len(there["pinlabels"]) + 1)))
            assert set(numbers) <= set(known), connector
        used += [(from_, pin) for pin in pins if from_ != SUPPLY] + [(to, pin) for pin in contacts]
    assert len(used) == len(set(used))
    for board in leads_of(table):
        assert {(board.name, lead.pin) for lead in board.leads} <= set(used)
        assert {(board.name, "5V"), (board.name, "GND")} <= set(used)


def test_the_command_writes_the_document_to_a_file_or_refuses_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "arm.yml"
    assert main(["wiring", "robotic", "--wireviz", str(file), "--board", "arm"]) == 0
    connectors = yaml.safe_load(file.read_text("utf-8"))["connectors"]
    assert "arm gantry" in connectors and "base" not in connectors
    capsys.readouterr()
    assert main(["wiring", "bench", "--wireviz", "/no/such/folder/bench.yml"]) == 2
    assert capsys.readouterr().err == (
        "The WireViz document cannot be written to '/no/such/folder/bench.yml' (No such file or"
        " directory); name a writable file.\n"
    )
