"""What a Da San case cannot say at once: each contradiction is one sentence with its rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from rules.games.da_san.auction import HIGHEST
from rules.games.da_san.cards import FACES, cards_of, form_of
from rules.games.da_san.setup import EACH, SEATS, Parameters
from rules.geometry import Seat
from rules.judge_checks import about_seats, refuse
from rules.tiles import Face

KITTY = 4
"""Cards that are not dealt; the bidder takes them (D6, D9)."""
THREES = 3
"""So many 3s make their holder bid 3, in houses that say so (E11)."""


@dataclass(frozen=True)
class Case:
    """What lies on the table, and what a seat tried to lay on it; or how a hand ended.

    Raises RulesError for a case that contradicts itself.
    """

    table: tuple[Face, ...] = ()
    """The combination to beat; none for a lead."""
    play: tuple[Face, ...] | None = None
    """The cards tried, `[]` for a pass. Left out, the case asks for the payments alone."""
    seat: Seat = 0
    """The seat that plays."""
    hand: tuple[Face, ...] | None = None
    """What the seat held before."""
    passed: bool = False
    """The seat has passed in this round (D14)."""
    bidder: Seat | None = None
    """The seat that won the auction; needed for the payments."""
    bid: int | None = None
    """What the bidder bid, 1 to 3 (D8)."""
    out: Seat | None = None
    """The seat that has played its last card (D15)."""
    doubled: bool = False
    """The bidder has doubled the stake, in houses that play so (E11)."""
    parameters: Parameters = field(default_factory=Parameters)
    """What this house plays differently."""

    def __post_init__(self) -> None:
        require_consistent(self)

    @property
    def held(self) -> tuple[Face, ...] | None:
        """What the seat is known to hold before the play; who goes out by it holds nothing else."""
        return self.play if self.hand is None and self.out == self.seat else self.hand


def require_consistent(case: Case) -> None:
    """Raises RulesError with the first contradiction of a case."""
    named = {"seat": case.seat, "bidder": case.bidder, "out": case.out}
    refuse(about_seats(named, SEATS))
    refuse(_about_the_bid(case))
    refuse(_about_cards(case))
    refuse(_about_the_end(case))


def _about_the_bid(case: Case) -> Iterator[str]:
    if (case.bidder is None) != (case.bid is None):
        yield "bid: A bidder has bid 1, 2 or 3; give both the bidder and the bid (D8)."
    if case.bid is not None and not 1 <= case.bid <= HIGHEST:
        yield f"bid: A bid is 1, 2 or 3 (D8), not {case.bid}."
    if case.doubled and not case.parameters.bidder_may_double:
        yield "doubled: In this house the bidder does not double (E11)."
    if case.doubled and case.bidder is None:
        yield "doubled: Only a bidder doubles (E11); give the bidder and the bid."
    threes = sum(card[:-1] == "3" for card in case.held or ())
    must = case.parameters.three_threes_bid_3 and case.bidder not in (None, case.seat)
    if must and threes >= THREES and case.bid != HIGHEST:
        yield (
            f"bid: Seat {case.seat} holds {threes} 3s and had to bid 3 in this house (E11), so the"
            f" bid of seat {case.bidder} is not {case.bid}."
        )


def _about_cards(case: Case) -> Iterator[str]:
    held, tried = case.held or (), case.play or ()
    for name, cards in (("table", case.table), ("play", tried), ("hand", held)):
        for card in cards:
            if card not in FACES:
                yield f"{name}: '{card}' is no card; write 4h, 10s or Kd."
            if cards.count(card) > 1:
                yield f"{name}: There is only one {card}; it is named {cards.count(card)} times."
    for card in case.table:
        if card in (*held, *tried):
            yield f"table: {card} lies on the table; seat {case.seat} cannot hold it."
    for card in tried:
        if case.hand is not None and card not in case.hand:
            yield f"play: The hand of seat {case.seat} has no {card} to play."
    most = EACH + KITTY if case.bidder in (None, case.seat) else EACH
    if len(held) > most:
        yield f"hand: Seat {case.seat} holds {most} cards at most (D6, D9), not {len(held)}."
    if case.table and form_of(cards_of(case.table)) is None:
        yield f"table: {' '.join(case.table)} on the table is no combination (D11)."
    if case.passed and not case.table:
        yield "passed: Nobody has passed before the lead (D14); give the play on the table."


def _about_the_end(case: Case) -> Iterator[str]:
    if case.play is None:
        if case.out is None:
            yield "play: Nothing is asked; give the play tried, or who went out (D15)."
        if case.bidder is None:
            yield "bidder: Who pays depends on the bid (D16); give the bidder and the bid."
        if case.hand and case.out == case.seat:
            yield f"out: Seat {case.seat} is not out; it holds {' '.join(case.hand)}."
        return
    if case.out is not None and case.out != case.seat:
        yield f"out: Seat {case.out} is out and the hand over; nobody plays (D15)."
    if case.out is not None and (not case.play or len(case.held or ()) > len(case.play)):
        yield f"out: Seat {case.seat} is not out; cards are left in its hand (D15)."
    if case.hand == ():
        yield f"hand: Seat {case.seat} has no card left; the hand is over (D15)."
