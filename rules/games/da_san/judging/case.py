"""A judge case of Da San, and the checks that refuse a case that contradicts itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from rules.games.da_san.auction import HIGHEST
from rules.games.da_san.position.cards import FACES, cards_of, form_of
from rules.games.da_san.setup import EACH, SEATS, Parameters
from rules.geometry import Seat
from rules.judging.judge_checks import check_seats, refuse
from rules.tiles import Face

KITTY = 4
"""Cards that are not dealt; the bidder takes them (D6, D9)."""
THREES = 3
"""The holder of this many 3s has to bid 3, in houses with that rule (E11)."""


@dataclass(frozen=True)
class Case:
    """The combination on the table and the cards that a seat plays on it, or the end of a hand.

    Raises RulesError for a case that contradicts itself.
    """

    table: tuple[Face, ...] = ()
    """The combination to beat; none for a lead."""
    play: tuple[Face, ...] | None = None
    """The cards played, `[]` for a pass. If left out, the case asks for the payments only."""
    seat: Seat = 0
    """The seat that plays."""
    hand: tuple[Face, ...] | None = None
    """The cards that the seat held before the play."""
    passed: bool = False
    """The seat has passed in this round (D14)."""
    bidder: Seat | None = None
    """The seat that won the auction; needed for the payments."""
    bid: int | None = None
    """The bid of the bidder, 1 to 3 (D8)."""
    out: Seat | None = None
    """The seat that has played its last card (D15)."""
    doubled: bool = False
    """The bidder has doubled the stake, in houses that allow it (E11)."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        require_consistent(self)

    @property
    def held(self) -> tuple[Face, ...] | None:
        """The cards known to be in the seat's hand before the play.

        A seat that goes out with this play held only the cards that it plays.
        """
        return self.play if self.hand is None and self.out == self.seat else self.hand


def require_consistent(case: Case) -> None:
    """Raises RulesError with the first contradiction of a case."""
    named = {"seat": case.seat, "bidder": case.bidder, "out": case.out}
    refuse(check_seats(named, SEATS))
    refuse(_check_bid(case))
    refuse(_check_cards(case))
    refuse(_check_end(case))


def _check_bid(case: Case) -> Iterator[str]:
    if (case.bidder is None) != (case.bid is None):
        yield "bid: The bidder and the bid belong together; give both, or neither (D8)."
    if case.bid is not None and not 1 <= case.bid <= HIGHEST:
        yield f"bid: A bid is 1, 2 or 3 (D8), not {case.bid}."
    if case.doubled and not case.parameters.bidder_may_double:
        yield "doubled: In this house the bidder cannot double (E11); leave it out."
    if case.doubled and case.bidder is None:
        yield "doubled: Only the bidder can double (E11); give the bidder and the bid."
    threes = sum(card[:-1] == "3" for card in case.held or ())
    must = case.parameters.three_threes_bid_3 and case.bidder not in (None, case.seat)
    if must and threes >= THREES and case.bid != HIGHEST:
        yield (
            f"bid: Seat {case.seat} holds {threes} 3s and had to bid 3 in this house (E11), so the"
            f" bid of seat {case.bidder} cannot be {case.bid}."
        )


def _check_cards(case: Case) -> Iterator[str]:
    held, tried = case.held or (), case.play or ()
    for name, cards in (("table", case.table), ("play", tried), ("hand", held)):
        for card in cards:
            if card not in FACES:
                yield f"{name}: '{card}' is not a card; write 4h, 10s or Kd."
            if cards.count(card) > 1:
                yield f"{name}: {card} is named {cards.count(card)} times; name each card once."
    for card in case.table:
        if card in (*held, *tried):
            yield f"table: {card} is on the table, so seat {case.seat} cannot hold it."
    for card in tried:
        if case.hand is not None and card not in case.hand:
            yield f"play: Seat {case.seat} cannot play {card}; it is not in its hand."
    most = EACH + KITTY if case.bidder in (None, case.seat) else EACH
    if len(held) > most:
        yield f"hand: Seat {case.seat} can hold at most {most} cards (D6, D9), not {len(held)}."
    if case.table and form_of(cards_of(case.table)) is None:
        yield f"table: {' '.join(case.table)} on the table is not a combination (D11)."
    if case.passed and not case.table:
        yield "passed: No seat passes before the lead (D14); give the combination on the table."


def _check_end(case: Case) -> Iterator[str]:
    if case.play is None:
        if case.out is None:
            yield "play: The case asks nothing; give a play, or the seat that went out (D15)."
        if case.bidder is None:
            yield "bidder: The payments depend on the bid (D16); give the bidder and the bid."
        if case.hand and case.out == case.seat:
            yield f"out: Seat {case.seat} is not out; it still holds {' '.join(case.hand)}."
        return
    if case.out is not None and case.out != case.seat:
        yield (
            f"out: Seat {case.out} is out, so the hand is over (D15); leave out the play of seat"
            f" {case.seat}."
        )
    if case.out is not None and (not case.play or len(case.held or ()) > len(case.play)):
        yield f"out: Seat {case.seat} is not out; it still has cards in its hand (D15)."
    if case.hand == ():
        yield f"hand: Seat {case.seat} has no card left, so the hand is over (D15)."
