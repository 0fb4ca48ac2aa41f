"""Actions of Da San: `bid 2`, `pass`, `reveal 4h 5s`, `double`, `play 7h 8d 9c 10s`."""

from __future__ import annotations

from dataclasses import dataclass

from rules.errors import NotationError
from rules.games.da_san.position import FACES, cards_of, faces_of
from rules.geometry import Seat
from rules.tiles import Face


@dataclass(frozen=True, slots=True)
class Bid:
    """A bid of 1, 2 or 3 (D8)."""

    seat: Seat
    bid: int

    def __str__(self) -> str:
        return f"bid {self.bid}"


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass in the auction or in a round of play (D8, D13)."""

    seat: Seat

    def __str__(self) -> str:
        return "pass"


@dataclass(frozen=True, slots=True)
class Double:
    """The bidder doubles the stake, in houses that allow it (E11)."""

    seat: Seat

    def __str__(self) -> str:
        return "double"


@dataclass(frozen=True, slots=True)
class Reveal:
    """The bidder turns up cards of the kitty, in houses that show the kitty to all (D9)."""

    seat: Seat
    cards: tuple[Face, ...]

    def __str__(self) -> str:
        return "reveal " + " ".join(self.cards)


@dataclass(frozen=True, slots=True)
class Lay:
    """Cards played on the table: a lead, or a higher combination (D13)."""

    seat: Seat
    cards: tuple[Face, ...]

    def __str__(self) -> str:
        return "play " + " ".join(self.cards)


Action = Bid | Pass | Reveal | Double | Lay


def parse(seat: Seat, text: str) -> Action:
    """Parses the text of a seat's action; cards in any order. Raises NotationError."""
    match text.split():
        case ["pass"]:
            return Pass(seat)
        case ["double"]:
            return Double(seat)
        case ["bid", ("1" | "2" | "3") as bid]:
            return Bid(seat, int(bid))
        case [("play" | "reveal") as verb, *cards] if cards:
            for card in cards:
                if card not in FACES:
                    raise NotationError(f"'{card}' is not a card; write 4h, 10s or Kd.")
                if cards.count(card) > 1:
                    raise NotationError(f"'{text}' names {card} twice; name each card once.")
            named = faces_of(cards_of(cards))
            return Lay(seat, named) if verb == "play" else Reveal(seat, named)
    raise NotationError(
        f"'{text}' is not an action of Da San; write 'bid 2', 'pass', 'reveal 4h', 'double' or"
        " 'play 7h 8d 9c 10s'."
    )
