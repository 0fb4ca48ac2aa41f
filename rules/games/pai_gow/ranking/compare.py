"""Compares a player's high and low hand with the banker's, and returns the result (4.2).

The banker wins a copy (two equal hands), and two hands of 0 (PG-18, PG-19). A player who wins both
hands wins, one who loses both loses; anything else is a push (PG-21).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.games.pai_gow.ranking.ranks import Rank
from rules.games.pai_gow.ranking.split import Split
from rules.games.pai_gow.setup import Parameters

Side = Literal["player", "banker", "neither"]
Result = Literal["win", "lose", "push"]
RESULTS: tuple[Result, ...] = ("win", "lose", "push")
"""Every result of a player."""


@dataclass(frozen=True)
class Comparison:
    """The winner of the high hand and of the low hand, and the reasons."""

    high: Side
    low: Side
    reasons: tuple[str, str]

    @property
    def result(self) -> Result:
        match self.high, self.low:
            case ("player", "player"):
                return "win"
            case ("banker", "banker"):
                return "lose"
        return "push"


def compare(player: Split, banker: Split, parameters: Parameters | None = None) -> Comparison:
    """Compares a player's split with the banker's: high hand with high hand, low with low."""
    house = parameters or Parameters()
    sides: list[Side] = []
    reasons = []
    for name, mine, his in (("high", player.high, banker.high), ("low", player.low, banker.low)):
        rank, other = house.ranking.rank(mine), house.ranking.rank(his)
        side = taker(rank, other, house)
        sides.append(side)
        reasons.append(f"{name} {' '.join(mine)} to {' '.join(his)}: {_why(rank, other, side)}")
    high, low = sides
    return Comparison(high, low, (reasons[0], reasons[1]))


def taker(player: Rank, banker: Rank, parameters: Parameters) -> Side:
    """The winner of one hand; "neither" only for copies that the banker does not win."""
    if player == banker:
        zeros = player.is_zero and parameters.zero_zero_to_banker
        return "banker" if zeros or parameters.banker_wins_copies else "neither"
    return "player" if player > banker else "banker"


def _why(player: Rank, banker: Rank, side: Side) -> str:
    """The reason: `the player's Teen Wong beats 7` or `both 1, a copy, which the banker wins`."""
    if player == banker:
        copy = "both 0" if player.is_zero else f"both {player}, a copy"
        return f"{copy}, which {'the banker' if side == 'banker' else 'neither side'} wins (4.2)"
    better, worse = max(player, banker), min(player, banker)
    if better.name == worse.name:
        return f"both {better}, the {side}'s stronger tile decides (4.2)"
    return f"the {side}'s {better} beats {worse} (4.2)"
