"""Actions of backgammon: `roll 3 1`, `24/18* 13/10`, `double`, `take`, `drop`, `beaver`.

A move is written in standard notation: from/to by the mover's own numbering, `bar` and `off`, a
star after
a point where a blot is hit, `(2)` for two men the same way, `24/18/15` for one man by both dice.
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
    """A seat's throw: the faces of its dice, entered by the player or read by the table."""

    seat: Seat
    dice: Dice

    def __str__(self) -> str:
        return "roll " + " ".join(map(str, self.dice))


@dataclass(frozen=True, slots=True)
class Move:
    """A whole throw's move, its steps from the rearmost on."""

    seat: Seat
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return _written(self.steps)


@dataclass(frozen=True, slots=True)
class Cube:
    """A cube action: doubling before the throw, or the answer to it."""

    seat: Seat
    says: Literal["double", "take", "drop", "beaver"]

    def __str__(self) -> str:
        return self.says


Action = Roll | Move | Cube


def parse(seat: Seat, text: str) -> Action:
    """A seat's action from its text. Raises NotationError with the forms that exist."""
    words = text.split()
    match words:
        case [("double" | "take" | "drop" | "beaver") as says]:
            return Cube(seat, says)
        case ["roll", *faces] if len(faces) == 2 and all(face in _FACES for face in faces):
            return Roll(seat, (int(faces[0]), int(faces[1])))
        case [_, *_] if words[0] != "roll":
            return Move(seat, in_order(step for word in words for step in _way(word)))
    raise NotationError(
        f"'{text}' is no action of backgammon; write 'roll 3 1', '24/18* 13/10', 'double', 'take',"
        " 'drop' or 'beaver'."
    )


def in_order(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Steps as a move keeps them: the rearmost man first, and there the longer way first."""
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
        raise NotationError(f"'{word}' is no move; write 24/18, bar/22*, 6/off or 13/7(2).")
    stops = found["path"].lower().split("/")
    points = [point_of(stop.rstrip("*")) for stop in stops]
    ways = [
        Step(source, target, stop.endswith("*"))
        for source, target, stop in zip(points, points[1:], stops[1:], strict=False)
    ]
    for way in ways:
        if not BAR >= way.source > way.target >= OFF:
            raise NotationError(
                f"'{word}' leads from {name_of(way.source)} to {name_of(way.target)}; men go"
                " from 24 down to 1 and off."
            )
    times = int(found["times"] or 1)
    # Of several men on one point only the first can hit.
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
