"""The auction for the kitty (D7, D8): 1, 2, 3 or pass, each bid higher than the last."""

from __future__ import annotations

from dataclasses import dataclass

from rules.games.da_san.setup import SEATS
from rules.geometry import Seat

HIGHEST = 3


@dataclass(frozen=True, slots=True)
class Auction:
    """The auction so far: every call as seat and bid, the opener's first; 0 is a pass."""

    calls: tuple[tuple[Seat, int], ...] = ()
    pass_final: bool = False

    @property
    def bid(self) -> int:
        """The highest bid, 0 before the first."""
        return max((bid for _, bid in self.calls), default=0)

    @property
    def bidder(self) -> Seat | None:
        """The seat that made the highest bid (D9)."""
        return next((seat for seat, bid in reversed(self.calls) if bid), None)

    @property
    def over(self) -> bool:
        """Whether the auction has ended.

        It ends on a bid of 3, after two passes in a row (D8), or if no other seat can bid (E1).
        """
        return self.bid == HIGHEST or (bool(self.calls) and self.turn is None)

    @property
    def turn(self) -> Seat | None:
        """The seat that calls next, counter-clockwise.

        None before the opener's call, after two passes in a row, and if no seat can call.
        """
        if not self.calls or [bid for _, bid in self.calls[-2:]] == [0, 0]:
            return None
        passed = {seat for seat, bid in self.calls if not bid} if self.pass_final else set()
        last = self.calls[-1][0]
        others = ((last + step) % SEATS for step in range(1, SEATS))
        return next((seat for seat in others if seat not in passed | {self.bidder}), None)

    @property
    def forced(self) -> bool:
        """Whether the opener won the auction with the bid of 1 that he had to make (D17)."""
        return [bid for _, bid in self.calls] == [1, 0, 0]

    def why_not(self, bid: int) -> str | None:
        """The objection to a call by the seat on turn, 0 for a pass; None if it is legal."""
        if not bid:
            return None if self.calls else "The opener cannot pass; bid 1, 2 or 3."
        if not self.bid < bid <= HIGHEST:
            allowed = f"{self.bid + 1} to {HIGHEST}" if self.bid + 1 < HIGHEST else str(HIGHEST)
            return f"A bid of {bid} is not higher than {self.bid}; bid {allowed}, or pass."
        return None

    def after(self, seat: Seat, bid: int) -> Auction:
        """Returns the auction after a call."""
        return Auction((*self.calls, (seat, bid)), self.pass_final)
