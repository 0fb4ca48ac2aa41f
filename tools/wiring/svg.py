"""Writes a wiring drawing as SVG: sheets one below the other, for a screen and for paper up to A3.

The file loads nothing from outside, and the same table gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import dist
from xml.sax.saxutils import escape

from config.schema import Table
from controller.upkeep.wiring import BoardLeads, Sort, SupplyRail, leads_of
from tools.wiring.drawing import (
    FOOT,
    MARGIN,
    SMALL,
    Box,
    Dot,
    Joint,
    Label,
    Rail,
    Sheet,
    Wire,
    sheet_of,
    width_of_words,
)
from tools.wiring.power import power_sheet
from tools.wiring.routing import Point

COLOURS = {
    Sort.MOTOR: "#d2691e",
    Sort.AXIS: "#7d3cb5",
    Sort.OUTPUT: "#b0197e",
    Sort.STRIP: "#0b8a8a",
    Sort.SENSOR: "#2463a6",
    Sort.SAFETY: "#c1121f",
    Sort.SERIAL: "#2e7d32",
    Sort.ANALOG: "#6b4f3a",
}
"""Dark enough for paper. Line widths also differ, for people who cannot distinguish the colours."""
SUPPLY_COLOURS = {
    SupplyRail.ALWAYS: "#7d3cb5",
    SupplyRail.MOTORS: "#c1121f",
    SupplyRail.LOGIC: "#d98e04",
    SupplyRail.GROUND: "#1d2629",
}
RAIL = 1.8
WIDTHS = {Sort.MOTOR: 2.0, Sort.AXIS: 2.0, Sort.SAFETY: 2.6}
THIN = 1.3
BEND = 4.0
GAP = 40.0
FREE, TAKEN = "#ffffff", "#3a4446"
SHADES = {"ink": "#1d2629", "quiet": "#66757a", "pin": "#1d2629"}
STYLES = {
    "part": 'fill="#ffffff" stroke="#9aa7a5" rx="4"',
    "part-head": 'fill="#e3ece8" stroke="#9aa7a5" rx="4"',
    "board": 'fill="#eef5f1" stroke="#2f6b57" stroke-width="2" rx="10"',
    "header": 'fill="#dbe5e0" stroke="#7b8b86" rx="2"',
    "socket": 'fill="#d5dadb" stroke="#8d999b" rx="2"',
    "chip": 'fill="#c9d2d0" stroke="#8d999b" rx="2"',
}
NOTES = (
    "Sensors close to ground (pulled up on the board); NC contacts open. "
    "Connect all grounds. Drive motors through drivers, never from pins."
)


def drawing_of(table: Table, boards: Sequence[BoardLeads] | None = None) -> str:
    """Return the drawing of a table's boards and supplies, or of the given boards only."""
    drawn = leads_of(table) if boards is None else boards
    sheets = [sheet_of(table.title, board) for board in drawn]
    return svg_of(table.title, sheets if boards is not None else [*sheets, power_sheet(table)])


def svg_of(title: str, sheets: Sequence[Sheet]) -> str:
    """Return the text of an SVG file with these sheets one below the other."""
    width = max(sheet.width for sheet in sheets)
    height = sum(sheet.height for sheet in sheets) + GAP * (len(sheets) - 1)
    size = f'width="{_n(width)}" height="{_n(height)}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(height)}" {size}',
        '  role="img" font-family="DejaVu Sans, Verdana, Arial, sans-serif">',
        f"<title>{escape(title)}</title>",
        f'<rect {size} fill="#ffffff"/>',
    ]
    y = 0.0
    for sheet in sheets:
        lines.append(f'<g transform="translate({_n((width - sheet.width) / 2)} {_n(y)})">')
        lines += _sheet(sheet)
        lines.append("</g>")
        y += sheet.height + GAP
    return "\n".join([*lines, "</svg>"]) + "\n"


def _sheet(sheet: Sheet) -> Iterator[str]:
    yield from (_box(box) for box in sheet.boxes)
    for wire in sheet.wires:
        yield from _wire(wire)
    yield from (_rail(rail) for rail in sheet.rails)
    yield from (_joint(joint) for joint in sheet.joints)
    yield from (_dot(dot) for dot in sheet.dots)
    yield from (_label(label) for label in sheet.labels)
    yield from _legend(sheet)


