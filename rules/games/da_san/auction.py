"""The auction for the kitty (D7, D8): 1, 2, 3 or pass, each bid higher than the last."""

from __future__ import annotations

from dataclasses import dataclass

from rules.games.da_san.setup import SEATS
from rules.geometry import Seat

HIGHEST = 3


@dataclass(frozen=True, slots=True)
class Auction:
    """Every call so far, the opener's first, as seat and bid; 0 is a pass."""

    calls: tuple[tuple[Seat, int], ...] = ()
    pass_final: bool = False

    @property
    def bid(self) -> int:
        """The highest bid, 0 before the first."""
        return max((bid for _, bid in self.calls), default=0)

    @property
    def bidder(self) -> Seat | None:
        """Who made the highest bid (D9)."""
        return next((seat for seat, bid in reversed(self.calls) if bid), None)

    @property
    def over(self) -> bool:
        """On a bid of 3, on two passes in a row (D8), or when nobody else may bid (E1)."""
        return self.bid == HIGHEST or (bool(self.calls) and self.turn is None)

    @property
    def turn(self) -> Seat | None:
        """Who calls next, counter-clockwise; None before the opener, and after two passes."""
        if not self.calls or [bid for _, bid in self.calls[-2:]] == [0, 0]:
            return None
        passed = {seat for seat, bid in self.calls if not bid} if self.pass_final else set()
        last = self.calls[-1][0]
        others = ((last + step) % SEATS for step in range(1, SEATS))
        return next((seat for seat in others if seat not in passed | {self.bidder}), None)

    @property
    def forced(self) -> bool:
        """Whether the opener is left with the 1 that he had to bid (D17)."""
        return [bid for _, bid in self.calls] == [1, 0, 0]

    def why_not(self, bid: int) -> str | None:
        """The sentence against a call by the seat on turn, 0 for a pass; None if it is legal."""
        if not bid:
            return None if self.calls else "The opener has to bid at least 1; he cannot pass."
        if not self.bid < bid <= HIGHEST:
            room = f"{self.bid + 1} to {HIGHEST}" if self.bid + 1 < HIGHEST else str(HIGHEST)
            return f"A bid of {bid} is not higher than {self.bid}; bid {room}, or pass."
        return None

    def after(self, seat: Seat, bid: int) -> Auction:
        """The auction after a call."""
        return Auction((*self.calls, (seat, bid)), self.pass_final)
