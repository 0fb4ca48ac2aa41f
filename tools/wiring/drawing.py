"""Lays out one board and everything that is connected to it on a sheet.

The board is in the middle, with its pins at their real positions. The parts of the table are in two
columns beside it. They are in the order of their pins around the board, so that few wires cross.
All lengths are pixels of the sheet.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import accumulate
from statistics import fmean
from typing import NamedTuple

from controller.upkeep.wiring import BoardLeads, Lead, Sort, SupplyRail
from tools.wiring.footprints import FOOTPRINTS, Footprint, Pad, Way
from tools.wiring.routing import Ground, Point, Run, depth_of, lay, width_of

SLOT = 20.0
"""Distance from pin to pin, and from row to row."""
PITCH = 7.0
"""Distance from wire to wire."""
MARGIN, HEAD, FOOT = 28.0, 84.0, 64.0
LETTER = 0.6
"""Ratio of a letter's width to its size: the highest average of a word."""
TEXT, SMALL, TITLE = 11.5, 10.0, 22.0


class Label(NamedTuple):
    """Text on the sheet; `x` is its left end, right end (`anchor` "end") or middle ("middle")."""

    x: float
    y: float
    words: str
    size: float
    anchor: str = "start"
    bold: bool = False
    shade: str = "ink"

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The left, top, right and bottom edge of the text, in pixels."""
        wide = width_of_words(self.words, self.size)
        left = self.x - {"start": 0.0, "middle": wide / 2, "end": wide}[self.anchor]
        return left, self.y - 0.75 * self.size, left + wide, self.y + 0.25 * self.size


class Box(NamedTuple):
    """A rectangle on the sheet; `style` is a key of `STYLES`."""

    x: float
    y: float
    width: float
    height: float
    style: str


class Wire(NamedTuple):
    """A lead with the corners of its path, from the pad to the label."""

    lead: Lead
    corners: tuple[Point, ...]


class Dot(NamedTuple):
    """A pad. `sort` gives its colour: the sort of its lead, None if nothing is connected."""

    x: float
    y: float
    sort: Sort | None
    taken: bool


class Rail(NamedTuple):
    """A line of a supply: the rail itself, or a tap of the rail."""

    supply: SupplyRail
    corners: tuple[Point, ...]


class Joint(NamedTuple):
    """The point where a tap joins its rail."""

    x: float
    y: float
    supply: SupplyRail


@dataclass(frozen=True)
class Sheet:
    """The drawing of one board, or of the supplies of a table."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    wires: tuple[Wire, ...]
    dots: tuple[Dot, ...]
    labels: tuple[Label, ...]
    rails: tuple[Rail, ...] = ()
    joints: tuple[Joint, ...] = ()


class _Part(NamedTuple):
    """A part of the table with its leads, from top to bottom."""

    name: str
    leads: tuple[Lead, ...]

    @property
    def height(self) -> float:
        return (len(self.leads) + 1) * SLOT


def width_of_words(words: str, size: float) -> float:
    """Return the greatest width that a text can have, in pixels."""
    return len(words) * size * LETTER


def sheet_of(table: str, board: BoardLeads) -> Sheet:
    """Return the sheet of one board; `table` is the title above the board."""
    footprint = FOOTPRINTS[board.chip]
    sides = _sides(board, footprint)
    name_width, wide = _label_width(board)
    runs = _runs(board, footprint, sides, (0, 0), wide, 0)
    left, right = (width_of(runs, PITCH, to_left=each) for each in (True, False))
    bed = SLOT + depth_of(runs, SLOT)
    tall = max(footprint.height * SLOT + bed, *(_height(side) for side in sides))
    board_x = MARGIN + wide + left + SLOT
    board_y = HEAD + _down((tall - footprint.height * SLOT - bed) / 2)
    width = board_x + footprint.width * SLOT + SLOT + right + wide + MARGIN
    runs = _runs(board, footprint, sides, (board_x, board_y), wide, width, tall)
    ground = Ground(
        board_x - SLOT,
        board_x + (footprint.width + 1) * SLOT,
        board_y + (footprint.height + 0.5) * SLOT,
        PITCH,
        SLOT,
    )
    ways = lay(runs, ground)
    wires = tuple(Wire(lead, tuple(ways[_key(lead)])) for lead in board.leads)
    boxes, labels = _parts(sides, wide, name_width, width, tall)
    board_boxes, board_labels = _outline(board, footprint, (board_x, board_y))
    return Sheet(
        width,
        HEAD + tall + FOOT,
        (*boxes, *board_boxes),
        wires,
        _dots(board, footprint, (board_x, board_y)),
        (*_heading(table, board), *labels, *board_labels),
    )


# The order of the parts


