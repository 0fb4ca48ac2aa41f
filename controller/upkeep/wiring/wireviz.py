"""Writes a table's wiring as a WireViz document: connectors, cables and connections in YAML.

WireViz, a separate program, draws the document and counts the wires. Each board is a connector with
its used pins. Each part of the table is a connector with one cable to the board and one to the
supplies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from config.schema import Table
from controller.upkeep.wiring.leads import (
    BOARD_NEEDS,
    BoardLeads,
    Lead,
    SupplyRail,
    leads_of,
    supplies_of,
)

SUPPLY = "supply"
"""The connector of the supplies: one pin for each rail."""
SUPPLY_PINS = {SupplyRail.LOGIC: "5V", SupplyRail.GROUND: "GND"}
"""The names of a board's contacts for its supplies."""
SIGNAL_MM2, POWER_MM2 = 0.25, 0.75
"""Cross sections of signal and power wires that docs/build/BENCH.md recommends, mm²."""

Document = dict[str, Any]


def wireviz_of(table: Table, boards: Sequence[BoardLeads] | None = None) -> str:
    """The document of a table's wiring; with `boards`, of these boards only."""
    chosen = leads_of(table) if boards is None else boards
    document: Document = {
        "metadata": {"title": f"{table.title} ({table.name})"},
        "connectors": {SUPPLY: _connector("supply", [each.value for each in SupplyRail])},
        "cables": {},
        "connections": [],
    }
    for board in chosen:
        _add_board(document, board)
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)


def _add_board(document: Document, board: BoardLeads) -> None:
    """Add the connector of a board and its parts.

    WireViz finds contacts by `pins`: the numbers of the board's pins, and names for the supplies.
    """
    contacts = {lead.pin: lead.channel for lead in board.leads}
    rails = {SUPPLY_PINS[rail]: rail.value for rail in BOARD_NEEDS}
    document["connectors"][board.name] = {
        "type": board.title.partition(",")[0],
        "pins": [*contacts, *rails],
        "pinlabels": [*contacts.values(), *rails.values()],
    }
    _add_power(document, board.name, BOARD_NEEDS, list(rails))
    for part in dict.fromkeys(lead.part for lead in board.leads):
        _add_part(document, board, part, [lead for lead in board.leads if lead.part == part])


def _add_part(document: Document, board: BoardLeads, part: str, leads: Sequence[Lead]) -> None:
    """Add the connector of a part, its cable to the board and its cable to the supplies."""
    name, rails = f"{board.name} {part}", supplies_of(leads)
    labels = [f"{lead.channel} {lead.signal}" for lead in leads]
    document["connectors"][name] = _connector(part, [*labels, *(rail.value for rail in rails)])
    document["cables"][f"{name} signals"] = _cable(labels, SIGNAL_MM2)
    numbers = list(range(1, len(leads) + 1))
    document["connections"].append(
        [
            {board.name: [lead.pin for lead in leads]},
            {f"{name} signals": numbers},
            {name: numbers},
        ]
    )
    first = len(leads) + 1
    _add_power(document, name, rails, list(range(first, first + len(rails))))


def _add_power(
    document: Document, connector: str, rails: Sequence[SupplyRail], contacts: Sequence[int | str]
) -> None:
    """Add a cable from the supplies to these contacts of a connector."""
    cable = f"{connector} power"
    document["cables"][cable] = _cable([rail.value for rail in rails], POWER_MM2)
    every = list(SupplyRail)
    document["connections"].append(
        [
            {SUPPLY: [every.index(rail) + 1 for rail in rails]},
            {cable: list(range(1, len(rails) + 1))},
            {connector: list(contacts)},
        ]
    )


def _connector(kind: str, labels: Sequence[str]) -> Document:
    return {"type": kind, "pinlabels": list(labels)}


def _cable(labels: Sequence[str], mm2: float) -> Document:
    return {"wirecount": len(labels), "wirelabels": list(labels), "gauge": f"{mm2:g} mm2"}
