"""The judge of Da San: whether a play is legal on the cards on the table, and who pays."""

from __future__ import annotations

from collections.abc import Sequence

from rules.games.da_san.actions import Lay, Pass
from rules.games.da_san.auction import Auction
from rules.games.da_san.judging.case import KITTY, Case
from rules.games.da_san.judging.questions import QUESTIONS
from rules.games.da_san.judging.recorded_case import recorded_case
from rules.games.da_san.legal import why_not
from rules.games.da_san.play import DaSanPlay
from rules.games.da_san.position.cards import KING, RANKS, Form, cards_of, form_of
from rules.games.da_san.position.hand import Hand
from rules.games.da_san.position.table import Round
from rules.games.da_san.setup import EACH, SEATS
from rules.geometry import Seat
from rules.judging.judge_registry import Verdict
from rules.tiles import Face

__all__ = ["QUESTIONS", "Case", "judge", "recorded_case"]

_HIDDEN = Hand(0, EACH)


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