def _sides(board: BoardLeads, footprint: Footprint) -> tuple[list[_Part], list[_Part]]:
    """Return the parts on the left and on the right of the board, each from top to bottom."""
    way_round = _round(footprint)
    by_part: dict[str, list[Lead]] = defaultdict(list)
    for lead in board.leads:
        by_part[lead.part].append(lead)
    met = sorted(by_part, key=lambda part: (fmean(way_round[e.pin] for e in by_part[part]), part))
    rows = list(accumulate(len(by_part[part]) + 2 for part in met))
    half = next((at for at, sum_ in enumerate(rows) if sum_ * 2 >= rows[-1]), 0)
    if half and rows[half] + rows[half - 1] > rows[-1]:
        half -= 1
    left = [
        _Part(part, tuple(sorted(by_part[part], key=lambda lead: way_round[lead.pin])))
        for part in met[: half + 1]
    ]
    right = [
        _Part(part, tuple(sorted(by_part[part], key=lambda lead: -way_round[lead.pin])))
        for part in reversed(met[half + 1 :])
    ]
    return left, right


def _round(footprint: Footprint) -> dict[int, float]:
    """Return each pin's distance along the board's edge: down on the left, then up on the right."""

    def way(pad: Pad) -> float:
        if pad.way is Way.LEFT:
            return pad.y
        if pad.way is Way.DOWN:
            return footprint.height + pad.x + pad.jog
        return 2 * footprint.height + footprint.width - pad.y

    return {pad.pin: way(pad) for pad in footprint.pads if pad.pin is not None}


def _height(parts: list[_Part]) -> float:
    return sum(part.height + SLOT for part in parts) - SLOT if parts else 0.0


def _down(length: float) -> float:
    """Return a length in pixels, rounded down to whole slots."""
    return length // SLOT * SLOT


def _runs(
    board: BoardLeads,
    footprint: Footprint,
    sides: tuple[list[_Part], list[_Part]],
    origin: Point,
    wide: float,
    width: float,
    tall: float = 0.0,
) -> list[Run]:
    pads = {pad.pin: pad for pad in footprint.pads if pad.pin is not None}
    rows = {
        lead.pin: (y, to_left)
        for side, to_left in zip(sides, (True, False), strict=True)
        for lead, y in _rows(side, tall)
    }
    runs = []
    for lead in board.leads:
        pad, (y, to_left) = pads[lead.pin], rows[lead.pin]
        x = MARGIN + wide if to_left else width - MARGIN - wide
        at = (origin[0] + pad.x * SLOT, origin[1] + pad.y * SLOT)
        runs.append(Run(_key(lead), at, pad.way, pad.jog * SLOT, (x, y), to_left))
    return runs


def _key(lead: Lead) -> str:
    return str(lead.pin)


def _rows(parts: list[_Part], tall: float) -> list[tuple[Lead, float]]:
    """Return each lead's height, half a slot from the height of any pad, so no two wires touch."""
    rows = []
    y = _top(parts, tall)
    for part in parts:
        for number, lead in enumerate(part.leads):
            rows.append((lead, y + (number + 1.5) * SLOT))
        y += part.height + SLOT
    return rows


def _top(parts: list[_Part], tall: float) -> float:
    return HEAD + _down((tall - _height(parts)) / 2)


# The parts beside the board


_BY_ROLE = (Sort.SENSOR, Sort.ANALOG, Sort.OUTPUT)


def _function(lead: Lead) -> str:
    """Return the function of a lead, as the row of the lead shows it."""
    if lead.sort is Sort.SAFETY or (lead.sort is Sort.SENSOR and "closed" in lead.level):
        return f"{lead.role}, NC"
    return lead.role if lead.sort in _BY_ROLE else lead.signal


def _label_width(board: BoardLeads) -> tuple[float, float]:
    """Return the widths in pixels of the channels' names and of a whole row with the pin."""
    name = max(width_of_words(lead.channel, TEXT) for lead in board.leads)
    function = max(width_of_words(_function(lead), SMALL) for lead in board.leads)
    return name, 12 + name + 10 + function + 10 + PIN_WIDTH


PIN_WIDTH = 26.0


