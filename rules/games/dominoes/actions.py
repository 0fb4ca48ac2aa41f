"""Actions of dominoes, as values with a text that `parse` reads back.

`6-4` sets a tile; `6-4 on 6` joins it to an open end, by the end's name (`layout.End`). Where the
player may choose how it lies, the text says so: `1-1 crosswise on 4`, `1-1 in line on 4`, and at
Matador `6-1 on 3, 6 out`. `draw`, `go` and `call` have no arguments; `show 6-4` turns up
a tile that was hidden when the hand ended.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rules.errors import NotationError
from rules.games.dominoes.bones import double_six
from rules.geometry import Seat
from rules.tiles import Face

Lie = Literal["", "crosswise", "in line"]
"""How a doublet lies, where its player may choose (2.9)."""


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay a tile; `on` names the open end, and `out` the outer half where both could be."""

    seat: Seat
    tile: Face
    on: str = ""
    lie: Lie = ""
    out: int | None = None

    def __str__(self) -> str:
        lies = f" {self.lie}" if self.lie else ""
        joined = f" on {self.on}" if self.on else ""
        return f"{self.tile}{lies}{joined}{'' if self.out is None else f', {self.out} out'}"


@dataclass(frozen=True, slots=True)
class Draw:
    """Take a tile from the boneyard (C3)."""

    seat: Seat

    def __str__(self) -> str:
        return "draw"


@dataclass(frozen=True, slots=True)
class Go:
    """Lay nothing; the turn passes (C4)."""

    seat: Seat

    def __str__(self) -> str:
        return "go"


@dataclass(frozen=True, slots=True)
class Call:
    """Announce the points that lie on the table: "muggins" (2.5)."""

    seat: Seat

    def __str__(self) -> str:
        return "call"


@dataclass(frozen=True, slots=True)
class Show:
    """After the hand, turn up an unseen tile, so that its pips can be counted."""

    seat: Seat
    tile: Face

    def __str__(self) -> str:
        return f"show {self.tile}"


DominoAction = Lay | Draw | Go | Call | Show
Action = DominoAction
"""The same under the name that it has in every game."""

_SAID: dict[str, type[Draw | Go | Call]] = {"draw": Draw, "go": Go, "call": Call}
_LAY = (
    r"(?P<tile>[0-9]-[0-9])(?: (?P<lie>crosswise|in line))?"
    r"(?: on (?P<on>[0-9](?:-[0-9](?: end| side)?)?))?(?:, (?P<out>[0-9]) out)?"
)
_SHOW = r"show (?P<tile>[0-9]-[0-9])"


def parse(seat: Seat, text: str) -> DominoAction:
    """Read a seat's action back from its text; a tile's halves may come in either order.

    Raises NotationError with the text and what can be said.
    """
    if text in _SAID:
        return _SAID[text](seat)
    if shown := re.fullmatch(_SHOW, text):
        return Show(seat, _tile(shown["tile"]))
    laid = re.fullmatch(_LAY, text)
    if laid is None:
        raise NotationError(
            f"'{text}' is nothing that a player does; write '6-4', '6-4 on 6',"
            " '1-1 crosswise on 4', 'draw', 'go', 'call' or 'show 6-4'."
        )
    lie: Lie = "crosswise" if laid["lie"] == "crosswise" else "in line" if laid["lie"] else ""
    out = int(laid["out"]) if laid["out"] else None
    return Lay(seat, _tile(laid["tile"]), laid["on"] or "", lie, out)


def _tile(text: str) -> Face:
    one, other = sorted(text.split("-"), reverse=True)
    tile = f"{one}-{other}"
    if tile not in double_six():
        raise NotationError(f"'{text}' is no domino; the set goes from 0-0 to 6-6.")
    return tile
