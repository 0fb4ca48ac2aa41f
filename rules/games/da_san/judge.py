"""The judge of Da San: a play of cards, the payments, and the calls of the auction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from rules.games.da_san.actions import Lay, Pass
from rules.games.da_san.auction import HIGHEST, Auction
from rules.games.da_san.legal import why_not
from rules.games.da_san.play import DaSanPlay
from rules.games.da_san.position import FACES, KING, RANKS, Form, Hand, Round, cards_of, form_of
from rules.games.da_san.setup import EACH, SEATS, Parameters
from rules.geometry import Seat
from rules.judging import RecordedAct, Verdict, check_range, check_seats, no_case, refuse
from rules.steps import Facts
from rules.tiles import Face

KITTY = 4
"""Cards that are not dealt; the bidder takes them (D6, D9)."""
THREES = 3
"""The holder of this many 3s has to bid 3, in houses with that rule (E11)."""
_HIDDEN = Hand(0, EACH)


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


def judge(case: Case) -> Verdict:
    """The verdict on the play of `case.seat`, or the payments after a hand."""
    if case.play is None:
        assert case.out is not None
        over = _make_play(case, {case.out: Hand()}, Round((case.out + 1) % SEATS, case.out))
        return _ended(case, over, (f"Seat {case.out} has played its last card (D15).",))
    play = _play_before(case)
    form, best = form_of(cards_of(case.play)), form_of(cards_of(case.table))
    action = Lay(case.seat, case.play) if case.play else Pass(case.seat)
    if case.passed and case.parameters.pass_locks_round and case.play:
        reason = (
            f"Seat {case.seat} has passed and cannot play again in this round, in this house (D14)."
        )
        return Verdict(legal=False, reasons=(reason,))
    sentence = why_not(play, action)
    if sentence is not None:
        fact = _fact_why_illegal(case.play, form, best)
        return Verdict(legal=False, reasons=(f"{sentence.removesuffix('.')} ({fact}).",))
    reasons = [_why(form, best)]
    if case.passed:
        reasons.append(f"Seat {case.seat} has passed before, but can play again (D14).")
    after = play.apply(action)
    if after.winner is None or case.held is None:
        return Verdict(legal=True, name=str(form or "pass"), reasons=tuple(reasons))
    return _ended(case, after, (*reasons, f"Seat {case.seat} has played its last card (D15)."))


def _play_before(case: Case) -> DaSanPlay:
    """The play before the action; cards that the case does not name are unknown."""
    hand = Hand(0, EACH + KITTY if case.bidder in (None, case.seat) else EACH)
    if case.held is not None:
        hand = Hand(cards_of(case.held))
    cards = cards_of(case.table)
    by = (case.seat - 1) % SEATS if case.table else None
    return _make_play(case, {case.seat: hand}, Round(case.seat, by, form_of(cards), cards))


def _make_play(case: Case, hands: dict[Seat, Hand], table: Round) -> DaSanPlay:
    first, second, third = (hands.get(seat, _HIDDEN) for seat in range(SEATS))
    calls: tuple[tuple[Seat, int], ...] = ()
    if case.bidder is not None and case.bid is not None:
        # A bid of 1 wins the auction only if the opener made it and both others passed (D8, D17).
        passes = ((case.bidder + step) % SEATS for step in range(1, SEATS))
        calls = ((case.bidder, case.bid), *((seat, 0) for seat in passes))
    return DaSanPlay(
        case.parameters,
        (first, second, third),
        Hand(),
        Auction(calls),
        opener=None,
        round=table,
        doubled=case.doubled,
    )


def _ended(case: Case, play: DaSanPlay, reasons: tuple[str, ...]) -> Verdict:
    """The verdict on a hand that is over, with the payments if the bid is known (D16, D17)."""
    settlement = play.settlement
    if settlement is None:
        ask = "Give the bidder and the bid for the payments (D16)."
        return Verdict(legal=True, win=True, name="out first", reasons=(*reasons, ask))
    bonus = play.auction.forced and case.parameters.forced_bid_bonus
    why = ", ".join(settlement.reasons)
    sentence = f"{why[:1].upper()}{why[1:]} ({'D16, D17' if bonus else 'D16'})."
    return Verdict(
        legal=True,
        win=True,
        name=settlement.name,
        multiplier=settlement.multiplier,
        payments=settlement.payments,
        reasons=(*reasons, sentence),
    )


def _why(form: Form | None, best: Form | None) -> str:
    if form is None:
        return "The seat on turn can pass (D13)."
    if best is None:
        return f"A {form} is a combination (D11), and the leader can play any combination (D14)."
    return f"A {form} beats a {best}: it has the same type and size and is higher (D13)."


def _fact_why_illegal(cards: Sequence[Face], form: Form | None, best: Form | None) -> str:
    """The number of the rule that an illegal play breaks."""
    if not cards:
        return "D14"
    if form is None:
        high = [card for card in cards if RANKS.index(card[:-1]) > KING]
        return "D11, D12" if high else "D11"
    return "D13, E3" if best == form else "D13"


def recorded_case(acts: Sequence[RecordedAct], play: DaSanPlay, seat: Seat | None = None) -> Facts:
    """The keys of the case of a hand's payments; `seat` has no effect. Raises RulesError."""
    if play.winner is None or play.bidder is None:
        raise no_case("no seat has gone out")
    facts: Facts = {"bidder": play.bidder, "bid": play.auction.bid, "out": play.winner}
    return facts | ({"doubled": True} if play.doubled else {})


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


