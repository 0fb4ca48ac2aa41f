"""Tests the wiring drawings: every lead once, no text over text, no two wires on one line."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import pytest

from config.loader import load_table, table_names
from config.schema import AxisChannel, DiceChannel, MotorChannel, ReaderChannel, Table
from controller.upkeep.wiring import BoardLeads, leads_of
from tools.wiring.drawing import Label, Sheet, sheet_of
from tools.wiring.svg import COLOURS, svg_of

TABLES = {name: load_table(name) for name in table_names()}
BOARDS = [(name, board) for name, table in TABLES.items() for board in leads_of(table)]
on_every_board = pytest.mark.parametrize(
    ("table", "board"), BOARDS, ids=[f"{name}-{board.name}" for name, board in BOARDS]
)

Segment = tuple[float, float, float, float]


def drawn(table: str, board: BoardLeads) -> Sheet:
    return sheet_of(TABLES[table].title, board)


def wanted(table: Table, board: str) -> Counter[str]:
    """Return the number of pins of each channel, computed from the table's file only."""
    pins: Counter[str] = Counter()
    for name, channel in table.boards[board].channels.items():
        match channel:
            case MotorChannel():
                pins[name] = 1 if channel.reverse_pin is None else 2
            case AxisChannel() | ReaderChannel():
                pins[name] = 2
            case DiceChannel():
                pins[name] = 3
            case _:
                pins[name] = 1
    return pins


def overlap(one: Label, other: Label) -> bool:
    (left, top, right, bottom), (left2, top2, right2, bottom2) = one.box, other.box
    return left < right2 and left2 < right and top < bottom2 and top2 < bottom


@on_every_board
def test_every_channel_has_its_leads_and_every_pin_has_one_lead(
    table: str, board: BoardLeads
) -> None:
    assert Counter(lead.channel for lead in board.leads) == wanted(TABLES[table], board.name)
    pins = [lead.pin for lead in board.leads]
    assert len(set(pins)) == len(pins)
    assert not set(pins) & set(board.free)


@on_every_board
def test_every_lead_belongs_to_a_part_of_the_table(table: str, board: BoardLeads) -> None:
    assert [lead for lead in board.leads if not lead.part or not lead.role] == []


@on_every_board
def test_every_lead_is_drawn_once_from_its_pad_to_its_row(table: str, board: BoardLeads) -> None:
    sheet = drawn(table, board)
    assert Counter(wire.lead for wire in sheet.wires) == Counter(board.leads)
    pads = {(dot.x, dot.y): dot.sort for dot in sheet.dots}
    for wire in sheet.wires:
        assert pads[wire.corners[0]] is wire.lead.sort
        pins = [
            label.words
            for label in sheet.labels
            if label.shade == "pin" and round(label.y - 4) == round(wire.corners[-1][1])
        ]
        assert str(wire.lead.pin) in pins


@on_every_board
def test_no_text_is_written_over_other_text(table: str, board: BoardLeads) -> None:
    labels = drawn(table, board).labels
    clashes = [
        (one.words, other.words) for one, other in combinations(labels, 2) if overlap(one, other)
    ]
    assert clashes == []


@on_every_board
def test_every_text_is_inside_the_sheet(table: str, board: BoardLeads) -> None:
    sheet = drawn(table, board)
    for label in sheet.labels:
        left, top, right, bottom = label.box
        assert left >= 0 and top >= 0, label
        assert right <= sheet.width and bottom <= sheet.height, label


@on_every_board
def test_no_two_wires_share_a_piece_of_a_line(table: str, board: BoardLeads) -> None:
    """Wires may cross, but must not overlap, because a reader follows each wire with the eye."""
    pieces = [
        (wire.lead.pin, *segment)
        for wire in drawn(table, board).wires
        for segment in straight(wire.corners)
    ]
    clashes = [
        (one[0], other[0])
        for one, other in combinations(pieces, 2)
        if one[0] != other[0] and are_on_one_line(one[1:], other[1:])
    ]
    assert clashes == []


def straight(corners: tuple[tuple[float, float], ...]) -> list[Segment]:
    return [(*one, *other) for one, other in pairwise(corners)]


def are_on_one_line(one: Segment, other: Segment) -> bool:
    """Whether two horizontal or two vertical pieces run closer together than 3 pixels."""
    for across, along in ((1, 0), (0, 1)):
        ends = [(piece[along], piece[along + 2]) for piece in (one, other)]
        parallel = all(piece[across] == piece[across + 2] for piece in (one, other))
        (low, high), (low2, high2) = (sorted(each) for each in ends)
        if parallel and abs(one[across] - other[across]) < 3 and low < high2 and low2 < high:
            return True
    return False


@pytest.mark.parametrize("table", sorted(TABLES))
def test_a_drawing_is_the_same_every_time_and_loads_nothing_from_outside(table: str) -> None:
    title = TABLES[table].title
    one, other = (
        svg_of(title, [sheet_of(title, board) for board in leads_of(load_table(table))])
        for _ in range(2)
    )
    assert one == other
    assert "http" not in one.replace("http://www.w3.org/2000/svg", "")
    used = {lead.sort for board in leads_of(TABLES[table]) for lead in board.leads}
    assert all(COLOURS[sort] in one for sort in used)


def test_a_lead_names_its_part_its_role_and_its_signal() -> None:
    base, arm = leads_of(TABLES["robotic"])
    leads = {lead.pin: (lead.part, lead.role, lead.signal) for lead in base.leads}
    assert leads[60] == ("head 2", "S1 counter", "reads")
    assert leads[11] == ("head 2", "wheel", "reverse")
    assert leads[20] == ("safety", "emergency stop", "reads")
    assert leads[34] == ("tray 0", "up", "reads")
    axes = {lead.pin: (lead.part, lead.role, lead.signal) for lead in arm.leads}
    assert axes[24] == ("gantry", "x home", "reads")
    assert axes[23] == ("gantry", "x", "direction")
