"""Actions of pai gow after the deal, each with a text that `parse` parses.

set 6-6 5-4 / 1-1 3-1    a seat sets its hand, the high hand first
set                      a seat with unknown tiles sets its hand
show 6-6 5-4 / 1-1 3-1   a seat turns up a hand that it set with unknown tiles
call push                the floor calls win, lose or push for a seat whose tiles are unknown
"""

from __future__ import annotations

from dataclasses import dataclass

from rules.errors import NotationError
from rules.games.pai_gow.ranking import Split, parse_split
from rules.games.pai_gow.settle import RESULTS, Result
from rules.geometry import Seat


@dataclass(frozen=True, slots=True)
class SetHand:
    """A seat sets its hand; `split` is None if its tiles are not all known."""

    seat: Seat
    split: Split | None = None

    def __str__(self) -> str:
        return "set" if self.split is None else f"set {self.split}"


@dataclass(frozen=True, slots=True)
class Show:
    """A seat turns up a hand that it set with unknown tiles."""

    seat: Seat
    split: Split

    def __str__(self) -> str:
        return f"show {self.split}"


@dataclass(frozen=True, slots=True)
class Call:
    """The floor calls the result of a player whose tiles are unknown."""

    seat: Seat
    result: Result

    def __str__(self) -> str:
        return f"call {self.result}"


Action = SetHand | Show | Call


def parse(seat: Seat, text: str) -> Action:
    """Parses the text of an action. Raises NotationError for any other text."""
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
        f"'{text}' is not an action of pai gow; write 'set 6-6 5-4 / 1-1 3-1', 'set' for unknown"
        f" tiles, 'show 6-6 5-4 / 1-1 3-1', or 'call' with {', '.join(RESULTS)}."
    )
