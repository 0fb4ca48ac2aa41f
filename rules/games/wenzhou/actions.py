"""Actions of Wenzhou mahjong, as frozen values with a text that `parse` parses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rules.errors import NotationError
from rules.games.wenzhou.setup import WENZHOU
from rules.geometry import Seat
from rules.tiles import Face


@dataclass(frozen=True, slots=True)
class Draw:
    """Take the next tile, or the replacement tile of a kong; `face` if it becomes known now."""

    seat: Seat
    face: Face | None = None

    def __str__(self) -> str:
        return "draw" if self.face is None else f"draw {self.face}"


@dataclass(frozen=True, slots=True)
class Discard:
    """Discard one tile into the middle."""

    seat: Seat
    face: Face

    def __str__(self) -> str:
        return f"discard {self.face}"


@dataclass(frozen=True, slots=True)
class Chow:
    """Claim the left neighbour's discard for a run with two tiles of the hand, the lower first."""

    seat: Seat
    own: tuple[Face, Face]

    def __str__(self) -> str:
        return f"chow {self.own[0]} {self.own[1]}"


@dataclass(frozen=True, slots=True)
class Pong:
    """Claim a discard for a triplet."""

    seat: Seat

    def __str__(self) -> str:
        return "pong"


@dataclass(frozen=True, slots=True)
class Kong:
    """Claim a discard as a fourth tile; with a `face`, lay down four tiles or add the fourth."""

    seat: Seat
    face: Face | None = None

    def __str__(self) -> str:
        return "kong" if self.face is None else f"kong {self.face}"


@dataclass(frozen=True, slots=True)
class Win:
    """Declare a win; `shows` are the faces of the seat's unknown tiles."""

    seat: Seat
    shows: tuple[Face, ...] = ()

    def __str__(self) -> str:
        return " ".join(("win", *self.shows))


@dataclass(frozen=True, slots=True)
class FalseWin:
    """Declare a win with a hand that does not win (W36)."""

    seat: Seat

    def __str__(self) -> str:
        return "false win"


@dataclass(frozen=True, slots=True)
class Pass:
    """Make no claim on a discard, or on a kong that could be robbed."""

    seat: Seat

    def __str__(self) -> str:
        return "pass"


@dataclass(frozen=True, slots=True)
class Show:
    """Show unknown tiles of a seat after the hand.

    If only caishen are paid for (W35), the seat shows their number, `caishen`. If discards against
    the order are fined (E16), it shows the faces, `tiles`: those of all its unknown tiles, or of
    some of them.
    """

    seat: Seat
    caishen: int = 0
    tiles: tuple[Face, ...] = ()

    def __str__(self) -> str:
        return " ".join(("show", *(self.tiles or (str(self.caishen),))))


WenzhouAction = Draw | Discard | Chow | Pong | Kong | Win | FalseWin | Pass | Show
Action = WenzhouAction
"""The name of this type in every game's package."""

_FORMS: Final = (
    "draw, draw 5m, discard 5m, chow 4m 6m, pong, kong, kong 3s, pass, win,"
    " win 1m 2m to show unknown tiles, false win, and after the hand show 2 for the number of"
    " caishen among unknown tiles, or show 1m 2m for the tiles"
)


def parse(seat: Seat, text: str) -> WenzhouAction:
    """Parses the text of a seat's action. Raises NotationError for any other text."""
    verb, *faces = text.split() or [""]
    match verb, faces:
        case "show", [("0" | "1" | "2" | "3") as caishen]:
            return Show(seat, int(caishen))
        case "false", ["win"]:
            return FalseWin(seat)
    if not any(face.isdecimal() for face in faces):
        for face in faces:
            WENZHOU.tiles.require(face)
    match verb, faces:
        case "draw", []:
            return Draw(seat)
        case "draw", [face]:
            return Draw(seat, face)
        case "discard", [face]:
            return Discard(seat, face)
        case "chow", [one, other]:
            return Chow(seat, (one, other))
        case "pong", []:
            return Pong(seat)
        case "kong", []:
            return Kong(seat)
        case "kong", [face]:
            return Kong(seat, face)
        case "win", shows:
            return Win(seat, tuple(shows))
        case "pass", []:
            return Pass(seat)
        case "show", [_, *_] if not any(face.isdecimal() for face in faces):
            return Show(seat, tiles=tuple(faces))
    raise NotationError(f"'{text}' is not an action of Wenzhou mahjong; write one of: {_FORMS}.")