def _box(box: Box) -> str:
    return (
        f'<rect x="{_n(box.x)}" y="{_n(box.y)}" width="{_n(box.width)}" '
        f'height="{_n(box.height)}" {STYLES[box.style]}/>'
    )


def _wire(wire: Wire) -> Iterator[str]:
    """Yield a wire with a white edge below it, which shows the upper of two crossing wires."""
    path, width = _path(wire.corners), WIDTHS.get(wire.lead.sort, THIN)
    yield f'<path d="{path}" fill="none" stroke="#ffffff" stroke-width="{_n(width + 2.2)}"/>'
    yield (
        f'<path d="{path}" fill="none" stroke="{COLOURS[wire.lead.sort]}" '
        f'stroke-width="{_n(width)}"><title>{escape(_tooltip(wire))}</title></path>'
    )


def _rail(rail: Rail) -> str:
    return (
        f'<path d="{_path(rail.corners)}" fill="none" stroke="{SUPPLY_COLOURS[rail.supply]}" '
        f'stroke-width="{_n(RAIL)}"/>'
    )


def _joint(joint: Joint) -> str:
    colour = SUPPLY_COLOURS[joint.supply]
    return f'<circle cx="{_n(joint.x)}" cy="{_n(joint.y)}" r="3.5" fill="{colour}"/>'


def _tooltip(wire: Wire) -> str:
    lead = wire.lead
    return f"pin {lead.pin}: {lead.channel}, {lead.signal} ({lead.part}, {lead.role})"


def _path(corners: Sequence[Point]) -> str:
    """Return the path through these corners as SVG, with rounded corners."""
    words = [f"M{_at(corners[0])}"]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        bend = min(BEND, dist(before, corner) / 2, dist(corner, after) / 2)
        words.append(f"L{_at(_towards(corner, before, bend))}")
        words.append(f"Q{_at(corner)} {_at(_towards(corner, after, bend))}")
    return " ".join([*words, f"L{_at(corners[-1])}"])


def _towards(here: Point, there: Point, length: float) -> Point:
    share = length / (dist(here, there) or 1.0)
    return here[0] + (there[0] - here[0]) * share, here[1] + (there[1] - here[1]) * share


def _dot(dot: Dot) -> str:
    fill = COLOURS[dot.sort] if dot.sort else TAKEN if dot.taken else FREE
    stroke = fill if fill != FREE else "#8d999b"
    return f'<circle cx="{_n(dot.x)}" cy="{_n(dot.y)}" r="4.5" fill="{fill}" stroke="{stroke}"/>'


def _label(label: Label) -> str:
    weight = ' font-weight="bold"' if label.bold else ""
    anchor = "" if label.anchor == "start" else f' text-anchor="{label.anchor}"'
    return (
        f'<text x="{_n(label.x)}" y="{_n(label.y)}" font-size="{_n(label.size)}"{anchor}{weight} '
        f'fill="{SHADES[label.shade]}">{escape(label.words)}</text>'
    )


def _legend(sheet: Sheet) -> Iterator[str]:
    """Yield the legend: the colours that occur on the sheet, and notes about the wires."""
    y, x = sheet.height - FOOT / 2, MARGIN
    if sheet.rails:
        return
    there = {wire.lead.sort for wire in sheet.wires}
    for sort in (each for each in Sort if each in there):
        yield (
            f'<path d="M{_at((x, y - 4))} L{_at((x + 26, y - 4))}" stroke="{COLOURS[sort]}" '
            f'stroke-width="{_n(WIDTHS.get(sort, THIN) + 0.8)}"/>'
        )
        yield _label(Label(x + 32, y, sort.value, SMALL))
        x += 32 + width_of_words(sort.value, SMALL) + 22
    yield _label(Label(MARGIN, y + 20, NOTES, SMALL, shade="quiet"))


def _at(point: Point) -> str:
    return f"{_n(point[0])},{_n(point[1])}"


def _n(number: float) -> str:
    """Return a number as its shortest text, rounded to one decimal."""
    return f"{round(number, 1):g}"
