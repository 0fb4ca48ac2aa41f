"""The backgammon board: the points of each player's fifteen men, in that player's numbering.

Points run from 24 down to 1; 25 is the bar and 0 is off the board. The men of one player are one
integer with four bits for each point, so that a move is one addition (`shift`). Sets of points are
masks with one bit for each point, at the lowest of its four bits: shifting a mask by `4 * die` bits
moves every point by one die.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from rules.errors import NotationError
from rules.games.backgammon.setup import SEATS, START
from rules.geometry import Seat

Men = int
"""The men of one player: bits 4p to 4p + 3 are the number of men on his point p."""
Mask = int
"""A set of points: bit 4p is point p."""

OFF, BAR = 0, 25
MEN = 15
POINTS: Mask = sum(1 << 4 * point for point in range(1, BAR))
"""The twenty-four points, without the bar."""
_BYTES = (BAR + 1) // 2


class BackgammonBoard(NamedTuple):
    """The men of both players, as `board[seat]`; text `24(2) 13(5) 8(3) 6(5) | bar 13(14)`."""

    first: Men
    second: Men

    @classmethod
    def of(cls, first: Mapping[int, int], second: Mapping[int, int]) -> BackgammonBoard:
        """Returns the board with these numbers of men by point (25 is the bar).

        The rest of each player's fifteen men are off. Raises NotationError for an impossible
        position.
        """
        board = cls(pack(first), pack(second))
        for point in range(1, BAR):
            if board.men(0, point) and board.men(1, BAR - point):
                raise NotationError(
                    f"Seat 0's point {point} is seat 1's point {BAR - point}, so men of both"
                    " players cannot be on it; correct one of the two."
                )
        return board

    @classmethod
    def parse(cls, text: str) -> BackgammonBoard:
        """Parses the text of a board. Raises NotationError for any other text."""
        sides = text.split("|")
        if len(sides) != SEATS:
            raise NotationError(
                f"'{text}' is not a position; write the men of both players, as"
                " '24(2) 13(5) 8(3) 6(5) | bar 13(14)'."
            )
        return cls.of(*map(_read, sides))

    def men(self, seat: Seat, point: int) -> int:
        """The number of a seat's men on his point, on the bar (25) or off the board (0)."""
        return self[seat] >> 4 * point & 15

    def where(self, seat: Seat) -> dict[int, int]:
        """The number of a seat's men by point, the rearmost first, without men that are off."""
        return {point: count for point in range(BAR, OFF, -1) if (count := self.men(seat, point))}

    def pips(self, seat: Seat) -> int:
        """The number of points that a seat's men still have to move (BG-01); 25 from the bar."""
        return sum(point * count for point, count in self.where(seat).items())

    def with_men(self, seat: Seat, own: Men, other: Men) -> BackgammonBoard:
        """The board with these men of the seat and of his opponent."""
        return BackgammonBoard(other, own) if seat else BackgammonBoard(own, other)

    def __str__(self) -> str:
        return " | ".join(_written(self.where(seat)) for seat in range(SEATS))


def pack(men: Mapping[int, int]) -> Men:
    """Numbers of men by point as one integer; the rest of the fifteen men are off.

    Raises NotationError for a point that does not exist or for more men than a player has.
    """
    for point, count in men.items():
        if not OFF <= point <= BAR or count < 0:
            raise NotationError(f"{count} men cannot be on point {point}; points are 1 to 24.")
    missing = MEN - sum(men.values())
    if missing < 0 or (men.get(OFF) and missing):
        raise NotationError(
            f"A player has {MEN} men, not {sum(men.values())}; correct the numbers of men."
        )
    return missing + sum(count << 4 * point for point, count in men.items())


def shift(source: int, target: int) -> int:
    """The number to add to a player's men to move one man from `source` to `target`."""
    return (1 << 4 * target) - (1 << 4 * source)


def held(men: Men) -> Mask:
    """The points, and the bar, with at least one man."""
    return (men | men >> 1 | men >> 2 | men >> 3) & (POINTS | 1 << 4 * BAR)


def made(men: Men) -> Mask:
    """The points with two men or more, which the opponent cannot enter (B4)."""
    return (men >> 1 | men >> 2 | men >> 3) & POINTS


def mirrored(men: Men) -> Men:
    """The same men in the opponent's numbering, in which point p is point 25 - p."""
    return int.from_bytes(men.to_bytes(_BYTES, "little").translate(_swap()), "big")


@cache
def _swap() -> bytes:
    """A table that exchanges the halves of each byte."""
    return bytes((byte & 15) << 4 | byte >> 4 for byte in range(256))


START_BOARD = BackgammonBoard(pack(START), pack(START))

_STACK = re.compile(r"(?P<point>bar|off|[0-9]{1,2})(?:\((?P<count>[0-9]{1,2})\))?")


def _read(text: str) -> dict[int, int]:
    men: dict[int, int] = {}
    for word in text.split():
        stack = _STACK.fullmatch(word)
        if stack is None:
            raise NotationError(f"'{word}' is not a stack of men; write 13(5), 6 or bar(2).")
        point = point_of(stack["point"])
        men[point] = men.get(point, 0) + int(stack["count"] or 1)
    return men


def _written(men: Mapping[int, int]) -> str:
    stacks = (name_of(point) + (f"({count})" if count > 1 else "") for point, count in men.items())
    return " ".join(stacks) or f"off({MEN})"


def point_of(name: str) -> int:
    """The number of a point from its text: `bar`, `off` or a number."""
    return BAR if name == "bar" else OFF if name == "off" else int(name)


def name_of(point: int) -> str:
    """The text of a point: `bar`, `off` or its number."""
    return {BAR: "bar", OFF: "off"}.get(point) or str(point)