def _parts(
    sides: tuple[list[_Part], list[_Part]],
    wide: float,
    name_width: float,
    width: float,
    tall: float,
) -> tuple[list[Box], list[Label]]:
    boxes, labels = [], []
    for side, x, to_left in zip(sides, (MARGIN, width - MARGIN - wide), (True, False), strict=True):
        y = _top(side, tall)
        words = x + 12 if to_left else x + 12 + PIN_WIDTH
        pin = x + wide - PIN_WIDTH / 2 if to_left else x + PIN_WIDTH / 2
        for part in side:
            boxes += [
                Box(x, y, wide, part.height, "part"),
                Box(x, y, wide, SLOT, "part-head"),
            ]
            labels.append(Label(x + wide / 2, y + 14, part.name, TEXT, "middle", bold=True))
            for number, lead in enumerate(part.leads):
                line = y + (number + 1.5) * SLOT + 4
                function = words + name_width + 10
                labels += [
                    Label(words, line, lead.channel, TEXT),
                    Label(function, line, _function(lead), SMALL, shade="quiet"),
                    Label(pin, line, str(lead.pin), TEXT, "middle", bold=True, shade="pin"),
                ]
            y += part.height + SLOT
    return boxes, labels


# The board


def _outline(
    board: BoardLeads, footprint: Footprint, origin: Point
) -> tuple[list[Box], list[Label]]:
    x, y = origin
    wide, tall = footprint.width * SLOT, footprint.height * SLOT
    boxes = [Box(x, y, wide, tall, "board")]
    middle = x + wide / 2
    if board.gpio:
        boxes += [Box(x + 14.5 * SLOT, y + 1.5 * SLOT, 2 * SLOT, 20 * SLOT, "header")]
        boxes += [
            Box(x + each * SLOT, y + tall - 2 * SLOT, 4 * SLOT, 2.3 * SLOT, "socket")
            for each in (1.5, 7, 12.5)
        ]
    else:
        boxes += [
            Box(x + 3 * SLOT, y - 0.5 * SLOT, 3 * SLOT, 4 * SLOT, "socket"),
            Box(x + 12 * SLOT, y - 1 * SLOT, 4 * SLOT, 4 * SLOT, "socket"),
            Box(x + 9 * SLOT, y + 19 * SLOT, 4 * SLOT, 4 * SLOT, "chip"),
        ]
    name, _, note = board.title.partition(", ")
    title = y + (23.4 if board.gpio else 9) * SLOT
    labels = [
        Label(middle, title, board.name, TITLE, "middle", bold=True),
        Label(middle, title + 1.2 * SLOT, name, TEXT, "middle"),
        Label(middle, title + 2.0 * SLOT, note, SMALL, "middle", shade="quiet"),
    ]
    if not board.gpio:
        labels += [
            Label(x + 4.5 * SLOT, y + 1.7 * SLOT, "supply", SMALL, "middle", shade="quiet"),
            Label(x + 14 * SLOT, y + 1.2 * SLOT, "USB", SMALL, "middle", shade="quiet"),
        ]
    used = {lead.pin for lead in board.leads}
    notes = {each.pin: each.short for each in board.fixed if each.pin not in used}
    for pad in footprint.pads:
        note = "" if pad.pin is None else notes.get(pad.pin, "")
        labels.append(_pad_label(board, pad, origin, note, used=pad.pin in used))
    return boxes, labels


def _pad_label(board: BoardLeads, pad: Pad, origin: Point, note: str, *, used: bool) -> Label:
    """Return the label of a pad, on the side of the pad that is towards the board."""
    x, y = origin[0] + pad.x * SLOT, origin[1] + pad.y * SLOT
    words = pad.text if pad.pin is None or pad.text == str(pad.pin) else f"{pad.pin}  {pad.text}"
    shade = "ink" if used else "quiet"
    # The wires of the outer row leave no room below, so the names of both rows are above.
    if pad.way is Way.DOWN:
        above = 20 if pad.jog else 29
        return Label(x, y - above, pad.text, 8.5, "middle", shade=shade)
    # The header of a Pi is inside the board's outline: names are beside it, above the wire.
    to_right = (pad.way is Way.LEFT) != board.gpio
    down = -3.0 if board.gpio and used else 3.5
    away = 14.0 if board.gpio else 10.0
    if to_right:
        return Label(x + away, y + down, f"{words}  {note}".rstrip(), SMALL, shade=shade)
    return Label(x - away, y + down, f"{note}  {words}".lstrip(), SMALL, "end", shade=shade)


def _dots(board: BoardLeads, footprint: Footprint, origin: Point) -> tuple[Dot, ...]:
    sorts = {lead.pin: lead.sort for lead in board.leads}
    taken = {each.pin for each in board.fixed if each.taken}
    return tuple(
        Dot(
            origin[0] + pad.x * SLOT,
            origin[1] + pad.y * SLOT,
            sorts.get(pad.pin) if pad.pin is not None else None,
            pad.pin in taken,
        )
        for pad in footprint.pads
    )


# The heading


def _heading(table: str, board: BoardLeads) -> list[Label]:
    return [
        Label(MARGIN, 44, f"{table}: board {board.name}", TITLE, bold=True),
        Label(MARGIN, 64, board.title, TEXT, shade="quiet"),
    ]
