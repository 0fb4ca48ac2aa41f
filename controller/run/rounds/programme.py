"""The programme of rounds: decides when the next round begins, and by which orders it is played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from controller.run.orders import Orders
from rules.play import Match


@dataclass(frozen=True)
class RoundOrder:
    """One round: its orders, and the number of rounds that were played before it by these orders.

    With `new_match` a new match begins, even if the last one is not over. `match` is the match that
    the round continues, if an earlier run has played its last hand. With `until_ready` the run ends
    when the set-up of the round is complete. `hand` names the hand in reports of its result; by
    default it is the number of the round in the run, from 1.
    """

    orders: Orders
    number: int
    new_match: bool = False
    until_ready: bool = False
    match: Match | None = None
    hand: str = ""


class RoundProgramme(Protocol):
    """Decides which round is played next. All rounds of a programme use the same tiles."""

    def shuffles(self, tile_set: int) -> None:
        """Note that a set is taken in and is shuffled next; called again if a run is resumed."""

    async def next_round(self, tile_set: int) -> RoundOrder | None:
        """Wait until the next round may begin; None ends the run, the tiles stay in the machine.

        `tile_set` is the number of the set that rises next; it may still be below.
        """

    def takes_in(self) -> bool:
        """Whether the tiles of the round that is over are taken in; False ends the run."""


class FixedRounds:
    """A programme of a fixed number of rounds with the same orders."""

    def __init__(self, orders: Orders, rounds: int, *, until_ready: bool = False) -> None:
        self._orders = orders
        self._rounds = rounds
        self._until_ready = until_ready
        self._begun = 0

    def shuffles(self, tile_set: int) -> None:
        """Do nothing: every set is for the same orders."""

    async def next_round(self, tile_set: int) -> RoundOrder | None:
        """The next round; None after the last one."""
        number, self._begun = self._begun, self._begun + 1
        if number >= self._rounds:
            return None
        is_last = number == self._rounds - 1
        return RoundOrder(self._orders, number, until_ready=self._until_ready and is_last)

    def takes_in(self) -> bool:
        """The tiles of every round are taken in."""
        return True
