"""The payments of a hand of Da San, and the results that people report (D15, D16, D17, E11)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rules.games.da_san.auction import HIGHEST
from rules.games.da_san.match import DaSanMatch
from rules.games.da_san.setup import SEATS, Parameters
from rules.geometry import Seat
from rules.judging import RecordedAct
from rules.play import Payment, Settlement
from rules.results import (
    Depth,
    FinishedHand,
    GameResults,
    Result,
    ResultField,
    ResultForm,
    finished,
    not_counted,
)
from rules.setup import Setup

FORCED_BONUS = 2
"""The factor by which an opener's forced bid of 1 wins, in houses with that rule (D17)."""


@dataclass(frozen=True, slots=True)
class Contract:
    """What the bidder has undertaken: to go out first, for a bid, doubled or not.

    `forced` is true if the opener won the auction with the bid of 1 that he had to make (D17).
    """

    bidder: Seat
    bid: int
    doubled: bool = False
    forced: bool = False


def settled(contract: Contract, winner: Seat, parameters: Parameters) -> Settlement:
    """The settlement of a hand in which `winner` went out first (D16).

    The bidder is paid by both others, or pays both.
    """
    bidder, times = contract.bidder, contract.bid
    reasons = [f"seat {bidder} bid {times}", f"seat {winner} went out first"]
    if contract.doubled:
        times *= 2
        reasons.append("the bidder doubled")
    if contract.forced and parameters.forced_bid_bonus and winner == bidder:
        times *= FORCED_BONUS
        reasons.append("the bid of 1 was forced and wins double")
    amount, why = times * parameters.stake_unit, ", ".join(reasons)
    payments = tuple(
        Payment(seat, bidder, amount, why)
        if winner == bidder
        else Payment(bidder, seat, amount, why)
        for seat in range(SEATS)
        if seat != bidder
    )
    name = "bidder out first" if winner == bidder else "bidder beaten"
    return Settlement(name, times, payments, tuple(reasons), winner)


def form(match: DaSanMatch, setup: Setup | None = None) -> ResultForm:
    """Who went out first; then who bid how much. Two fields only in houses with their rules."""
    house = match.parameters
    fields = [
        ResultField("winner", "seat", "the seat that went out first", needed="who", rule="D15"),
        ResultField("bidder", "seat", "the seat that took the kitty", "amount", needed="amount"),
        ResultField("bid", "number", "the bid", "amount", needed="amount", least=1, most=HIGHEST),
    ]
    if house.bidder_may_double:
        fields.append(ResultField("doubled", "yes_no", "that the bidder doubled", "amount"))
    if house.forced_bid_bonus:
        forced = "that the bid of 1 was forced"
        when = (("bid", (1,)),)
        fields.append(ResultField("forced", "yes_no", forced, "amount", when=when, rule="D17"))
    return ResultForm("da_san", SEATS, tuple(fields))


def finish(match: DaSanMatch, result: Result) -> FinishedHand:
    """The finished hand of a checked result."""
    winner: Seat = result["winner"]
    if "bid" not in result:
        settlement = not_counted("out first", winner, f"seat {winner} went out first")
        return FinishedHand(settlement, counted=False)
    contract = Contract(
        result["bidder"],
        result["bid"],
        doubled=result.get("doubled", False),
        forced=result.get("forced", False),
    )
    return FinishedHand(settled(contract, winner, match.parameters))


def read(match: DaSanMatch, acts: Sequence[RecordedAct], play: Any, depth: Depth) -> Result:
    """The result of a followed hand; its cards decide nothing, so `tiles` is the same as `amount`.

    Raises RulesError for a hand that is not over.
    """
    finished(play)
    if depth == "who":
        return {"winner": play.winner}
    contract: Contract = play.contract
    return dict(_facts(play.winner, contract, match.parameters))


def _facts(winner: Seat, contract: Contract, house: Parameters) -> Iterator[tuple[str, Any]]:
    yield "winner", winner
    yield "bidder", contract.bidder
    yield "bid", contract.bid
    if house.bidder_may_double:
        yield "doubled", contract.doubled
    if house.forced_bid_bonus and contract.bid == 1:
        yield "forced", contract.forced


RESULTS: Final = GameResults(form, finish, read)
"""The results of Da San."""
