"""A table in the terminal, seen from above: walls, break, hands as backs, the indicator's face.

Seat 0 sits at the bottom. A column of a wall is two characters: two high, one high, gone.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from rules.geometry import BareTable, Place, Seat, WallPlace, Walls
from rules.setup import Setup

BACK = "▒"
TWO, ONE, GONE = "██", "▄▄", "··"
JADE = ("color(35)", "color(29)")
"""The backs of tiles in a wall, of odd columns and of even ones: so they can be counted."""
IVORY = ("color(187)", "color(101)")
"""Tiles in a hand, likewise."""
TITLE, LABEL, WORDS, EMPTY = "bold", "bold", "color(108)", "dim"
SHOWN = "bold black on bright_yellow"
NAMES = {"1z": "E ", "2z": "S ", "3z": "W ", "4z": "N ", "5z": "Wh", "6z": "Gr", "7z": "Rd"}
"""Honours as a person says them; other tiles are their own notation."""
MARGIN = 4
"""Characters between the side walls and the edge of the picture: a hand and some felt."""


class Canvas:
    """Characters with styles, by row and column; what is set outside it is lost."""

    def __init__(self, width: int, height: int) -> None:
        self._cells = [[(" ", "")] * width for _ in range(height)]

    def write(self, row: int, column: int, text: str, style: str = "") -> None:
        """Put a text on the canvas from this cell on."""
        for offset, character in enumerate(text):
            if 0 <= row < len(self._cells) and 0 <= column + offset < len(self._cells[row]):
                self._cells[row][column + offset] = (character, style)

    def centre(self, row: int, text: str, style: str = "") -> None:
        """Put a text in the middle of a row."""
        self.write(row, (len(self._cells[0]) - len(text)) // 2, text, style)

    def text(self) -> Text:
        """The whole canvas as one styled text."""
        lines = [Text.assemble(*row) for row in self._cells]
        return Text("\n").join(lines)


def picture(setup: Setup) -> Text:
    """A set-up as it lies on the table."""
    match setup.layout:
        case Walls():
            return _square(setup, setup.layout)
        case BareTable():
            return Text("A bare table: the men stand on their own board.")
    return _spread(setup)


# Walls


def _square(setup: Setup, walls: Walls) -> Text:
    longest = max(walls.columns)
    width = 2 * longest + 2 * (2 + MARGIN)
    canvas = Canvas(width, longest + 6)
    standing = _standing(setup)
    for owner, columns in enumerate(walls.columns):
        for number in range(1, columns + 1):
            mark, style = _column(setup, standing, owner, number)
            canvas.write(*_wall_cell(owner, number, columns, longest), mark, style)
    for seat, hand in setup.hands.items():
        _draw_hand(canvas, seat, len(hand), longest, width)
    for offset, line in enumerate(_told(setup)):
        canvas.centre(longest // 2 + offset, line, WORDS if offset else TITLE)
    return canvas.text()


def _wall_cell(owner: Seat, number: int, columns: int, longest: int) -> tuple[int, int]:
    """Where a column is drawn: a wall's first column lies at its owner's right."""
    left = MARGIN + 2
    match owner:
        case 0:
            return longest + 3, left + 2 * (columns - number)
        case 1:
            return number + 2, left + 2 * longest
        case 2:
            return 2, left + 2 * (number - 1)
    return columns - number + 3, MARGIN


def _draw_hand(canvas: Canvas, seat: Seat, tiles: int, longest: int, width: int) -> None:
    if seat in (0, 2):
        row, told = longest + 5 if seat == 0 else 0, f"seat {seat} {BACK * tiles} {tiles}"
        canvas.centre(row, told, LABEL)
        first = (width - len(told)) // 2 + told.find(BACK)
        for number in range(tiles):
            canvas.write(row, first + number, BACK, IVORY[number % 2])
        return
    column = width - 2 if seat == 1 else 1
    for number in range(tiles):
        canvas.write(3 + number, column, BACK, IVORY[number % 2])
    canvas.write(1, max(0, column - (4 if seat == 1 else 1)), f"seat {seat}", LABEL)
    canvas.write(2, column - 1, f"{tiles:>2}", LABEL)


def _column(setup: Setup, standing: frozenset[Place], owner: Seat, number: int) -> tuple[str, str]:
    upper, lower = WallPlace(owner, number, 0), WallPlace(owner, number, 1)
    if setup.ready and setup.ready.indicator in (upper, lower):
        return _name(setup.ready.shows), SHOWN
    back = JADE[number % 2]
    if upper in standing:
        return TWO, back
    return (ONE, back) if lower in standing else (GONE, EMPTY)


# Piles, boneyards, cards


def _spread(setup: Setup) -> Text:
    """Everything that is not a wall: what is left in the middle, the hands round it by seat."""
    standing = _standing(setup)
    lines = [*_told(setup), ""]
    if standing:
        lines += _in_rows(f"{BACK} " * len(standing), 28)
    else:
        lines.append("nothing left in the middle")
    numbers = {packet.seat: packet.hand for packet in setup.deal}
    lines.append("")
    for seat, hand in sorted(setup.hands.items()):
        number = numbers.get(seat)
        told = f"   hand {number}" if number is not None else ""
        lines.append(f"seat {seat} {BACK * len(hand)} {len(hand)}{told}")
    text = Text("\n".join(lines), style=WORDS)
    text.highlight_regex(f"{BACK}+", IVORY[0])
    return text


def _in_rows(marks: str, width: int) -> list[str]:
    return [marks[start : start + width] for start in range(0, len(marks), width)]


# Words


def _told(setup: Setup) -> Sequence[str]:
    lines = [setup.game.title, f"dealer: seat {setup.seating.dealer}"]
    for step, dice in setup.throws:
        lines.append(f"seat {step.by} threw {' '.join(str(face) for face in dice)}")
    ready = setup.ready
    if ready and ready.indicator:
        lines.append(f"indicator {_name(ready.shows).strip()} at {ready.indicator}")
    if ready and ready.draws:
        lines.append(f"first draw {ready.draws[0]}")
    lines.append(f"{setup.left} tiles left")
    return lines


def _standing(setup: Setup) -> frozenset[Place]:
    dealt = {place for hand in setup.hands.values() for place in hand}
    return frozenset(place for place in setup.layout.places if place not in dealt)


def _name(face: str | None) -> str:
    return "? " if face is None else NAMES.get(face, face).ljust(2)
