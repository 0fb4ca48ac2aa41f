"""Compares hands of pai gow with the bank's, and pays every player, seat by seat (4.2).

The banker wins a copy (two equal hands), and two hands of 0 (PG-18, PG-19). A player who wins both
hands wins, one who loses both loses; anything else is a push (PG-21).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rules.games.pai_gow.ranking import Rank, Split
from rules.games.pai_gow.setup import Parameters
from rules.geometry import Seat
from rules.play import HOUSE, Amount, Payment, Settlement

Side = Literal["player", "banker", "neither"]
Result = Literal["win", "lose", "push"]
RESULTS: tuple[Result, ...] = ("win", "lose", "push")
"""Every result of a player."""
_ENDS: Mapping[Result, str] = {
    "win": "wins both hands, even money (4.2)",
    "lose": "loses both hands (4.2)",
    "push": "pushes, as neither side takes both hands (4.2)",
}


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


def settle(
    parameters: Parameters,
    banker: Seat,
    stakes: Sequence[Amount],
    results: Mapping[Seat, Result | None],
    splits: Mapping[Seat, Split | None],
) -> Settlement:
    """The payments of a finished hand, in the order of `results`, and the reasons for each seat."""
    payments: list[Payment] = []
    reasons: list[str] = []
    for seat, result in results.items():
        assert result is not None
        payments += _payments(parameters, banker, seat, stakes[seat], result)
        reasons.append(f"Seat {seat} {_ENDS[result]}: {_grounds(parameters, banker, seat, splits)}")
    payments += _from_the_bank(parameters, banker, payments)
    return Settlement(
        name=name_of(results),
        payments=tuple(payments),
        reasons=tuple(reasons),
    )


def name_of(results: Mapping[Seat, Result | None]) -> str:
    """The name of a finished hand: how many players won, lost and pushed."""
    ends = Counter(results.values())
    return ", ".join(f"{ends[result]} {result}" for result in RESULTS)


def _payments(
    parameters: Parameters, banker: Seat, seat: Seat, stake: Amount, result: Result
) -> Iterator[Payment]:
    if result == "lose":
        yield Payment(seat, banker, stake, f"seat {seat} loses both hands")
    if result == "win":
        yield Payment(banker, seat, stake, f"seat {seat} wins both hands")
        fee = stake * parameters.commission_rate
        if fee:
            yield Payment(seat, HOUSE, fee, f"commission of seat {seat}")


def _from_the_bank(
    parameters: Parameters, banker: Seat, payments: Sequence[Payment]
) -> Iterator[Payment]:
    """The bank's commission on its net win, if `bank_commission` is set."""
    net = Settlement("", payments=tuple(payments)).balance().get(banker, 0)
    fee = net * parameters.commission_rate
    if parameters.bank_commission and fee > 0:
        yield Payment(banker, HOUSE, fee, "commission of the bank")


def _grounds(
    parameters: Parameters, banker: Seat, seat: Seat, splits: Mapping[Seat, Split | None]
) -> str:
    player, banks = splits[seat], splits[banker]
    if player is None or banks is None:
        return "called by the floor"
    return "; ".join(compare(player, banks, parameters).reasons)


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
