"""Draws a table in the terminal, seen from above: walls, break, hands face down, indicator.

Seat 0 is at the bottom. A column of a wall is two characters, which show whether it has two tiles,
one or none.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from rules.geometry import BareTable, Place, Seat, WallPlace, Walls
from rules.setup import Setup

BACK = "▒"
TWO, ONE, GONE = "██", "▄▄", "··"
JADE = ("color(35)", "color(29)")
"""Colours of odd and of even columns of a wall, so that the columns can be counted."""
IVORY = ("color(187)", "color(101)")
"""Colours of odd and of even tiles of a hand."""
TITLE, LABEL, WORDS, EMPTY = "bold", "bold", "color(108)", "dim"
SHOWN = "bold black on bright_yellow"
NAMES = {"1z": "E ", "2z": "S ", "3z": "W ", "4z": "N ", "5z": "Wh", "6z": "Gr", "7z": "Rd"}
"""Short names of the honours; other tiles are shown in their notation."""
MARGIN = 4
"""Characters between the side walls and the edge of the picture: room for a hand."""


class Canvas:
    """Characters with styles, by row and column; characters outside the canvas are ignored."""

    def __init__(self, width: int, height: int) -> None:
        self._cells = [[(" ", "")] * width for _ in range(height)]

    def write(self, row: int, column: int, text: str, style: str = "") -> None:
        """Write a text on the canvas, starting at this cell."""
        for offset, character in enumerate(text):
            if 0 <= row < len(self._cells) and 0 <= column + offset < len(self._cells[row]):
                self._cells[row][column + offset] = (character, style)

    def centre(self, row: int, text: str, style: str = "") -> None:
        """Write a text in the middle of a row."""
        self.write(row, (len(self._cells[0]) - len(text)) // 2, text, style)

    def text(self) -> Text:
        """The whole canvas as one styled text."""
        lines = [Text.assemble(*row) for row in self._cells]
        return Text("\n").join(lines)


def picture(setup: Setup) -> Text:
    """Draw a set-up as a styled text."""
    match setup.layout:
        case Walls():
            return _square(setup, setup.layout)
        case BareTable():
            return Text("The game is played on a board of its own, without tiles.")
    return _spread(setup)


# Walls


def _square(setup: Setup, walls: Walls) -> Text:
    longest = max(walls.columns)
    width = 2 * longest + 2 * (2 + MARGIN)
    canvas = Canvas(width, longest + 6)
    remaining = _remaining(setup)
    for owner, columns in enumerate(walls.columns):
        for number in range(1, columns + 1):
            mark, style = _column(setup, remaining, owner, number)
            canvas.write(*_wall_cell(owner, number, columns, longest), mark, style)
    for seat, hand in setup.hands.items():
        _draw_hand(canvas, seat, len(hand), longest, width)
    for offset, line in enumerate(_captions(setup)):
        canvas.centre(longest // 2 + offset, line, WORDS if offset else TITLE)
    return canvas.text()


def _wall_cell(owner: Seat, number: int, columns: int, longest: int) -> tuple[int, int]:
    """The cell of a column: a wall's first column is at its owner's right."""
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
        row, text = longest + 5 if seat == 0 else 0, f"seat {seat} {BACK * tiles} {tiles}"
        canvas.centre(row, text, LABEL)
        first = (width - len(text)) // 2 + text.find(BACK)
        for number in range(tiles):
            canvas.write(row, first + number, BACK, IVORY[number % 2])
        return
    column = width - 2 if seat == 1 else 1
    for number in range(tiles):
        canvas.write(3 + number, column, BACK, IVORY[number % 2])
    canvas.write(1, max(0, column - (4 if seat == 1 else 1)), f"seat {seat}", LABEL)
    canvas.write(2, column - 1, f"{tiles:>2}", LABEL)


def _column(setup: Setup, remaining: frozenset[Place], owner: Seat, number: int) -> tuple[str, str]:
    upper, lower = WallPlace(owner, number, 0), WallPlace(owner, number, 1)
    if setup.ready and setup.ready.indicator in (upper, lower):
        return _name(setup.ready.shows), SHOWN
    back = JADE[number % 2]
    if upper in remaining:
        return TWO, back
    return (ONE, back) if lower in remaining else (GONE, EMPTY)


# Piles, boneyards, cards


def _spread(setup: Setup) -> Text:
    """Draw a set-up without walls: the remaining tiles, then the hands by seat."""
    remaining = _remaining(setup)
    lines = [*_captions(setup), ""]
    if remaining:
        lines += _in_rows(f"{BACK} " * len(remaining), 28)
    else:
        lines.append("no tiles left in the middle")
    numbers = {packet.seat: packet.hand for packet in setup.deal}
    lines.append("")
    for seat, hand in sorted(setup.hands.items()):
        number = numbers.get(seat)
        label = f"   hand {number}" if number is not None else ""
        lines.append(f"seat {seat} {BACK * len(hand)} {len(hand)}{label}")
    text = Text("\n".join(lines), style=WORDS)
    text.highlight_regex(f"{BACK}+", IVORY[0])
    return text


def _in_rows(marks: str, width: int) -> list[str]:
    return [marks[start : start + width] for start in range(0, len(marks), width)]


# Captions


def _captions(setup: Setup) -> Sequence[str]:
    """The title, dealer, throws, indicator, first draw and number of remaining tiles."""
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


def _remaining(setup: Setup) -> frozenset[Place]:
    """The places whose tiles were not dealt."""
    dealt = {place for hand in setup.hands.values() for place in hand}
    return frozenset(place for place in setup.layout.places if place not in dealt)


def _name(face: str | None) -> str:
    return "? " if face is None else NAMES.get(face, face).ljust(2)
