"""Draws the sheet of power and ground: the rails, and the taps of each board and part.

Boards and parts are in rows on the left. The rails are vertical lines on the right: the supply
behind its fuse; the motor supply, which the relay or the emergency stop interrupts; 5 V; and one
ground for all. A dot is a joint. Lines that cross without a dot are not connected.
"""

from __future__ import annotations

from config.schema import Table
from controller.upkeep.wiring import Fed, SupplyRail, fed_parts
from tools.wiring.drawing import (
    FOOT,
    HEAD,
    MARGIN,
    SLOT,
    SMALL,
    TEXT,
    TITLE,
    Box,
    Joint,
    Label,
    Rail,
    Sheet,
    width_of_words,
)

BETWEEN = 150.0
"""Distance from rail to rail."""
TAP = 8.0
"""Distance from tap to tap in one row."""
ROW = 1.6 * SLOT
SOURCES = 3.4 * SLOT
"""Height of the text above the rails, which describes the source of each."""


def power_sheet(table: Table) -> Sheet:
    """Return the sheet with the power and ground of one table."""
    rows = fed_parts(table)
    wide = 24 + max(width_of_words(row.name, TEXT) for row in rows)
    x = {
        supply: MARGIN + wide + (number + 0.8) * BETWEEN for number, supply in enumerate(SupplyRail)
    }
    top = HEAD + SOURCES
    bottom = top + len(rows) * ROW
    boxes, labels, rails, joints = [], _heading(table), [], []
    for supply, at in x.items():
        rails.append(Rail(supply, ((at, HEAD + SOURCES - SLOT), (at, bottom))))
        labels += _source(table, supply, at)
    for number, row in enumerate(rows):
        y = top + number * ROW
        boxes.append(Box(MARGIN, y, wide, ROW - 6, "part" if row.part else "part-head"))
        middle = y + (ROW - 6) / 2
        labels.append(Label(MARGIN + 12, middle + 4, row.name, TEXT, bold=not row.part))
        for supply, tap in _taps(row, middle):
            rails.append(Rail(supply, ((MARGIN + wide, tap), (x[supply], tap))))
            joints.append(Joint(x[supply], tap, supply))
    reach = max(*x.values(), *(label.box[2] - BETWEEN / 2 for label in labels))
    width = reach + BETWEEN / 2 + MARGIN
    return Sheet(
        width, bottom + FOOT, tuple(boxes), (), (), tuple(labels), tuple(rails), tuple(joints)
    )


def _taps(row: Fed, middle: float) -> list[tuple[SupplyRail, float]]:
    """Return each supply of a row, with the vertical position of its tap in pixels."""
    first = middle - TAP * (len(row.supplies) - 1) / 2
    return [(supply, first + number * TAP) for number, supply in enumerate(row.supplies)]


def _source(table: Table, supply: SupplyRail, x: float) -> list[Label]:
    """Return the labels above a rail: its name and its source."""
    lines = {
        SupplyRail.ALWAYS: ["from its fuse; relay coils", "by the emergency stop"],
        SupplyRail.MOTORS: ["from the supply, by", *_interrupters(table)],
        SupplyRail.LOGIC: ["from the board or a", "supply of its own"],
        SupplyRail.GROUND: ["one ground for all"],
    }[supply]
    y = HEAD + 10
    named = Label(x, y, supply.value, TEXT, "middle", bold=True)
    origin = [
        Label(x, y + (number + 1) * 13, line, 9.0, "middle", shade="quiet")
        for number, line in enumerate(lines)
    ]
    return [named, *origin]


def _interrupters(table: Table) -> list[str]:
    """Return the contacts that must be closed before motors have power, as lines of text."""
    return ["the relay's contact"] if table.modules.relay else ["the emergency stop"]


def _heading(table: Table) -> list[Label]:
    notes = (
        "Photo sensors take 5 V; a switch needs ground only.",
        "Motors, axes and other actuators use the motor supply; lamps and relay coils the supply.",
    )
    return [
        Label(MARGIN, 44, f"{table.title}: power and ground", TITLE, bold=True),
        *(
            Label(MARGIN, 62 + 12 * number, note, SMALL, shade="quiet")
            for number, note in enumerate(notes)
        ),
    ]
