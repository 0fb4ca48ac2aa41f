"""Actions of backgammon: `roll 3 1`, `24/18* 13/10`, `double`, `take`, `drop`, `beaver`.

A move is written in standard notation: from/to in the mover's own numbering, with `bar` and `off`.
A star follows a point where a blot is hit. `(2)` means that two men make the same move.
`24/18/15` is one man moved by both dice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from rules.dice import Dice
from rules.errors import NotationError
from rules.games.backgammon.board import BAR, OFF, name_of, point_of
from rules.games.backgammon.moves import Step
from rules.geometry import Seat


@dataclass(frozen=True, slots=True)
class Roll:
    """A seat's throw: the faces of its dice, entered by the player or read by the dice unit."""

    seat: Seat
    dice: Dice

    def __str__(self) -> str:
        return "roll " + " ".join(map(str, self.dice))


@dataclass(frozen=True, slots=True)
class Move:
    """The move of a whole throw; its steps begin with the rearmost man."""

    seat: Seat
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return _written(self.steps)


@dataclass(frozen=True, slots=True)
class Cube:
    """A cube action: a double before the throw, or the answer to a double or a beaver."""

    seat: Seat
    call: Literal["double", "take", "drop", "beaver"]

    def __str__(self) -> str:
        return self.call


Action = Roll | Move | Cube


def parse(seat: Seat, text: str) -> Action:
    """Parses the text of a seat's action. Raises NotationError for any other text."""
    words = text.split()
    match words:
        case [("double" | "take" | "drop" | "beaver") as call]:
            return Cube(seat, call)
        case ["roll", *faces] if len(faces) == 2 and all(face in _FACES for face in faces):
            return Roll(seat, (int(faces[0]), int(faces[1])))
        case [_, *_] if words[0] != "roll":
            return Move(seat, in_order(step for word in words for step in _way(word)))
    raise NotationError(
        f"'{text}' is not an action of backgammon; write 'roll 3 1', '24/18* 13/10', 'double',"
        " 'take', 'drop' or 'beaver'."
    )


def in_order(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Steps in the order of a move: the rearmost man first, then the longest step first."""
    return tuple(sorted(steps, key=_rank))


def _rank(step: Step) -> tuple[int, int, bool]:
    return -step.source, step.target, not step.hits


_FACES = ("1", "2", "3", "4", "5", "6")
_WAY = re.compile(
    r"(?P<path>(?:bar|[0-9]{1,2})(?:/(?:[0-9]{1,2}|off)\*?)+)(?:\((?P<times>[2-4])\))?",
    re.IGNORECASE,
)


def _way(word: str) -> list[Step]:
    found = _WAY.fullmatch(word)
    if found is None:
        raise NotationError(f"'{word}' is not a move; write 24/18, bar/22*, 6/off or 13/7(2).")
    stops = found["path"].lower().split("/")
    points = [point_of(stop.rstrip("*")) for stop in stops]
    ways = [
        Step(source, target, stop.endswith("*"))
        for source, target, stop in zip(points, points[1:], stops[1:], strict=False)
    ]
    for way in ways:
        if not BAR >= way.source > way.target >= OFF:
            raise NotationError(
                f"'{word}' goes from {name_of(way.source)} to {name_of(way.target)}; men move"
                " from 24 down to 1 and off the board."
            )
    times = int(found["times"] or 1)
    # Of several men that move to one point, only the first can hit.
    again = [way._replace(hits=False) for way in ways]
    return ways + again * (times - 1)


def _written(steps: Iterable[Step]) -> str:
    paths: list[list[Step]] = []
    for step in steps:
        for path in paths:
            if path[-1].target == step.source:
                path.append(step)
                break
        else:
            paths.append([step])
    texts: dict[tuple[int, ...], list[str]] = {}
    for path in paths:
        texts.setdefault((path[0].source, *(step.target for step in path)), []).append(_path(path))
    return " ".join(
        f"{same[0]}({len(same)})" if len(same) > 1 else same[0] for same in texts.values()
    )


def _path(path: list[Step]) -> str:
    return name_of(path[0].source) + "".join(
        f"/{name_of(step.target)}{'*' * step.hits}" for step in path
    )