@dataclass(frozen=True)
class AuctionCall:
    """Whether a call of the auction is allowed, and who has won it (D7, D8, D17, E1, E11)."""

    opener: Seat
    """The seat that opens the auction (D7)."""
    calls: tuple[int, ...]
    """The calls before this one in order, the opener's first; 0 is a pass."""
    call: int
    """The call in question: 1, 2, 3, or 0 for a pass."""
    three_threes: bool = False
    """The seat that calls has three 3s (E11)."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        refuse(check_seats({"opener": self.opener}, SEATS))
        refuse(check_range("call", self.call, 0, HIGHEST, "D8"))
        auction = Auction(pass_final=self.parameters.pass_final)
        for number, bid in enumerate(self.calls, 1):
            refuse(check_range("calls", bid, 0, HIGHEST, "D8"))
            seat = self._next(auction)
            why = "The auction is over." if seat is None else auction.why_not(bid)
            if seat is None or why is not None:
                refuse([f"calls: Call {number} is not possible: {why}"])
                return
            auction = auction.after(seat, bid)
        if self._next(auction) is None:
            refuse(["calls: The auction is over after these calls; leave out `call`'s question."])

    def _next(self, auction: Auction) -> Seat | None:
        if not auction.calls:
            return self.opener
        return None if auction.over else auction.turn

    def verdict(self) -> Verdict:
        """The verdict, valid if the call is allowed."""
        auction = Auction(pass_final=self.parameters.pass_final)
        for bid in self.calls:
            seat = self._next(auction)
            assert seat is not None
            auction = auction.after(seat, bid)
        seat = self._next(auction)
        assert seat is not None
        why = auction.why_not(self.call)
        has_to = self.three_threes and self.parameters.three_threes_bid_3
        if why is None and has_to and self.call != HIGHEST:
            why = f"Seat {seat} has three 3s and has to bid {HIGHEST} (E11)."
        if why is not None:
            return Verdict(legal=False, name="not allowed", reasons=(why,))
        after = auction.after(seat, self.call)
        if not after.over:
            reason = f"Seat {seat} calls {self.call or 'pass'}; seat {after.turn} calls next (D8)."
            return Verdict(legal=True, name="call", reasons=(reason,))
        forced = " with the forced bid (D17)" if after.forced else ""
        reason = f"Seat {after.bidder} has won the auction with {after.bid}{forced} (D8, D9)."
        return Verdict(legal=True, name="auction over", reasons=(reason,))


QUESTIONS: Final = {"auction": AuctionCall}
"""The questions besides a play of cards, by the value of `ask`."""
