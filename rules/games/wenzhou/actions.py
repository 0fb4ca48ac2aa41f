"""Actions of Wenzhou mahjong, as frozen values with a text that `parse` reads back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rules.errors import NotationError
from rules.games.wenzhou.setup import WENZHOU
from rules.geometry import Seat
from rules.tiles import Face


@dataclass(frozen=True, slots=True)
class Draw:
    """Take the next tile, or a kong's replacement; `face` where it was seen only now."""

    seat: Seat
    face: Face | None = None

    def __str__(self) -> str:
        return "draw" if self.face is None else f"draw {self.face}"


@dataclass(frozen=True, slots=True)
class Discard:
    """Throw one tile into the middle."""

    seat: Seat
    face: Face

    def __str__(self) -> str:
        return f"discard {self.face}"


@dataclass(frozen=True, slots=True)
class Chow:
    """Claim the left neighbour's discard for a run with two tiles of the hand, lower first."""

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
    """Claim a discard as the fourth tile, or, with a `face`, lay down or complete four of it."""

    seat: Seat
    face: Face | None = None

    def __str__(self) -> str:
        return "kong" if self.face is None else f"kong {self.face}"


@dataclass(frozen=True, slots=True)
class Win:
    """Declare a win; `shows` are the faces of the seat's own unseen tiles."""

    seat: Seat
    shows: tuple[Face, ...] = ()

    def __str__(self) -> str:
        return " ".join(("win", *self.shows))


@dataclass(frozen=True, slots=True)
class FalseWin:
    """A seat has declared a win and shown a hand that does not win (W36)."""

    seat: Seat

    def __str__(self) -> str:
        return "false win"


@dataclass(frozen=True, slots=True)
class Pass:
    """Let a discard, or a kong that could be robbed, go by."""

    seat: Seat

    def __str__(self) -> str:
        return "pass"


@dataclass(frozen=True, slots=True)
class Show:
    """After the hand: what is among a seat's tiles that the table has not seen.

    Where only caishen are paid for (W35) it is their number, `caishen`. Where discards against the
    order are fined (E16) it is the tiles themselves, `tiles`: all that are unseen, or some of them.
    """

    seat: Seat
    caishen: int = 0
    tiles: tuple[Face, ...] = ()

    def __str__(self) -> str:
        return " ".join(("show", *(self.tiles or (str(self.caishen),))))


WenzhouAction = Draw | Discard | Chow | Pong | Kong | Win | FalseWin | Pass | Show
Action = WenzhouAction
"""The same under the name that it has in every game."""

_SHAPES: Final = (
    "draw, draw 5m, discard 5m, chow 4m 6m, pong, kong, kong 3s, pass, win,"
    " win 1m 2m to show unseen tiles, false win, and after the hand show 2 for the caishen among"
    " unseen tiles, or show 1m 2m for the tiles themselves"
)


def parse(seat: Seat, text: str) -> WenzhouAction:
    """Read a seat's action back from its text; raises NotationError with what could be written."""
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
    raise NotationError(f"'{text}' is no action of Wenzhou mahjong; write one of: {_SHAPES}.")
