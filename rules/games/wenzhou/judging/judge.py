"""The judge of Wenzhou mahjong: whether a claimed win is valid, its class, and who pays."""

from __future__ import annotations

from rules.games.wenzhou.judging.case import (
    Case,
    Rival,
    concealed,
    laid_down,
)
from rules.games.wenzhou.judging.recorded_case import recorded_case
from rules.games.wenzhou.settling.score import Stakes, false_win, won
from rules.games.wenzhou.setup import SEATS
from rules.games.wenzhou.wins.caishen import Caishen
from rules.games.wenzhou.wins.hand import DOUBLE, Claim, NoWin, WinReading, judged
from rules.geometry import Seat
from rules.judging.judge_registry import Verdict

__all__ = ["Case", "judge", "recorded_case"]


def judge(case: Case) -> Verdict:
    """The verdict on the claim of `case.seat`."""
    own = case.claimants[0]
    stakes = Stakes(case.dealer, case.streak, case.parameters)
    win = judged(_claim(case, own), case.parameters)
    if isinstance(win, NoWin):
        penalty = false_win(case.seat, stakes, win.sentence)
        return Verdict(
            legal=False,
            name=penalty.name,
            multiplier=penalty.multiplier,
            payments=penalty.payments,
            reasons=penalty.reasons,
        )
    winner, best = _first_winner(case, win)
    settlement = won(winner, best, stakes)
    reasons = settlement.reasons
    if winner != case.seat:
        rule = "a double win comes first (W27)" if best.multiplier == DOUBLE else "is nearer (W26)"
        reasons = (f"Seat {winner} wins instead of seat {case.seat}: {rule}.", *reasons)
    return Verdict(
        legal=winner == case.seat,
        win=winner == case.seat,
        name=best.name,
        multiplier=best.multiplier,
        payments=settlement.payments,
        reasons=reasons,
    )


def _first_winner(case: Case, win: WinReading) -> tuple[Seat, WinReading]:
    """The winner with priority: a double first, then the nearest in turn (W26, W27, E18)."""
    won_by = {case.seat: win}
    for rival in case.claims:
        other = judged(_claim(case, rival), case.parameters)
        if isinstance(other, WinReading):
            won_by[rival.seat] = other
    if len(won_by) == 1:
        return case.seat, win
    discarder = case.discarder
    assert discarder is not None
    return min(
        won_by.items(),
        key=lambda one: (one[1].multiplier != DOUBLE, (one[0] - discarder) % SEATS),
    )


def _claim(case: Case, rival: Rival) -> Claim:
    caishen = Caishen(case.indicator)
    hand, tile = concealed(case, rival)
    return Claim(
        caishen=caishen,
        hand=hand,
        tile=tile,
        by=case.by,
        melds=laid_down(rival, caishen),
        first_turn=case.first_turn,
        undisturbed=case.undisturbed,
    )
