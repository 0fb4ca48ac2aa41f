"""Rulings of Da San besides a play of cards: calls of the auction, and the next dealer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from rules.games.da_san.auction import HIGHEST, Auction
from rules.games.da_san.setup import SEATS, Parameters
from rules.geometry import Seat
from rules.judging.judge_checks import check_range, check_seats, refuse
from rules.judging.judge_registry import Verdict


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
