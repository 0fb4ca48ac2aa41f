"""Formats plans and summaries of runs for the terminal, and draws a table seen from above.

The drawing has walls, break, hands face down, and indicator. Seat 0 is at the bottom. A column of a
wall is two characters, which show whether it has two tiles, one or none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from rules.geometry import BareTable, Place, Seat, WallPlace, Walls
from rules.play import plain
from rules.setup import Game, Setup

if TYPE_CHECKING:
    from controller.run.daemon import Daemon


def plan_page(game: Game, plan: Mapping[str, Any]) -> Panel:
    """A plan as a panel: throws, moves, packets and the indicator, in the order of the set-up."""
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column()
    for label, text in _lines(plan):
        grid.add_row(label, text)
    return Panel(grid, title=f"{game.title}, seat {plan['dealer']} throws first", expand=False)


def _lines(plan: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    yield "tiles", str(plan["tiles"])
    if walls := plan.get("walls"):
        columns = " ".join(str(wall["columns"]) for wall in walls)
        yield "walls", f"{columns} columns, {walls[0]['levels']} high"
    if pile := plan.get("pile"):
        yield "pile", f"{pile['columns']} columns, {pile['levels']} high"
    for choice in plan["choices"]:
        yield choice["what"], f"seat {choice['by']}: {choice['answer']}"
    for move in plan["setup_moves"]:
        yield move["verb"], f"{' '.join(move['from'])} to {' '.join(move['to'])}"
    for throw in plan["throws"]:
        dice = " ".join(str(face) for face in throw["dice"])
        yield throw["why"], f"seat {throw['by']}: {dice} = {throw['sum']}"
    if opened := plan["break"]:
        yield "break", f"first tile {opened['first']}"
    for packet in plan["deal"]:
        hand = f"hand {packet['hand']}, " if "hand" in packet else ""
        yield "deal", f"{hand}seat {packet['seat']}: {' '.join(packet['from'])}"
    if turned := plan["indicator"]:
        yield "indicator", f"{turned['at']}, turned up by seat {turned['turned_by']}"
    if plan["first_draw"]:
        yield "first draw", plan["first_draw"]
    if plan["replacements"]:
        yield "replacements", " ".join(plan["replacements"])
    yield "left", str(plan["left"])
    if magazine := plan.get("magazine"):
        seconds = f"{magazine['seconds']} s, of them {magazine['turning']} s for its turns"
        yield "magazine", f"{magazine['shuffle']} order: {seconds}{_on_average(magazine)}"
    if "seconds" in plan:
        yield "machine", f"{len(plan['moves'])} moves, at least {plan['seconds']} s"


def _on_average(magazine: Mapping[str, Any]) -> str:
    return ", on average over all orders" if magazine["shuffle"] == "sorted" else ""


def summary_page(console: Console, daemon: Daemon, summary: Mapping[str, Any]) -> None:
    """Print a picture of the last set-up and the figures of the run."""
    if daemon.deal is not None:
        console.print(Panel(picture(daemon.deal.setup), expand=False))
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column()
    cycle, bound, tiles = summary["cycle_s"], summary["bound_s"], summary["tiles"]
    grid.add_row("rounds played", str(summary["rounds"]))
    if daemon.match is not None:
        scores = (f"seat {seat}: {plain(score)}" for seat, score in enumerate(daemon.match.scores))
        grid.add_row("scores", ", ".join(scores))
    grid.add_row(
        "time", f"{summary['virtual_s']:.1f} s at the table, {summary['real_s']:.1f} s here"
    )
    # Tiles that come sooner than on the average make a cycle below the lid shorter than its figure.
    for activity, wording in (
        ("under", "{} if every tile takes its mean time"),
        ("top", "at least {} on this table"),
    ):
        measured = "-" if cycle[activity] is None else f"{cycle[activity]:.1f} s"
        least = "-" if bound[activity] is None else f"{bound[activity]:.1f} s"
        grid.add_row(f"cycle {activity}", f"{measured} ({wording.format(least)})")
    if "magazine_s" in summary:
        grid.add_row("magazine", f"adds {summary['magazine_s']:.1f} s to a cycle under on average")
    grid.add_row("tiles", f"{tiles['accounted']} of {tiles['expected']} accounted for")
    grid.add_row("link", f"{summary['commands']} commands, {summary['retries']} sent again")
    for name in ("recoveries", "assists", "pauses", "breaches"):
        if counts := summary.get(name):
            by_code = ", ".join(f"{code} {number}" for code, number in counts.items())
            grid.add_row(name, f"{sum(counts.values())} ({by_code})")
    if summary["pauses"]:
        grid.add_row("paused", f"{summary['paused_s']:.1f} s")
    grid.add_row("faults", str(summary["faults"]))
    console.print(grid)


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
