"""Draws docs/images/table.svg, the picture of docs/reference/COMMANDS.md.

It is the picture that `wallwright run` prints in a terminal, exported by rich: Wenzhou with the
throws 3,5 and 2,4. No machine turns a tile up here, so `INDICATOR` gives the face. The file
contains no font and loads none: the reader's browser uses a monospaced font of its own.
"""

from __future__ import annotations

import io

from rich.console import Console
from rich.padding import Padding
from rich.terminal_theme import TerminalTheme

from controller.cli.output.result_pages import picture
from rules.dice import Dice
from rules.games import find_game
from rules.setup import Setup
from rules.steps import Throw, TurnUp

THROWS: tuple[Dice, ...] = ((3, 5), (2, 4))
INDICATOR = "7m"
TITLE = "A Wenzhou table, ready to play: four walls, the break, four hands, the indicator"

_NORMAL = [
    (18, 28, 24),  # black, the letters on the indicator
    (214, 96, 88),
    (86, 176, 122),  # green, the backs of tiles and the text on the felt
    (226, 192, 92),
    (102, 150, 214),
    (180, 130, 200),
    (96, 190, 196),
    (206, 216, 210),
]
_BRIGHT = [
    (120, 134, 128),
    (236, 120, 110),
    (120, 210, 156),
    (255, 216, 106),  # bright yellow, the indicator
    (136, 180, 240),
    (210, 164, 228),
    (128, 220, 226),
    (240, 244, 240),
]
THEME = TerminalTheme((16, 40, 31), (206, 216, 210), _NORMAL, _BRIGHT)
"""Ivory and jade on dark felt: readable on a white page and on a black one."""

ASPECT = 0.6
"""A letter's width to its height, as in most monospaced fonts."""

FRAME = """\
<svg viewBox="0 41 {width} {terminal_height}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>%s</title>
<style>
.{unique_id}-matrix {{
  font-family: "DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", monospace;
  font-size: {char_height}px;
  line-height: {line_height}px;
  white-space: pre;
}}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
<rect x="0" y="41" width="100%%" height="100%%" rx="10" fill="%s" />
<g transform="translate({terminal_x}, {terminal_y})">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""The template that rich fills in. rich's own template loads a font from the web; this does not.

rich leaves 41 pixels above the text for a window's title; the view box begins below them.
"""


def portrait() -> str:
    """Return the text of docs/images/table.svg."""
    shown = Padding(picture(_finished_setup()), (1, 2))
    width = max(len(line) for line in picture(_finished_setup()).plain.split("\n")) + 4
    console = Console(
        file=io.StringIO(), record=True, width=width, color_system="truecolor", legacy_windows=False
    )
    console.print(shown)
    frame = FRAME % (TITLE, THEME.background_color.hex)
    svg = console.export_svg(
        theme=THEME, code_format=frame, font_aspect_ratio=ASPECT, unique_id="table"
    )
    return "\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n"


def _finished_setup() -> Setup:
    """Return a finished Wenzhou set-up, with the indicator turned up."""
    setup, throws = find_game("wenzhou").setup(), list(THROWS)
    while (step := setup.pending) is not None:
        match step:
            case Throw():
                setup = setup.apply(throws.pop(0))
            case TurnUp():
                setup = setup.apply(INDICATOR)
            case _:
                setup = setup.apply()
    return setup
