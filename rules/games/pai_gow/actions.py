"""Actions of pai gow after the deal, each with a text that `parse` reads back.

set 6-6 5-4 / 1-1 3-1    the hand is laid down, the high hand first
set                      the same, by a seat with unknown tiles
show 6-6 5-4 / 1-1 3-1   a hand that was laid down unknown is turned up
call push                the floor calls win, lose or push for a seat where no tiles were read
"""

from __future__ import annotations

from dataclasses import dataclass

from rules.errors import NotationError
from rules.games.pai_gow.compare import RESULTS, Result
from rules.games.pai_gow.split import Split, parse_split
from rules.geometry import Seat


@dataclass(frozen=True, slots=True)
class SetHand:
    """A seat lays its hand down; `split` is None where its tiles are not all known."""

    seat: Seat
    split: Split | None = None

    def __str__(self) -> str:
        return "set" if self.split is None else f"set {self.split}"


@dataclass(frozen=True, slots=True)
class Show:
    """A hand that was laid down unknown is turned up."""

    seat: Seat
    split: Split

    def __str__(self) -> str:
        return f"show {self.split}"


@dataclass(frozen=True, slots=True)
class Call:
    """The floor calls a player's result where no tiles were read."""

    seat: Seat
    result: Result

    def __str__(self) -> str:
        return f"call {self.result}"


Action = SetHand | Show | Call


def parse(seat: Seat, text: str) -> Action:
    """An action from its text.

    Raises NotationError for a text that names none.
    """
    verb, _, rest = text.strip().partition(" ")
    match verb, rest:
        case ("set", ""):
            return SetHand(seat)
        case ("set", _):
            return SetHand(seat, parse_split(rest))
        case ("show", _):
            return Show(seat, parse_split(rest))
        case ("call", _):
            for result in RESULTS:
                if rest == result:
                    return Call(seat, result)
    raise NotationError(
        f"'{text}' is no action of pai gow; write 'set 6-6 5-4 / 1-1 3-1', 'set' for unknown tiles,"
        f" 'show 6-6 5-4 / 1-1 3-1', or 'call' with {', '.join(RESULTS)}."
    )
