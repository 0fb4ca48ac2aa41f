"""Payments of a hand of pai gow between every player and the bank, seat by seat (4.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rules.games.pai_gow.ranking.compare import RESULTS, Result, compare
from rules.games.pai_gow.ranking.split import Split
from rules.games.pai_gow.setup import Parameters
from rules.geometry import Seat
from rules.play import HOUSE, Amount, Payment, Settlement

_ENDS: Mapping[Result, str] = {
    "win": "wins both hands, even money (4.2)",
    "lose": "loses both hands (4.2)",
    "push": "pushes, as neither side takes both hands (4.2)",
}


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
    ends = Counter(results.values())
    return Settlement(
        name=", ".join(f"{ends[result]} {result}" for result in RESULTS),
        payments=tuple(payments),
        reasons=tuple(reasons),
    )


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
