"""Actions of dominoes, as values with a text that `parse` parses.

`6-4` sets a tile; `6-4 on 6` joins it to an open end, by the end's name (`layout.End`). If the
player can choose how the tile lies, the text names the choice: `1-1 crosswise on 4`,
`1-1 in line on 4`, and at Matador `6-1 on 3, 6 out`. `draw`, `go` and `call` have no arguments.
`show 6-4` turns up a tile that was hidden when the hand ended.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rules.errors import NotationError
from rules.games.dominoes.setup import double_six
from rules.geometry import Seat
from rules.tiles import Face

Orientation = Literal["", "crosswise", "in line"]
"""How a doublet lies, if its player can choose (2.9)."""


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay a tile; `on` names the open end, `out` the outer half if either half could be outside."""

    seat: Seat
    tile: Face
    on: str = ""
    orientation: Orientation = ""
    out: int | None = None

    def __str__(self) -> str:
        orientation = f" {self.orientation}" if self.orientation else ""
        joined = f" on {self.on}" if self.on else ""
        return f"{self.tile}{orientation}{joined}{'' if self.out is None else f', {self.out} out'}"


@dataclass(frozen=True, slots=True)
class Draw:
    """Take a tile from the boneyard (C3)."""

    seat: Seat

    def __str__(self) -> str:
        return "draw"


@dataclass(frozen=True, slots=True)
class Go:
    """Lay no tile; the turn passes (C4)."""

    seat: Seat

    def __str__(self) -> str:
        return "go"


@dataclass(frozen=True, slots=True)
class Call:
    """Claim the points of the open ends: "muggins" (2.5)."""

    seat: Seat

    def __str__(self) -> str:
        return "call"


@dataclass(frozen=True, slots=True)
class Show:
    """Turn up an unseen tile after the hand, so that its pips can be counted."""

    seat: Seat
    tile: Face

    def __str__(self) -> str:
        return f"show {self.tile}"


DominoAction = Lay | Draw | Go | Call | Show
Action = DominoAction
"""The name of this type in every game's package."""

_WITHOUT_TILE: dict[str, type[Draw | Go | Call]] = {"draw": Draw, "go": Go, "call": Call}
_LAY = (
    r"(?P<tile>[0-9]-[0-9])(?: (?P<orientation>crosswise|in line))?"
    r"(?: on (?P<on>[0-9](?:-[0-9](?: end| side)?)?))?(?:, (?P<out>[0-9]) out)?"
)
_SHOW = r"show (?P<tile>[0-9]-[0-9])"


def parse(seat: Seat, text: str) -> DominoAction:
    """Parses the text of a seat's action; the halves of a tile can be in either order.

    Raises NotationError for any other text.
    """
    if text in _WITHOUT_TILE:
        return _WITHOUT_TILE[text](seat)
    if shown := re.fullmatch(_SHOW, text):
        return Show(seat, _tile(shown["tile"]))
    laid = re.fullmatch(_LAY, text)
    if laid is None:
        raise NotationError(
            f"'{text}' is not an action of dominoes; write '6-4', '6-4 on 6',"
            " '1-1 crosswise on 4', 'draw', 'go', 'call' or 'show 6-4'."
        )
    named = laid["orientation"]
    orientation: Orientation = "crosswise" if named == "crosswise" else "in line" if named else ""
    out = int(laid["out"]) if laid["out"] else None
    return Lay(seat, _tile(laid["tile"]), laid["on"] or "", orientation, out)


def _tile(text: str) -> Face:
    one, other = sorted(text.split("-"), reverse=True)
    tile = f"{one}-{other}"
    if tile not in double_six():
        raise NotationError(f"'{text}' is not a domino; write a tile from 0-0 to 6-6.")
    return tile
